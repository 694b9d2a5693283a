"""The commands of `toolkit runs` do the same for the journal and for both kinds of stores."""

import json
import os
import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.databases import PASSWORD

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

TOOLS = '''
import os
import pathlib
import signal
from toolkit import tool

@tool(idempotent=True)
def halve(n: int) -> str:
    """Halve a number; odd ones cannot be halved, and 99 kills the program."""
    if n == 99:
        os.kill(os.getpid(), signal.SIGKILL)
    if n % 2:
        raise ValueError(f"{n} is odd")
    return str(n // 2) + "." * 500

@tool(destructive=True)
def wipe(n: int) -> str:
    """Wipe."""
    return "wiped"
'''
PIPELINE = """
name: twice
description: Halve a number in two ways; the first fails at first.
tools: [./flaky.py]
inputs: {n: {type: integer}}
steps:
  - {id: first, use: flaky, with: {n: "${{ inputs.n }}"}, retry: {attempts: 2, backoff: 1ms}}
  - {id: then, set: "${{ prev * 2 }}"}
"""
FLAKY = '''
import pathlib
from toolkit import tool

@tool
def flaky(n: int) -> int:
    """Fail at first."""
    file = pathlib.Path(f"tried-{n}")
    if not file.exists():
        file.touch()
        raise ConnectionError("not yet")
    return n
'''
PAY = '''
from toolkit import tool

@tool
def pay(n: int) -> int:
    """Pay."""
    with open("paid.txt", "a") as file:
        file.write(f"{n}\\n")
    return n + 1
'''
DAY = 24 * 3600
RUNS = {
    "completed": ("halve", [2, 4], ()),
    "collected": ("halve", [2, 3], ("--on-item-error", "collect")),
    "failed": ("halve", [2, 3], ("--on-item-error", "fail")),
    "cancelled": ("halve", [2, 3], ("--on-item-error", "fail")),
    "waiting": ("wipe", [2], ("--on-approval", "wait")),
    "killed": ("halve", [99], ()),
}
"""How to make a run in each state."""


class Place:
    """The journal, or a store, with its runs."""

    def __init__(self, kind, folder, invoke, program, postgres):
        self.kind, self.folder, self.invoke, self.program = kind, folder, invoke, program
        self.url = {"journal": "", "SQLite": f"sqlite:///{folder}/runs.db"}.get(kind) or (
            postgres.url(f"alike_{os.getpid()}_{abs(hash(str(folder)))}") if postgres else ""
        )
        self.file = {"journal": folder / "state/toolkit/runs.db", "SQLite": folder / "runs.db"}.get(kind)

    def change(self, statement):
        """Change rows of the store directly, such as their times."""
        if self.file is not None:
            with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
                return (
                    connection.execute(statement).fetchall() if "SELECT" in statement else connection.execute(statement)
                )
        from psycopg import connect

        with connect(self.url, autocommit=True) as connection:
            done = connection.execute(statement)
            return done.fetchall() if "SELECT" in statement else done

    def make(self, state, days=0):
        """Make a run in a state that ended some days ago, and return its id."""
        tool, numbers, words = RUNS[state]
        items = self.folder / f"{state}.jsonl"
        items.write_text("".join(f'{{"n": {n}}}\n' for n in numbers), "utf-8")
        command = ("run", f"tools.py:{tool}", "--each", items.name, "--quiet", "--out", f"{state}.out", *words)
        if state == "killed":
            assert self.program(*command).returncode == -signal.SIGKILL
        else:
            self.invoke(*command)
        run = self.runs()[0]["id"]
        if state == "cancelled":
            assert self.invoke("runs", "cancel", run).exit_code == 0
        past = f"began = began - {days * DAY}, ended = ended - {days * DAY}"
        self.change(f"UPDATE toolkit_runs SET {past} WHERE id = '{run}'")  # noqa: S608 - our own names
        return run

    def runs(self):
        """Return the runs as `toolkit runs list` shows them."""
        return json.loads(self.invoke("runs", "list", "--format", "json").stdout)

    def prune(self, *words):
        """Run `toolkit runs prune`, and return the ids that it lists, what it reports and its exit code."""
        done = self.invoke("runs", "prune", "--format", "json", *words)
        return [run["id"] for run in json.loads(done.stdout or "[]")], done.stderr, done.exit_code


_SERVER = pytest.param("PostgreSQL", marks=pytest.mark.proof)
LONG = pytest.mark.parametrize(
    "place", ["journal", pytest.param("SQLite", marks=pytest.mark.proof), _SERVER], indirect=True
)
"""For tests with many commands, each of which starts the engine of a store."""


@pytest.fixture(params=["journal", "SQLite", _SERVER])
def place(request, project, invoke, program, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "own"))
    (project / "tools.py").write_text(TOOLS, "utf-8")
    postgres = request.getfixturevalue("postgres") if request.param == "PostgreSQL" else None
    place = Place(request.param, project, invoke, program, postgres)
    if place.url:
        monkeypatch.setenv("TOOLKIT_STORE", place.url)
    return place


@LONG
def test_old_runs_that_are_over_are_deleted_and_no_others(place):
    old = {state: place.make(state, days=31) for state in RUNS}
    place.make("completed", days=29)
    before = {run["id"] for run in place.runs()}
    over = [old["cancelled"], old["completed"]]
    assert place.prune("--dry-run") == (over, "2 runs would be deleted; nothing was deleted\n", 0)
    assert {run["id"] for run in place.runs()} == before
    deleted, words, code = place.prune()
    assert (deleted, code) == (over, 0)
    assert words.startswith("2 runs deleted")
    assert {run["id"] for run in place.runs()} == before - set(over)
    assert place.prune() == ([], "no runs to delete: no finished run ended more than 30d ago\n", 0)


@LONG
def test_runs_that_could_go_on_are_deleted_only_by_name_of_their_state(place):
    old = {state: place.make(state, days=2) for state in RUNS}
    assert place.prune("--older-than", "1d", "--state", "waiting", "--state", "failed")[0] == [
        old["waiting"],
        old["failed"],
    ]
    assert json.loads(place.invoke("runs", "approvals", "--format", "json").stdout) == []
    assert place.prune("--older-than", "1d", "--state", "killed")[0] == [old["killed"]]
    assert place.prune("--older-than", "1d", "--state", "completed")[0] == [old["collected"], old["completed"]]
    assert [run["id"] for run in place.runs()] == [old["cancelled"]]
    refused = place.invoke("runs", "prune", "--state", "running")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "error: a run that is going on cannot be deleted\nhint: end it first, with: toolkit runs cancel ID\n",
    )


@pytest.mark.proof
def test_a_run_that_goes_on_is_never_deleted(place):
    place.folder.joinpath("tools.py").write_text(
        TOOLS + '\n@tool\ndef prune() -> str:\n    """Prune from within."""\n    import subprocess, sys\n'
        '    command = [sys.executable, "-m", "toolkit_cli", "runs", "prune", "--older-than", "0s"]\n'
        "    words = subprocess.run(command, capture_output=True, text=True, stdin=-3).stderr\n"
        "    return words.strip()\n"
    )
    place.folder.joinpath("one.jsonl").write_text("{}\n", "utf-8")
    done = place.program("run", "tools.py:prune", "--each", "one.jsonl", "--quiet")
    assert json.loads(done.stdout)["output"] == "no runs to delete: no finished run ended more than 0s ago"
    assert [run["state"] for run in place.runs()] == ["completed"]


@pytest.mark.proof
def test_nothing_of_a_deleted_run_stays(place):
    kept, gone = place.make("collected"), place.make("completed", days=31)
    place.make("waiting", days=31)
    place.prune()
    place.prune("--state", "waiting")
    found = [run["id"] for run in place.runs()]
    assert found == [kept]
    engine = [] if place.kind == "journal" else _engine_tables(place)
    for table in [*engine, "toolkit_runs", "toolkit_steps", "toolkit_approvals"]:
        rows = place.change(f"SELECT * FROM {table}")  # noqa: S608 - names of tables
        assert gone not in str(rows), table
    shown = place.invoke("runs", "show", gone)
    assert (shown.exit_code, shown.stderr.splitlines()[0]) == (4, f"error: there is no run '{gone}'")


def _engine_tables(place):
    schema = "" if place.kind == "SQLite" else "dbos."
    return [f"{schema}{name}" for name in ("workflow_status", "operation_outputs", "workflow_input", "workflow_output")]


@LONG
def test_the_space_of_deleted_runs_is_freed(place):
    place.folder.joinpath("many.jsonl").write_text('{"n": 4}\n' * 3_000, "utf-8")
    place.invoke("run", "tools.py:halve", "--each", "many.jsonl", "--quiet", "--out", "many.out")
    before = _size(place)
    assert place.prune("--older-than", "0s")[2] == 0
    assert _size(place) < before / 3


def _size(place):
    if place.file is not None:
        return sum(file.stat().st_size for file in place.file.parent.glob("runs.db*"))
    tables = "(schemaname = 'dbos' AND tablename LIKE 'workflow%') OR tablename LIKE 'toolkit_%'"
    relation = "(quote_ident(schemaname) || '.' || quote_ident(tablename))::regclass"
    return place.change(f"SELECT sum(pg_relation_size({relation})) FROM pg_tables WHERE {tables}")[0][0]  # noqa: S608 - as above


def test_the_users_own_configuration_sets_the_age_and_a_project_cannot(place):
    run = place.make("completed", days=8)
    place.folder.joinpath("toolkit.toml").write_text("keep_runs = '1d'\n", "utf-8")
    refused = place.invoke("runs", "prune")
    assert refused.exit_code == 2
    assert "'keep_runs' cannot be set by a project" in refused.stderr
    assert place.runs()[0]["id"] == run
    place.folder.joinpath("toolkit.toml").unlink()
    place.folder.joinpath("own/toolkit").mkdir(parents=True)
    place.folder.joinpath("own/toolkit/config.toml").write_text("keep_runs = '1w'\n", "utf-8")
    assert place.prune()[0] == [run]


@pytest.mark.parametrize("age", ["", "30", "d", "-1d", "soon", "1y", "1e9d", "99999999d", "١d"])
def test_what_is_not_an_age_is_refused(invoke, age):
    refused = invoke("runs", "prune", "--older-than", age)
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"error: --older-than: '{age}' is not an age\nhint: write a number of hours, days or weeks: 12h, 30d or 4w\n"
    )


COMMANDS = {
    "list": (
        "runs list",
        "runs list --state waiting --format json",
        "runs list --target nothing",
        "runs list --limit 1",
    ),
    "show": (
        "runs show {collected}",
        "runs show {collected} --failed",
        "runs show {waiting} --format json",
        "runs show x",
    ),
    "watch": ("runs watch {completed}", "runs watch {failed}"),
    "approvals": ("runs approvals", "runs approvals {completed}", "runs approvals --format json"),
    "cancel": ("runs cancel {completed}", "runs cancel {killed}", "runs list --state cancelled"),
    "decide": ("runs decide x approve", "runs decide {question} approve", "runs approvals", "runs resume {waiting}"),
    "resume": (
        "runs resume {completed}",
        "runs resume {collected} --failed",
        "runs resume {failed} --accept-changes",
        "runs show {failed}",
        "runs show {waiting}",
    ),
    "prune": ("runs prune --dry-run --older-than 0s", "runs prune --older-than 0s", "runs prune", "runs list"),
}
"""Commands of `toolkit runs`, in the order in which they are used."""


@LONG
def test_every_command_prints_the_same_for_every_kind_of_store(place):
    named = {state: place.make(state) for state in RUNS}
    named["question"] = json.loads(place.invoke("runs", "approvals", "--format", "json").stdout)[0]["id"]
    shown = []
    for command in (one for several in COMMANDS.values() for one in several):
        done = place.invoke(*command.format(**named).split())
        shown.append(f"$ toolkit {command}\n{done.stdout}{done.stderr}[{done.exit_code}]\n")
    text = "\n".join(shown)
    for name, value in {**named, "folder": str(place.folder)}.items():
        text = text.replace(value, f"<{name}>")
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?|\b\d+(\.\d+)? m?s\b", "#", text)
    text = re.sub(r"; \d+\.\d MB freed", "", text)
    text = re.sub(r'("(?:asked|began|ended)": )1\d{9}\.\d+', r"\1#", text)
    assert text == Path(__file__).with_name("runs_commands.txt").read_text("utf-8")


NO_OUTCOME = """
CREATE TRIGGER full BEFORE UPDATE ON workflow_status WHEN new.status IN ('SUCCESS', 'ERROR')
BEGIN SELECT raise(FAIL, 'database or disk is full'); END
"""


@pytest.mark.proof
def test_a_call_whose_outcome_could_not_be_stored_is_not_made_again(project, program):
    (project / "pay.py").write_text(PAY, "utf-8")
    (project / "items.jsonl").write_text('{"n": 7}\n', "utf-8")
    store = f"sqlite:///{project}/runs.db"
    batch = ("run", "pay.py:pay", "--each", "items.jsonl", "--quiet", "--store", store)
    assert program(*batch).returncode == 0
    (project / "paid.txt").unlink()
    with closing(sqlite3.connect(project / "runs.db")) as database:
        database.executescript(NO_OUTCOME)
    stopped = program(*batch)
    assert (stopped.returncode, stopped.stdout) == (1, "")
    with closing(sqlite3.connect(project / "runs.db")) as database:
        database.executescript("DROP TRIGGER full")
    run = json.loads(program("runs", "list", "--format", "json", "--store", store).stdout)[0]
    resumed = program("runs", "resume", run["id"], "--store", store)
    assert (resumed.returncode, resumed.stdout) == (0, '{"item": 1, "output": 8}\n')
    assert (project / "paid.txt").read_text("utf-8") == "7\n"


@pytest.mark.proof
def test_steps_of_items_are_recorded_and_tried_again_alike(place):
    """What a person sees of a batch with a step that cannot be repeated by itself, and an item that cannot be read."""
    place.folder.joinpath("flaky.py").write_text(FLAKY, "utf-8")
    place.folder.joinpath("twice.yaml").write_text(PIPELINE, "utf-8")
    place.folder.joinpath("items.jsonl").write_text('{"n": 1}\n{"m": 2}\n', "utf-8")
    for file in place.folder.glob("tried-*"):
        file.unlink()
    done = place.invoke("run", "twice.yaml", "--each", "items.jsonl", "--quiet")
    message = "twice has no argument 'm' (it takes n)"
    failed = {"error": message, "error_code": "invalid_item", "at": "items.jsonl:2"}
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert (results, done.exit_code) == ([{"item": 1, "output": 2}, {"item": 2, **failed}], 1)
    (run,) = place.runs()
    assert (run["state"], run["done"], run["failed"]) == ("completed", 1, 1)
    steps = json.loads(place.invoke("runs", "show", run["id"], "--format", "json").stdout)["steps"]
    assert sorted((step["path"], step["tool"], step["status"], step["may_repeat"]) for step in steps) == [
        ("1", "", "ok", True),
        ("1/first", "flaky", "ok", False),
        ("1/then", "", "ok", True),
        ("2", "", "failed", True),
    ]
    place.folder.joinpath("items.jsonl").write_text('{"n": 1}\n{"n": 3}\n', "utf-8")
    place.folder.joinpath("tried-3").touch()
    again = place.invoke("runs", "resume", run["id"], "--failed")
    results = [json.loads(line) for line in again.stdout.splitlines()]
    assert (results, again.exit_code) == ([{"item": 1, "output": 2}, {"item": 2, "output": 6}], 0)


def kept(place):
    """Return the contents of the files of a store, or its tables."""
    if place.file is not None:
        return {file.name: file.read_bytes() for file in place.file.parent.iterdir() if file.is_file()}
    return place.change("SELECT table_name, column_name FROM information_schema.columns")


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("words", [("runs", "list"), ("run", "tools.py:halve", "--each", "two.jsonl")])
def test_a_store_of_another_version_is_not_read_and_stays_as_it_is(place, words):
    (place.folder / "two.jsonl").write_text('{"n": 2}\n', "utf-8")
    assert place.program("run", "tools.py:halve", "--each", "two.jsonl").returncode == 0
    place.change("ALTER TABLE toolkit_runs ADD COLUMN colour TEXT")
    before = kept(place)
    done = place.invoke(*words)
    kind, shown = (
        ("journal", place.file) if place.kind == "journal" else ("store", place.url.replace(f":{PASSWORD}@", "@"))
    )
    way_out = "move the file away" if kind == "journal" else "use another store"
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: the {kind} '{shown}' was written by another version of toolkit, and is left as it is\n"
        f"hint: finish its runs with that version, or {way_out}\n"
    )
    assert kept(place) == before


def test_a_journal_with_the_tables_of_an_earlier_version_is_not_read(project, invoke, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    file = project / "state/toolkit/runs.db"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)")
    before = file.read_bytes()
    done = invoke("runs", "list")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: the journal '{file}' was written by another version of toolkit, ")
    assert file.read_bytes() == before
