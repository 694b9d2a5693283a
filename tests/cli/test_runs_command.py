"""What is kept of a run survives everything that ends it, and `runs resume` repeats nothing that is done."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from stat import S_IMODE

import pytest

TOOLS = '''
import os
import pathlib
import signal
from typing import Any
from toolkit import ToolContext, ToolResult, tool

def note(text: str) -> None:
    with open("effects.txt", "a") as file:
        file.write(f"{text}\\n")

@tool
def square(n: int) -> dict[str, Any]:
    """Square a number, and note it; the fifth kills the program where a file says so."""
    if n == 5 and pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    note(f"square {n}")
    return {"n": n, "square": n * n, "exact": 1.10}

@tool(idempotent=True)
def gentle(n: int) -> int:
    """Do no harm, or die before it where a file says so: of calls that run side by side, each one."""
    if pathlib.Path("deadly").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    note(f"gentle {n}")
    return n

@tool(idempotent=True)
def picky(text: str) -> str:
    """Fail unless a file is there."""
    note(f"picky {text}")
    if not pathlib.Path("ready").exists():
        raise ValueError("not ready")
    return text + "!"

@tool(read_only=True)
def shout(text: str) -> str:
    """Shout."""
    note(f"shout {text}")
    return text.upper()

@tool(destructive=True)
def wipe(n: int) -> str:
    """Wipe."""
    return str(square.__wrapped__(n) if hasattr(square, "__wrapped__") else square(n=n))

@tool
def key(n: int, context: ToolContext) -> str:
    """Return the key of the call, which fails once."""
    note(f"{n} {context.idempotency_key}")
    if n == 2 and pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"

@tool
def fetch_token(user: str, password: str) -> dict[str, str]:
    """Fetch a token."""
    note("fetch_token")
    return {"token": f"for-{user}-{password}"}

@tool(idempotent=True)
def use_token(token: dict[str, str]) -> str:
    """Use a token."""
    if not pathlib.Path("ready").exists():
        raise ValueError("not ready")
    return "used " + token["token"].rpartition("-")[2][:3]
'''
PIPELINE = """
name: steps
description: Several steps.
tools: [./tools.py]
inputs: {text: {type: string}}
steps:
  - shout
  - id: twice
    for_each: ["a", "b"]
    use: shout
    with: {text: "${{ prev }}${{ item }}"}
    pipe: text
  - id: both
    parallel:
      left: [{use: shout, with: {text: left}}]
      right: [{use: inner.yaml, with: {input: right}}]
  - {use: picky, with: {text: "${{ json(steps.both.output) }}"}}
"""
INNER = """
name: inner
description: A pipeline within.
tools: [./tools.py]
steps: [shout, shout]
"""


@pytest.fixture(autouse=True)
def tools(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "steps.yaml").write_text(PIPELINE.replace("    pipe: text\n", ""), "utf-8")
    (project / "inner.yaml").write_text(INNER, "utf-8")
    (project / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(1, 11)), "utf-8")
    return project


@pytest.fixture
def newest(program):
    def find():
        return json.loads(program("runs", "list", "--format", "json").stdout)[0]

    return find


def effects(project):
    return (project / "effects.txt").read_text("utf-8").splitlines() if (project / "effects.txt").exists() else []


def test_a_killed_batch_goes_on_without_repeating_what_has_ended(project, program, newest):
    plain = program("run", "tools.py:square", "--each", "items.jsonl", "--no-journal").stdout
    (project / "effects.txt").unlink()
    (project / "deadly").touch()
    killed = program("run", "tools.py:square", "--each", "items.jsonl", "--out", "r.jsonl")
    assert killed.returncode == -signal.SIGKILL
    run = newest()
    assert (run["state"], run["done"], run["unit"]) == ("killed", 4, "items")

    in_doubt = program("runs", "resume", run["id"])
    assert in_doubt.returncode == 3
    assert in_doubt.stderr == (
        "error: '5' was running 'square' when its process died: it may have completed\n"
        f"hint: check what it did, then repeat it with: toolkit runs resume {run['id']} --repeat\n"
    )
    resumed = program("runs", "resume", run["id"][:6], "--repeat")
    assert resumed.returncode == 0
    assert (project / "r.jsonl").read_text("utf-8") == plain
    assert effects(project) == [f"square {n}" for n in range(1, 11)]
    assert (newest()["state"], newest()["done"]) == ("completed", 10)
    again = program("runs", "resume", run["id"])
    assert (again.returncode, again.stderr) == (2, f"error: the run '{run['id']}' has completed\n")


def test_a_step_that_does_no_harm_twice_is_repeated_without_a_question(project, program, newest):
    (project / "deadly").touch()
    assert program("run", "tools.py:gentle", "--each", "items.jsonl", "--jobs", "3").returncode == -signal.SIGKILL
    (project / "deadly").unlink()
    resumed = program("runs", "resume", newest()["id"])
    assert [json.loads(line)["output"] for line in resumed.stdout.splitlines()] == list(range(1, 11))
    assert sorted(effects(project)) == sorted(f"gentle {n}" for n in range(1, 11))


def test_a_failed_pipeline_says_what_is_kept_and_goes_on_with_the_failed_step(project, program, newest):
    failed = program("run", "steps.yaml", "--journal", "text=go", "--quiet")
    run = newest()
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1] == f"3 of 4 steps done; continue with: toolkit runs resume {run['id']}"
    before = effects(project)
    assert sorted(before[:6]) == sorted(f"shout {text}" for text in ("go", "GOa", "GOb", "left", "right", "RIGHT"))
    (project / "ready").touch()
    resumed = program("runs", "resume", run["id"], "--quiet")
    assert (resumed.stdout, resumed.returncode) == ('{"left":"LEFT","right":"RIGHT"}!\n', 0)
    assert effects(project) == [*before, before[-1]]
    plain = program("run", "steps.yaml", "text=go", "--quiet")
    assert plain.stdout == resumed.stdout


def test_changed_definitions_are_reported_and_need_consent(project, program, newest):
    program("run", "steps.yaml", "--journal", "text=go")
    (project / "ready").touch()
    (project / "inner.yaml").write_text(INNER.replace("within", "inside"), "utf-8")
    run = newest()
    refused = program("runs", "resume", run["id"])
    assert refused.returncode == 3
    assert "this file has changed since the run was started; finished steps keep their results" in refused.stderr
    assert "inner.yaml" in refused.stderr
    assert f"toolkit runs resume {run['id']} --accept-changes" in refused.stderr
    assert program("runs", "resume", run["id"], "--accept-changes").returncode == 0


@pytest.mark.proof
def test_a_changed_item_is_not_mistaken_for_the_one_that_was_done(project, program, newest):
    (project / "deadly").touch()
    program("run", "tools.py:gentle", "--each", "items.jsonl")
    program("runs", "resume", newest()["id"])
    (project / "items.jsonl").write_text('{"n": 7}\n', "utf-8")
    program("run", "tools.py:square", "--each", "items.jsonl")
    database = sqlite3.connect(project / "state" / "toolkit" / "runs.db")
    database.execute("UPDATE toolkit_runs SET state = 'interrupted'")
    database.commit()
    (project / "items.jsonl").write_text('{"n": 8}\n', "utf-8")
    refused = program("runs", "resume", newest()["id"])
    assert refused.returncode == 3
    assert (
        "error: items.jsonl:1 has changed since it was processed; --accept-changes processes the new one"
        in refused.stderr
    )
    accepted = program("runs", "resume", newest()["id"], "--accept-changes")
    assert json.loads(accepted.stdout)["output"]["n"] == 8


def test_approvals_are_not_carried_over(project, program, newest):
    (project / "deadly").touch()
    program("run", "tools.py:wipe", "--each", "items.jsonl", "--yes")
    run = newest()
    refused = program("runs", "resume", run["id"], "--repeat")
    assert refused.returncode == 3
    assert "'wipe' needs approval" in refused.stderr
    assert program("runs", "resume", run["id"], "--repeat", "--yes").returncode == 0


def test_a_call_has_the_same_key_when_it_is_made_again(project, program, newest):
    (project / "deadly").touch()
    program("run", "tools.py:key", "--each", "items.jsonl")
    program("runs", "resume", newest()["id"], "--repeat")
    name = newest()["id"]
    assert effects(project) == [f"{n} {name}/{n}" for n in (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10)]


def test_no_secret_is_kept_and_what_held_one_is_asked_for_again(project, program, newest):
    (project / "token.yaml").write_text(
        "name: token\ndescription: Fetch and use a token.\ntools: [./tools.py]\n"
        "inputs: {password: {type: string}}\nsteps:\n"
        "  - {use: fetch_token, with: {user: ada, password: '${{ inputs.password }}'}}\n"
        "  - {use: use_token, pipe: token}\n",
        "utf-8",
    )
    failed = program("run", "token.yaml", "--journal", "password=correct-horse-9")
    assert failed.returncode == 1
    folder = project / "state" / "toolkit"
    assert {S_IMODE(file.stat().st_mode) for file in folder.iterdir() if file.name.startswith("runs.db")} == {0o600}
    assert not any(b"correct-horse" in file.read_bytes() for file in folder.iterdir() if file.is_file())
    run = newest()
    doubted = program("runs", "resume", run["id"])
    assert doubted.stderr.startswith(
        "error: 'fetch_token' has run 'fetch_token', but its result contained secrets, which are not recorded\n"
    )
    wanted = program("runs", "resume", run["id"], "--repeat")
    assert wanted.stderr == (
        f"error: the arguments of the run '{run['id']}' contained secrets, which are not recorded\n"
        f"hint: pass them again: toolkit runs resume {run['id']} name=value\n"
    )
    (project / "ready").touch()
    resumed = program("runs", "resume", run["id"], "password=correct-horse-9", "--repeat", "--quiet")
    assert (resumed.returncode, effects(project)) == (0, ["fetch_token", "fetch_token"])


def test_runs_are_listed_the_newest_first_and_filtered_shown_and_cancelled(project, program):
    program("run", "tools.py:square", "--each", "items.jsonl")
    program("run", "steps.yaml", "--journal", "text=go")
    program("run", "tools.py:shout", "text=alone")
    program("run", "tools.py:square", "--each", "items.jsonl", "--no-journal")
    listed = json.loads(program("runs", "list", "--format", "json").stdout)
    assert [(run["target"], run["state"], run["done"]) for run in listed] == [
        ("steps.yaml", "failed", 3),
        ("tools.py:square", "completed", 10),
    ]
    assert [set(run) for run in listed] == [
        {"id", "state", "target", "began", "ended", "unit", "done", "failed", "of", "error"}
    ] * 2
    failed, batch = (run["id"] for run in listed)
    for words in (["--state", "failed"], ["--target", "steps"], ["--limit", "1"]):
        assert [run["id"] for run in json.loads(program("runs", "list", "--format", "json", *words).stdout)] == [failed]
    table = program("runs", "list").stdout.splitlines()
    assert table[0].split() == ["ID", "STATE", "DONE", "BEGAN", "TARGET"]
    assert table[1].startswith(f"{failed}  failed     3 of 4 steps, 1 failed  ")
    shown = program("runs", "show", failed).stdout.splitlines()
    assert shown[0] == failed
    assert [line.split()[:2] for line in shown if line.startswith(("ok ", "failed "))] == [
        ["ok", "shout"],
        ["ok", "twice[0]"],
        ["ok", "twice[1]"],
        ["ok", "twice"],
        ["ok", "both/left/shout"],
        ["ok", "both/right/inner/shout"],
        ["ok", "both/right/inner/shout_2"],
        ["ok", "both/right/inner"],
        ["ok", "both"],
        ["failed", "picky"],
    ]
    record = json.loads(program("runs", "show", failed, "--failed", "--format", "json").stdout)
    assert [step["path"] for step in record["steps"]] == ["picky"]
    assert program("runs", "watch", batch).stderr == "completed\n"
    assert program("runs", "cancel", failed).returncode == 0
    assert json.loads(program("runs", "list", "--state", "cancelled", "--format", "json").stdout)[0]["id"] == failed
    missing = program("runs", "show", "nothing")
    assert (missing.returncode, missing.stderr.splitlines()[0]) == (4, "error: there is no run 'nothing'")


def test_a_run_under_way_is_followed_and_ended_and_nobody_else_goes_on_with_it(project, program, newest):
    (project / "tools.py").write_text(
        "import asyncio\nfrom toolkit import tool\n\n@tool\nasync def wait(n: int) -> int:\n"
        '    """Wait from the third on."""\n    if n > 2:\n        print("at work", flush=True)\n'
        "        await asyncio.Event().wait()\n    return n\n",
        "utf-8",
    )
    words = [sys.executable, "-m", "toolkit_cli", "run", "tools.py:wait", "--each", "items.jsonl"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=-1, stderr=-1, text=True) as batch:
        while "at work" not in batch.stderr.readline():
            pass
        run = newest()
        assert (run["state"], run["done"]) == ("running", 2)
        taken = program("runs", "resume", run["id"], "--repeat")
        assert f"the run '{run['id']}' is already running in process {batch.pid}" in taken.stderr
        assert program("runs", "cancel", run["id"]).returncode == 0
        output, talk = batch.communicate()
    assert [json.loads(line)["item"] for line in output.splitlines()] == [1, 2]
    assert talk.splitlines()[-1] == f"2 items done; continue with: toolkit runs resume {run['id']}"
    assert newest()["state"] == "cancelled"


@pytest.mark.proof
def test_failed_items_are_records_until_they_are_asked_for_again(project, program, newest):
    (project / "words.txt").write_text("a\nb\n", "utf-8")
    first = program("run", "tools.py:picky", "--each", "words.txt")
    assert [json.loads(line)["error"] for line in first.stdout.splitlines()] == ["ValueError: not ready"] * 2
    (project / "ready").touch()
    done = program("runs", "resume", newest()["id"])
    assert done.stderr.splitlines()[1] == "hint: run its failed items again with --failed"
    again = program("runs", "resume", newest()["id"], "--failed")
    assert [json.loads(line)["output"] for line in again.stdout.splitlines()] == ["a!", "b!"]


@pytest.mark.proof
def test_the_configuration_can_keep_every_pipeline_and_a_single_call_has_nothing_to_keep(project, program, newest):
    (project / "toolkit.toml").write_text("[defaults]\njournal = true\n", "utf-8")
    program("run", "inner.yaml", "x")
    program("run", "tools.py:shout", "x")
    program("run", "inner.yaml", "x", "--no-journal")
    assert len(json.loads(program("runs", "list", "--format", "json").stdout)) == 1
    refused = program("run", "tools.py:shout", "x", "--journal")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "error: --journal records the steps of a pipeline or an agent, but 'shout' has none\n"
    )


def start(project, *words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "toolkit_cli", *words],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def ended(path):
    with sqlite3.connect(path, timeout=60) as database:
        return database.execute("SELECT count(*) FROM toolkit_steps WHERE status = 'ok'").fetchone()[0]


GO_NO_FURTHER = """
    while n > int(os.environ.get("LAST", n)):
        time.sleep(60)
    note(f"square {n}")
"""


@pytest.mark.proof
def test_a_thousand_items_survive_a_hundred_kills(project, program, newest, figure):
    waiting = TOOLS.replace('    note(f"square {n}")\n', GO_NO_FURTHER).replace(
        "import os\n", "import os\nimport time\n"
    )
    (project / "tools.py").write_text(waiting, "utf-8")
    (project / "work.yaml").write_text(
        "name: work\ndescription: Two steps.\ntools: [./tools.py]\n"
        "inputs: {n: {type: integer}}\nsteps:\n  - {use: square, with: {n: '${{ inputs.n }}'}}\n"
        "  - {set: '${{ prev.square + 1 }}'}\n",
        "utf-8",
    )
    (project / "items.jsonl").write_text("".join(f'{{"n": {n + 10}}}\n' for n in range(1_000)), "utf-8")
    plain = program("run", "work.yaml", "--each", "items.jsonl", "--no-journal").stdout
    (project / "effects.txt").unlink()
    chance, kills = Random(16), 0  # noqa: S311 - chance here is no secret
    journal = project / "state" / "toolkit" / "runs.db"
    words = ["run", "work.yaml", "--each", "items.jsonl", "--out", "r.jsonl"]
    while kills < 100:
        target = (ended(journal) if journal.exists() else 0) + chance.randint(1, 6)
        last = str(10 + target // 2 + 2)  # a killer that is late finds it waiting, instead of done with everything
        with start(project, *words, env={**os.environ, "LAST": last}) as batch:
            while is_running(batch) and (not journal.exists() or ended_or_none(journal) < target):
                pass
            batch.kill()
        if batch.returncode != -signal.SIGKILL:  # all items were done before
            break
        kills += 1
        words = words if kills > 1 else ["runs", "resume", newest()["id"], "--repeat"]
    assert kills == 100
    done_before = set(effects(project))
    if newest()["state"] != "completed":
        last = program(*words)
        assert last.returncode == 0, last.stderr
    assert (project / "r.jsonl").read_text("utf-8") == plain
    repeated = {text: count for text, count in Counter(effects(project)).items() if count > 1}
    assert set(effects(project)) == {f"square {n + 10}" for n in range(1_000)}
    assert sum(repeated.values()) - len(repeated) <= kills
    figure(
        f"1,000 of 1,000 items after {kills} kills, byte-identical results; {len(done_before)} items done before the "
        f"last start, and {sum(repeated.values()) - len(repeated)} steps in flight at a kill were done twice"
    )


def is_running(program):
    """Look again in a moment, or at its end."""
    try:
        program.wait(0.002)
    except subprocess.TimeoutExpired:
        return True
    return False


def ended_or_none(path):
    try:
        return ended(path)
    except sqlite3.OperationalError:  # it has no tables yet
        return 0


FAILING = """
CREATE TABLE writes (count INTEGER);
INSERT INTO writes VALUES (0);
CREATE TRIGGER process_joins BEFORE INSERT ON toolkit_processes BEGIN UPDATE writes SET count = count + 1; FAIL END;
CREATE TRIGGER run_begins BEFORE INSERT ON toolkit_runs BEGIN UPDATE writes SET count = count + 1; FAIL END;
CREATE TRIGGER run_ends BEFORE UPDATE ON toolkit_runs BEGIN UPDATE writes SET count = count + 1; FAIL END;
CREATE TRIGGER step_changes BEFORE INSERT ON toolkit_steps BEGIN UPDATE writes SET count = count + 1; FAIL END;
""".replace("FAIL END", "SELECT RAISE(FAIL, 'database or disk is full') FROM writes WHERE count THE LAST; END")
WORKING = """
DROP TRIGGER IF EXISTS process_joins; DROP TRIGGER IF EXISTS run_begins; DROP TRIGGER IF EXISTS run_ends;
DROP TRIGGER IF EXISTS step_changes; DROP TABLE IF EXISTS writes;
"""


@pytest.fixture
def many_open_files():
    """Let this process have some thousand files open: what a program leaves open at its end stays open here."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = before[1]
    wanted = 8_192 if hard == resource.RLIM_INFINITY else min(hard, 8_192)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.proof
@pytest.mark.usefixtures("many_open_files")
@pytest.mark.parametrize(("how", "comparison"), [("alone", "="), ("and each after it", ">=")])
def test_whichever_write_of_a_journal_fails_the_run_stops_with_one_line_and_goes_on(
    project, invoke, figure, some_of, how, comparison
):
    items, writes = 100, 202  # of the process, of the run when it begins, and two of each item
    failing = sorted({1, 2, *some_of(range(1, writes + 1)), writes})
    (project / "items.jsonl").write_text("".join(f'{{"n": {n + 10}}}\n' for n in range(items)), "utf-8")
    batch = ("run", "tools.py:square", "--each", "items.jsonl", "--out", "r.jsonl", "--quiet")
    journal, twice = project / "state" / "toolkit" / "runs.db", 0
    assert invoke(*batch).exit_code == 0
    plain = (project / "r.jsonl").read_text("utf-8")
    (project / "effects.txt").unlink()
    for n in failing:
        with sqlite3.connect(journal) as database:
            database.executescript(FAILING.replace("THE LAST", f"{comparison} {n}"))
        stopped = invoke(*batch)
        with sqlite3.connect(journal) as database:
            database.executescript(WORKING)
        error, *more = stopped.stderr.splitlines()
        assert (error, stopped.exit_code) == (
            f"error: cannot write the journal '{journal}': database or disk is full",
            1,
        )
        assert len(more) == (n > 2)  # before its first record, there is no run yet
        again = (*more[0].partition("continue with: toolkit ")[2].split(), "--repeat") if more else batch
        resumed = invoke(*again)
        assert (resumed.exit_code, (project / "r.jsonl").read_text("utf-8")) == (0, plain), (n, resumed.stderr)
        counts = Counter(effects(project))
        assert set(counts) == {f"square {m + 10}" for m in range(items)}
        assert counts.total() <= items + 1
        twice += counts.total() - items
        (project / "effects.txt").unlink()
    figure(
        f"the n-th write of a journal fails {how}, {len(failing)} of n = 1..{writes}: all runs stop with one line and go on "
        f"to 100 %; {twice} steps in flight were done twice"
    )


NO_END = """
CREATE TRIGGER run_ends BEFORE UPDATE OF ended ON toolkit_runs WHEN new.ended IS NOT NULL
BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END;
"""


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["journal", "store"])
def test_a_run_whose_end_cannot_be_recorded_keeps_its_results_and_says_so(project, program, kind):
    place = project / ("runs.db" if kind == "store" else "state/toolkit/runs.db")
    store = ["--store", f"sqlite:///{place}"] if kind == "store" else []
    (project / "items.jsonl").write_text('{"n": 11}\n{"n": 12}\n', "utf-8")
    batch = ["run", "tools.py:square", "--each", "items.jsonl", "--quiet", *store]
    plain = program(*batch)  # the file is there now
    with sqlite3.connect(place) as database:
        database.executescript(NO_END)
    finished = program(*batch)
    with sqlite3.connect(place) as database:
        database.executescript(WORKING)
    shown = f"sqlite:///{place}" if kind == "store" else place
    more = f" --store {shown}" if kind == "store" else ""
    assert finished.stderr == (
        f"warning: the end of this run was not recorded: cannot write the {kind} '{shown}': database or disk is full\n"
        f"hint: its results are complete, but `toolkit runs list{more}` shows the run as killed\n"
    )
    assert (finished.returncode, finished.stdout) == (0, plain.stdout)
    states = [run["state"] for run in json.loads(program("runs", "list", "--format", "json", *store).stdout)]
    assert states == ["killed", "completed"]


@pytest.mark.proof
def test_a_full_disk_stops_the_run_with_one_line_and_it_goes_on(project, program, newest, figure):
    (project / "items.jsonl").write_text("".join(f'{{"n": {n + 10}}}\n' for n in range(2_000)), "utf-8")
    plain = program("run", "tools.py:square", "--each", "items.jsonl", "--no-journal").stdout
    (project / "effects.txt").unlink()

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))

    with start(
        project, "run", "tools.py:square", "--each", "items.jsonl", "--out", "r.jsonl", preexec_fn=limited
    ) as batch:
        talk = batch.communicate()[1]
    assert batch.returncode == 1
    assert "error: cannot write the journal" in talk
    assert "Traceback" not in talk
    done = newest()["done"]
    assert 0 < done < 2_000
    resumed = program("runs", "resume", newest()["id"], "--repeat")
    assert resumed.returncode == 0
    assert (project / "r.jsonl").read_text("utf-8") == plain
    assert len(effects(project)) <= 2_001
    figure(f"a disk that is full after {done:,} of 2,000 items: one line, and 100% after resuming")


@pytest.mark.proof
def test_twenty_runs_at_once_share_one_journal(project, program, figure):
    runs, items = 20, 100
    for number in range(runs):
        own = "".join(f'{{"n": {number * items + n + 10}}}\n' for n in range(items))
        (project / f"items{number}.jsonl").write_text(own, "utf-8")

    def run(number):
        words = ["run", "tools.py:square", "--each", f"items{number}.jsonl", "--out", f"r{number}.jsonl", "--quiet"]
        with start(project, *words) as batch:
            return batch.communicate()[1], batch.returncode

    with ThreadPoolExecutor(runs) as pool:
        assert list(pool.map(run, range(runs))) == [("", 0)] * runs
    listed = json.loads(program("runs", "list", "--format", "json").stdout)
    assert [(run["state"], run["done"]) for run in listed] == [("completed", items)] * runs
    for number in range(runs):
        found = [json.loads(line) for line in (project / f"r{number}.jsonl").read_text("utf-8").splitlines()]
        assert [(one["item"], one["output"]["n"]) for one in found] == [
            (n + 1, number * items + n + 10) for n in range(items)
        ]
    figure(
        f"twenty batches at once on one journal, each with its own items: {runs * items:,} of {runs * items:,}, no error"
    )


# ----------------------------------------------------------------------------------------- options of resumed runs


def test_a_policy_named_for_a_resumed_run_is_the_one_of_my_folder(project, program, newest):
    for folder, action in ((project, "allow"), (project / "elsewhere", "deny")):
        folder.mkdir(exist_ok=True)
        (folder / "rules.yaml").write_text(f"toolkit: 1\n{action}: [{{tool: square}}]\n", "utf-8")
    (project / "deadly").touch()
    program("run", "tools.py:square", "--each", "items.jsonl")
    resume = ("runs", "resume", newest()["id"], "--repeat", "--policy", "rules.yaml")
    denied = program(*resume, cwd=project / "elsewhere")
    assert denied.returncode != 0
    assert denied.stderr == "error: 'square' is denied by deny rule, elsewhere/rules.yaml:2\n"
    assert len(effects(project)) == 4


def test_a_waiting_run_can_be_resumed_without_questions(project, program, newest):
    (project / "wipe.yaml").write_text(
        "name: clean\ndescription: Wipe.\ntools: [./tools.py]\nsteps: [{use: wipe, with: {n: 3}}]\n", "utf-8"
    )
    waiting = program("run", "wipe.yaml", "--on-approval", "wait")
    assert waiting.returncode == 3
    resumed = program("runs", "resume", newest()["id"], "--no-input")
    assert resumed.returncode == 3
    assert "--on-approval" not in resumed.stderr
    assert effects(project) == []


MISPLACED = [
    ("list", "extra"),
    ("list", "--reason", "x"),
    ("list", "--failed"),
    ("show", "ID", "--state", "failed"),
    ("show", "ID", "--repeat"),
    ("resume", "ID", "--html", "page.html"),
    ("cancel", "ID", "--failed"),
    ("cancel", "ID", "extra"),
    ("watch", "ID", "--format", "json"),
    ("approvals", "--all-like"),
    ("decide", "ID", "approve", "--failed"),
    ("schedule", "0 6 * * *", "calculator", "--reason", "x"),
    ("schedules", "extra"),
    ("unschedule", "nightly", "--each", "items.jsonl"),
]


@pytest.mark.parametrize("words", MISPLACED, ids=" ".join)
def test_what_a_command_of_runs_does_not_take_is_an_error_and_nothing_is_done(project, program, newest, words):
    (project / "deadly").touch()
    program("run", "tools.py:square", "--each", "items.jsonl")
    run = newest()
    misused = program("runs", *(run["id"] if word == "ID" else word for word in words))
    assert (misused.returncode, misused.stdout) == (2, "")
    option = next((word for word in words if word.startswith("--")), None)
    assert (f"no such option: {option}" if option else "unexpected argument 'extra'") in misused.stderr
    assert newest() == run
