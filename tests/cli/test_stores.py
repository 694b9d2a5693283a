"""Batches in a store: the same results as without one, whatever dies on the way."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from stat import S_IMODE

import pytest

from tests.terminals import Terminal

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

STORE = "sqlite:///store/runs.db"
TOOLS = '''
import os
import pathlib
import signal
import time
from typing import Any
from toolkit import ToolContext, tool

def note(text: str) -> None:
    with open("effects.txt", "a") as file:
        file.write(f"{text}\\n")

def die_once() -> None:
    if pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)

@tool(read_only=True)
def square(n: int, plus: float = 0.5) -> dict[str, Any]:
    """Square a number."""
    if n == 7:
        raise ValueError("seven has no square")
    return {"n": n, "square": n * n, "exact": plus, "text": "æ"}

@tool(idempotent=True)
def gentle(n: int) -> int:
    """Die once at the fifth, and do no harm."""
    if n == 5:
        die_once()
    note(f"gentle {n}")
    return n

@tool
def harsh(n: int, context: ToolContext) -> int:
    """Die once at the fifth, and who knows what that did."""
    if n == 5:
        note(f"harsh {n} {context.idempotency_key}")
        die_once()
    return n

@tool(idempotent=True)
def sleep(seconds: float) -> str:
    """Sleep."""
    note("sleep")
    time.sleep(seconds)
    return "slept"

@tool(destructive=True)
def wipe(n: int) -> str:
    """Wipe."""
    note(f"wipe {n}")
    return "wiped"

@tool(read_only=True)
def enter(name: str, password: str) -> str:
    """Enter."""
    return f"{name} is in"

@tool(read_only=True)
def fetch(n: int) -> dict[str, str]:
    """Return a secret."""
    return {"token": os.environ["SHOP_TOKEN"], "n": str(n)}
'''
PIPELINE = """
name: steps
description: Several steps for a number.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps:
  - {id: first, use: square, with: {n: "${{ inputs.n }}"}, on_error: {value: {square: 0}}}
  - id: each
    for_each: [1, 2]
    use: gentle
    with: {n: "${{ item }}"}
  - id: both
    parallel:
      left: [{use: gentle, with: {n: "${{ inputs.n }}"}}]
      right: [{use: gentle, with: {n: 0}}]
output: {n: "${{ inputs.n }}", first: "${{ steps.first.output.square }}", both: "${{ steps.both.output }}"}
"""


@pytest.fixture(autouse=True)
def tools(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "steps.yaml").write_text(PIPELINE, "utf-8")
    write_items(project, 10)
    return project


def write_items(project, count):
    (project / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(1, count + 1)), "utf-8")


def effects(project):
    return (project / "effects.txt").read_text("utf-8").splitlines() if (project / "effects.txt").exists() else []


@pytest.fixture
def newest(program):
    def find():
        return json.loads(program("runs", "list", "--store", STORE, "--format", "json").stdout)[0]

    return find


@pytest.mark.parametrize("target", ["tools.py:square", pytest.param("steps.yaml", marks=pytest.mark.proof)])
def test_a_store_gives_the_same_bytes_as_a_journal_and_as_neither(project, program, newest, target):
    with (project / "items.jsonl").open("a") as items:
        items.write('{"n": "x"}\nnot json\n{"n": 3, "m": 1}\n')
    plain = program("run", target, "--each", "items.jsonl", "--no-journal")
    journal = program("run", target, "--each", "items.jsonl")
    stored = program("run", target, "--each", "items.jsonl", "--store", STORE, "--jobs", "3")
    assert stored.stdout == journal.stdout == plain.stdout
    assert len(plain.stdout.splitlines()) == 13
    assert stored.returncode == journal.returncode == plain.returncode == 1
    assert stored.stderr.splitlines()[:-1] == plain.stderr.splitlines()[:-1]
    assert (newest()["state"], newest()["done"]) == ("completed", len(plain.stdout.splitlines()) - newest()["failed"])


@pytest.mark.proof
@pytest.mark.parametrize(("jobs", "count"), [(1, 30), (4, 300)])
def test_many_items_in_a_store_give_the_same_bytes(project, program, jobs, count):
    write_items(project, count)
    plain = program("run", "steps.yaml", "--each", "items.jsonl", "--no-journal", "--out", "plain.jsonl")
    stored = program("run", "steps.yaml", "--each", "items.jsonl", "--store", STORE, "--jobs", jobs)
    assert (plain.returncode, stored.returncode) == (1, 1) if count < 7 else (0, 0)
    assert stored.stdout == (project / "plain.jsonl").read_text("utf-8")


@pytest.mark.proof
def test_a_killed_batch_goes_on_and_repeats_what_does_no_harm(project, program, newest):
    plain = program("run", "tools.py:gentle", "--each", "items.jsonl", "--no-journal").stdout
    (project / "effects.txt").unlink()
    (project / "deadly").touch()
    killed = program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE, "--out", "r.jsonl")
    assert killed.returncode == -signal.SIGKILL
    run = newest()
    assert (run["state"], run["unit"]) == ("killed", "items")
    resumed = program("runs", "resume", run["id"], "--store", STORE)
    assert resumed.returncode == 0
    assert (project / "r.jsonl").read_text("utf-8") == plain
    assert sorted(effects(project)) == sorted(f"gentle {n}" for n in range(1, 11))
    assert (newest()["state"], newest()["done"]) == ("completed", 10)
    again = program("runs", "resume", run["id"], "--store", STORE)
    assert (again.returncode, again.stderr) == (2, f"error: the run '{run['id']}' has completed\n")


@pytest.mark.proof
def test_what_began_and_has_no_end_is_repeated_only_with_consent(project, program, newest):
    (project / "deadly").touch()
    program("run", "tools.py:harsh", "--each", "items.jsonl", "--store", STORE)
    run = newest()
    doubted = program("runs", "resume", run["id"], "--store", STORE)
    again = f"toolkit runs resume {run['id']} --store sqlite:///{project}/store/runs.db"
    words = "'5' was running 'harsh' when its process died: it may have completed"
    assert doubted.returncode == 3
    assert json.loads(doubted.stdout.splitlines()[4]) == {
        "item": 5,
        "error": words,
        "error_code": "in_doubt",
        "at": "items.jsonl:5",
    }
    assert f"error: {words}; check what it did, then repeat it with:  {again} --repeat" in doubted.stderr
    assert [json.loads(line).get("output") for line in doubted.stdout.splitlines()] == [1, 2, 3, 4, None, *range(6, 11)]
    repeated = program("runs", "resume", run["id"], "--store", STORE, "--repeat")
    assert [json.loads(line)["output"] for line in repeated.stdout.splitlines()] == list(range(1, 11))
    assert effects(project) == [f"harsh 5 {run['id']}/5"] * 2


@pytest.mark.proof
def test_changed_definitions_and_items_are_reported_and_need_consent(project, program, newest):
    (project / "deadly").touch()
    program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE)
    (project / "tools.py").write_text(TOOLS + "\n# changed\n", "utf-8")
    refused = program("runs", "resume", newest()["id"], "--store", STORE)
    assert refused.returncode == 3
    assert "this file has changed since the run was started; finished steps keep their results" in refused.stderr
    assert (
        f"toolkit runs resume {newest()['id']} --store sqlite:///{project}/store/runs.db --accept-changes"
        in refused.stderr
    )
    write_items(project, 4)
    with (project / "items.jsonl").open("a") as items:
        items.write('{"n": 50}\n')
    accepted = program("runs", "resume", newest()["id"], "--store", STORE, "--accept-changes")
    assert [json.loads(line)["output"] for line in accepted.stdout.splitlines()] == [1, 2, 3, 4, 50]


@pytest.mark.proof
def test_a_run_reports_other_versions_of_the_programs_that_it_began_with(project, program, newest):
    (project / "deadly").touch()
    program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE)
    with sqlite3.connect(project / "store" / "runs.db") as store:
        store.execute("UPDATE toolkit_runs SET software = json_set(software, '$.toolkit', '0.0.1')")
    resumed = program("runs", "resume", newest()["id"], "--store", STORE)
    assert resumed.returncode == 0
    assert resumed.stderr.startswith("the run was started with toolkit 0.0.1, now ")


@pytest.mark.proof
def test_no_approval_is_stored_and_what_nobody_allows_fails_as_in_a_batch(project, program, newest):
    refused = program("run", "tools.py:wipe", "--each", "items.jsonl", "--store", STORE)
    plain = program("run", "tools.py:wipe", "--each", "items.jsonl")
    assert (refused.returncode, refused.stderr) == (3, plain.stderr)
    some = program("run", "tools.py:wipe", "--each", "items.jsonl", "--store", STORE, "--approve", "wipe(n=1*)")
    assert some.stdout == program("run", "tools.py:wipe", "--each", "items.jsonl", "--approve", "wipe(n=1*)").stdout
    assert effects(project) == ["wipe 1", "wipe 10"] * 2
    run = newest()
    again = program("runs", "resume", run["id"], "--store", STORE, "--failed")
    assert (again.returncode, effects(project)) == (3, ["wipe 1", "wipe 10"] * 2)


@pytest.mark.proof
def test_no_secret_is_stored(project, program, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "correct-horse-9")
    fetched = program("run", "tools.py:fetch", "--each", "items.jsonl", "--store", STORE)
    plain = program("run", "tools.py:fetch", "--each", "items.jsonl", "--no-journal")
    assert fetched.stdout == plain.stdout
    (project / "names.jsonl").write_text('{"name": "ada"}\n{"name": "bob"}\n', "utf-8")
    refused = program("run", "tools.py:enter", "password=battery-staple-7", "--each", "names.jsonl", "--store", STORE)
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: the arguments contain a secret, and a store keeps no secrets\n")
    (project / "names.jsonl").write_text('{"name": "ada", "password": "battery-staple-7"}\n', "utf-8")
    item = program("run", "tools.py:enter", "--each", "names.jsonl", "--store", STORE)
    assert json.loads(item.stdout)["error"] == "its arguments contain a secret, and a store keeps no secrets"
    folder = project / "store"
    held = b"".join(file.read_bytes() for file in folder.iterdir())
    assert not any(secret in held for secret in (b"correct-horse", b"battery-staple"))
    assert {S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


@pytest.mark.proof
def test_runs_of_a_store_are_listed_shown_and_cancelled(project, program, newest):
    program("run", "tools.py:square", "--each", "items.jsonl", "--store", STORE)
    run = newest()
    assert set(run) == {"id", "state", "target", "began", "ended", "unit", "done", "failed", "of", "error"}
    shown = program("runs", "show", run["id"], "--store", STORE).stdout.splitlines()
    assert [line.split()[:2] for line in shown if line.startswith(("ok ", "failed "))] == [
        ["failed" if n == 7 else "ok", str(n)] for n in range(1, 11)
    ]
    failed = json.loads(program("runs", "show", run["id"], "--store", STORE, "--failed", "--format", "json").stdout)
    assert [step["path"] for step in failed["steps"]] == ["7"]
    assert program("runs", "watch", run["id"], "--store", STORE).stderr == "completed\n"
    (project / "deadly").touch()
    program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE)
    assert program("runs", "cancel", newest()["id"], "--store", STORE).returncode == 0
    assert newest()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["runs", "list", "--store", "sqlite:///nowhere.db"],
            2,
            "error: the store 'sqlite:///{}/nowhere.db' does not exist\n",
        ),
        (["runs", "list", "--store", "mysql://a/b"], 2, "error: a store cannot be a 'mysql'\n"),
        (
            ["runs", "list", "--store", "sqlite://shop.db"],
            2,
            "error: the URL of a store in a file begins with 'sqlite:///', and then names the file\nhint: write sqlite:///",
        ),
        (["runs", "list", "--store", "postgresql://host"], 2, "error: the URL names no database\n"),
        (
            ["runs", "list", "--store", "sqlite:///tools.py"],
            1,
            "error: cannot open the store 'sqlite:///{}/tools.py': ",
        ),
        (
            ["run", "tools.py:square", "n=1", "--store", STORE],
            2,
            "error: --store works only with --each\n",
        ),
        (["run", "tools.py:square", "--each", "items.jsonl", "--jobs", "0"], 2, "error: --jobs 0 leaves the items"),
        (
            ["run", "tools.py:square", "--each", "items.jsonl", "--store", STORE, "--no-journal"],
            2,
            "error: --no-journal and",
        ),
        (["worker"], 2, "error: a worker needs a store\n"),
        (
            ["runs", "list", "--store", "postgresql://ada:Tr0ub4dor@127.0.0.1:9/runs"],
            1,
            "error: cannot open the store 'postgresql://ada@127.0.0.1:9/runs': connection",
        ),
    ],
)
def test_a_store_that_cannot_be_used_is_named_without_its_password(project, program, words, code, message):
    failed = program(*words)
    assert failed.stderr.startswith(message.format(project))
    assert failed.returncode == code
    assert "Tr0ub4dor" not in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.proof
def test_workers_do_the_work_and_adopt_what_a_killed_one_was_doing(project, program, worker):
    write_items(project, 40)
    plain = program("run", "tools.py:gentle", "--each", "items.jsonl", "--no-journal").stdout
    (project / "effects.txt").unlink()
    (project / "deadly").touch()
    workers = [worker("--jobs", "2") for _ in range(2)]
    done = program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE, "--jobs", "0")
    assert (done.returncode, done.stdout) == (0, plain)
    assert set(effects(project)) == {f"gentle {n}" for n in range(1, 41)}
    assert len(effects(project)) <= 40 + 1  # what the killed one had done beside, and not stored
    assert [process.poll() for process in workers].count(-signal.SIGKILL) == 1


@pytest.mark.proof
def test_a_worker_records_what_it_decides_as_a_server_does(project, program, worker):
    write_items(project, 2)
    worker("--yes")
    done = program("run", "tools.py:wipe", "--each", "items.jsonl", "--store", STORE, "--jobs", "0")
    assert (done.returncode, sorted(effects(project))) == (0, ["wipe 1", "wipe 2"])
    log = (project / "state" / "toolkit" / "audit.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in log]
    kept = ("event", "tool", "arguments", "decision", "by")
    assert sorted(([one[name] for name in kept] for one in records), key=str) == [
        ["decision", "wipe", {"n": n}, "allow", "--yes"] for n in (1, 2)
    ]
    assert len({one["outermost_run"] for one in records}) == 1


@pytest.mark.proof
@pytest.mark.parametrize("changed", ["tools.py", "helper.py"])
def test_a_worker_with_another_definition_takes_on_nothing(project, program, worker, newest, changed):
    (project / "tools.py").write_text(f"import helper\n{TOOLS}", "utf-8")
    (project / "helper.py").write_text("", "utf-8")
    worker()
    with (project / changed).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    words = [sys.executable, "-m", "toolkit_cli", "run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE]
    with subprocess.Popen([*words, "--jobs", "0"], stdin=-3, stdout=-1, stderr=-1, text=True) as batch:
        start = f"toolkit worker --store sqlite:///{project}/store/runs.db --tools FILE"
        assert batch.stderr.readline() == f"no worker has 'gentle' as it is defined here; start one: {start}\n"
        batch.send_signal(signal.SIGINT)
        talk = batch.communicate()[1].splitlines()
    again = f"toolkit runs resume {newest()['id']} --store sqlite:///{project}/store/runs.db"
    assert (batch.returncode, talk[-2:]) == (130, ["error: interrupted", f"0 items done; continue with: {again}"])
    assert effects(project) == []


@pytest.mark.proof
def test_a_schedule_begins_runs_until_it_is_removed(project, program, worker):
    bad = program("runs", "schedule", "every day", "tools.py:square", "n=3", "--store", STORE)
    assert (bad.returncode, bad.stderr) == (2, "error: 'every day' is not a valid cron expression\n")
    added = program("runs", "schedule", "* * * * * *", "tools.py:square", "n=3", "--store", STORE, "--name", "often")
    assert (added.returncode, added.stderr) == (
        0,
        "'often' starts at '* * * * * *' (UTC), on any worker that has 'square'\n",
    )
    again = program("runs", "schedule", "* * * * * *", "tools.py:square", "n=3", "--store", STORE, "--name", "often")
    assert (again.returncode, again.stderr) == (2, "error: the schedule 'often' already exists\n")
    program("runs", "schedule", "* * * * * *", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE)
    worker()
    done = {}
    while not {"tools.py:square", "tools.py:gentle"} <= set(done):
        listed = json.loads(
            program("runs", "list", "--state", "completed", "--format", "json", "--store", STORE).stdout
        )
        done = {run["target"]: run for run in listed}
    assert (done["tools.py:square"]["done"], done["tools.py:gentle"]["done"]) == (1, 10)
    shown = program("runs", "show", done["tools.py:square"]["id"], "--format", "json", "--store", STORE)
    (step,) = json.loads(shown.stdout)["steps"]
    assert json.loads(step["result"])["data"] == {"n": 3, "square": 9, "exact": 0.5, "text": "æ"}
    assert program("runs", "unschedule", "often", "--store", STORE).returncode == 0
    left = json.loads(program("runs", "schedules", "--format", "json", "--store", STORE).stdout)
    assert [one["name"] for one in left] == ["gentle"]
    assert program("runs", "unschedule", "often", "--store", STORE).returncode == 4


@pytest.mark.proof
@pytest.mark.parametrize(("words", "items"), [(["n=3"], [3]), (["--each", "items.jsonl"], [1, 2])])
def test_calls_of_a_schedule_wait_for_approval_and_go_on_once_answered(project, program, worker, words, items):
    write_items(project, 2)
    waits = ("--on-approval", "wait", "--store", STORE)
    assert program("runs", "schedule", "* * * * * *", "tools.py:wipe", *words, *waits).returncode == 0
    worker()
    waiting = []
    while not waiting:
        listed = program("runs", "list", "--state", "waiting", "--format", "json", "--store", STORE)
        waiting = json.loads(listed.stdout)
    assert program("runs", "unschedule", "wipe", "--store", STORE).returncode == 0
    run = waiting[0]["id"]
    asked = json.loads(program("runs", "approvals", run, "--format", "json", "--store", STORE).stdout)
    assert [one["arguments"] for one in asked] == [{"n": n} for n in items]
    assert effects(project) == []
    for one in asked:
        assert program("runs", "decide", one["id"], "approve", "--store", STORE).returncode == 0
    done = program("runs", "resume", run, "--store", STORE)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"item": number, "output": "wiped"} for number, _ in enumerate(items, 1)
    ]
    assert (done.returncode, sorted(effects(project))) == (0, [f"wipe {n}" for n in items])


@pytest.mark.proof
def test_limits_bound_how_many_items_begin(project, program, worker):
    (project / "toolkit.toml").write_text('[limits.gentle]\nrate = "5/5s"\nconcurrency = 2\n', "utf-8")
    worker("--jobs", "4")
    done = program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE, "--jobs", "0")
    assert [json.loads(line)["output"] for line in done.stdout.splitlines()] == list(range(1, 11))
    with sqlite3.connect(project / "store" / "runs.db") as store:
        began = [row[0] for row in store.execute("SELECT started_at_epoch_ms FROM workflow_status ORDER BY 1")]
    assert len(began) == 10
    assert [later - earlier for earlier, later in zip(began, began[5:], strict=False) if later - earlier < 5_000] == []


@pytest.mark.proof
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_worker_ends_at_one_signal_whatever_its_items_do(project, program, worker, number):
    (project / "items.jsonl").write_text('{"seconds": 600}\n' * 4, "utf-8")
    process = worker("--jobs", "2", handles=True)
    words = [sys.executable, "-m", "toolkit_cli", "run", "tools.py:sleep", "--each", "items.jsonl", "--store", STORE]
    with subprocess.Popen([*words, "--jobs", "0"], stdin=-3, stdout=-3, stderr=-3) as batch:
        while len(effects(project)) < 2:
            assert process.poll() is None
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
        batch.terminate()
    assert (process.returncode, said) == (128 + number, "0 items done\n")
    assert effects(project) == ["sleep", "sleep"]


@pytest.mark.proof
def test_a_terminal_shows_how_far_the_items_of_a_store_are_and_not_how_far_they_were_read(project):
    (project / "items.jsonl").write_text("".join(f'{{"seconds": {n}}}\n' for n in (0, 0, 600, 600, 600)), "utf-8")
    terminal = Terminal(project, "run", "tools.py:sleep", "--each", "items.jsonl", "--out", "r.jsonl", "--store", STORE)
    terminal.expect("40% · 2 items · ")
    terminal.child.send("\x03")
    terminal.expect("error: interrupted")
    terminal.expect("2 items done; continue with: toolkit runs resume ")
    assert terminal.end() == 130


@pytest.mark.proof
def test_a_worker_ends_although_a_run_that_a_schedule_has_begun_is_not_done(project, program, worker):
    (project / "items.jsonl").write_text('{"seconds": 600}\n' * 4, "utf-8")
    program("runs", "schedule", "* * * * * *", "tools.py:sleep", "--each", "items.jsonl", "--store", STORE)
    process = worker()
    while not effects(project):
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert (process.returncode, said) == (128 + signal.SIGTERM, "0 items done\n")


@pytest.fixture
def worker(project):
    """Start workers, and end them at the end, with a signal that nobody who starts the tests can have told them to ignore."""
    started = []

    def start(*options, handles=False):
        words = [sys.executable, "-m", "toolkit_cli", "worker", "--store", STORE, "--tools", "tools.py", *options]
        if handles:  # also where the tests run in the background, and whoever started them ignores Ctrl-C
            words = ["env", "--default-signal", *words]
        process = subprocess.Popen(words, stdin=-3, stdout=-3, stderr=-1, text=True, cwd=project, env={**os.environ})
        started.append(process)
        assert process.stderr.readline().startswith("working on ")
        return process

    yield start
    for process in started:
        process.terminate()
    for process in started:
        process.communicate(timeout=60)


def test_a_store_named_for_a_resumed_run_is_the_one_of_my_folder(project, program, newest):
    (project / "deadly").touch()
    assert program("run", "tools.py:gentle", "--each", "items.jsonl", "--store", STORE).returncode == -signal.SIGKILL
    (project / "sub").mkdir()
    run = newest()["id"]
    resumed = program(
        "runs", "resume", run, "--store", f"sqlite:///../{STORE.removeprefix('sqlite:///')}", cwd=project / "sub"
    )
    assert (resumed.returncode, len(resumed.stdout.splitlines())) == (0, 10)
