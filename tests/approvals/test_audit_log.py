"""The audit log: every question and decision is recorded before it takes effect, and changes of the log show."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from pydantic import BaseModel, SecretStr

from tests.mcp import served
from tests.mcp.served import environment
from toolkit import (
    ConfigurationError,
    Continue,
    Edit,
    ExitEarly,
    ExitEarlyError,
    Reject,
    ToolContext,
    TypedTool,
    from_function,
)
from toolkit.approvals import AuditLog, Gate, ScriptedReviewer, load_policy
from toolkit.approvals.audit_log import faults_of_log, records_of_log  # private
from toolkit.redactors import MASK
from toolkit.runs import Run


def erase(name: str, key: SecretStr | None = None) -> str:
    """Erase something."""
    return f"erased {name}"


class Name(BaseModel):
    """What to erase."""

    name: str
    key: SecretStr | None = None


TOOL = from_function(erase, destructive=True)


@pytest.fixture
def log(tmp_path):
    return AuditLog(tmp_path / "state" / "audit.jsonl")


def records(log):
    return list(records_of_log(log.file))


def test_each_question_and_decision_is_a_record_without_secrets(tmp_path, log):
    (tmp_path / "rules.yaml").write_text("deny: [{tool: erase, where: {name: all}, because: Never all.}]", "utf-8")
    answers: list = [Continue(), Edit({"name": "b"}), Reject("no"), ExitEarly("stop")]
    gate = Gate(ScriptedReviewer(answers), load_policy(tmp_path / "rules.yaml"), audit=log)
    run = Run()
    context = ToolContext(gate=gate, run=run)
    for _ in range(3):
        TOOL.run({"name": "a", "key": "hunter2"}, context)
    with pytest.raises(ExitEarlyError):
        TOOL.run({"name": "a"}, context)
    TOOL.run({"name": "all"}, context)
    found = records(log)
    assert [(one["event"], one.get("decision")) for one in found] == [
        ("question", None),
        ("decision", "continue"),
        ("question", None),
        ("decision", "edit"),
        ("question", None),
        ("decision", "reject"),
        ("question", None),
        ("decision", "exit_early"),
        ("decision", "deny"),
    ]
    assert {one["run"] for one in found} == {run.id}
    assert len({one["definition"] for one in found}) == 1
    assert found[3]["edit"] == {"before": {"name": "a", "key": "**********"}, "after": {"name": "b"}}
    assert (found[5]["by"], found[5]["reason"]) == ("reviewer", "no")
    place = {"file": str(tmp_path / "rules.yaml"), "line": 1}
    assert found[8]["rule"] == {"what": "deny rule", **place, "reason": "Never all."}
    assert "hunter2" not in log.file.read_text("utf-8")
    assert faults_of_log(log.file) == (9, [])


def test_an_edit_that_a_rule_denies_is_recorded_with_its_arguments_and_no_effect_is_looked_at(tmp_path, log):
    looked_at = []

    class Erase(TypedTool[Name]):
        name, description, destructive = "erase", "Erases something.", True

        def preview(self, parsed, context):
            looked_at.append(parsed.name)
            return parsed.name

        def execute(self, given, context):
            return "erased"

    (tmp_path / "rules.yaml").write_text("deny: [{tool: erase, where: {name: b}}]\n", "utf-8")
    reviewer = ScriptedReviewer([Edit({"name": "b", "key": MASK})])
    gate = Gate(reviewer, load_policy(tmp_path / "rules.yaml"), audit=log)
    result = Erase().run({"name": "a", "key": "correct horse"}, ToolContext(gate=gate))
    assert "The reviewer's edit is denied by deny rule" in result.text
    records = [(one["event"], one.get("decision"), one["arguments"]["name"]) for one in records_of_log(log.file)]
    assert records == [("question", None, "a"), ("decision", "edit", "a"), ("decision", "deny", "b")]
    assert "correct horse" not in log.file.read_text("utf-8")
    assert looked_at == ["a"]


def test_leave_that_nobody_is_told_of_is_recorded_too(log):
    context = ToolContext(gate=Gate(audit=log))
    from_function(erase, read_only=True).run({"name": "a"}, context)
    [record] = records(log)
    assert (record["decision"], record["by"], record["arguments"]) == ("allow", "", {"name": "a"})


def test_only_its_owner_reads_the_log(log):
    log.append({"event": "question"})
    assert log.file.stat().st_mode & 0o777 == 0o600
    assert log.file.parent.stat().st_mode & 0o077 == 0


def test_a_full_log_gets_a_number_and_the_chain_goes_on(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", most_bytes=600)
    for number in range(10):
        log.append({"event": "question", "is": number})
    assert len(list(tmp_path.glob("audit.*.jsonl"))) > 2
    assert [one["is"] for one in records(log)] == list(range(10))
    assert faults_of_log(log.file) == (10, [])
    (tmp_path / "audit.2.jsonl").unlink()
    assert faults_of_log(log.file)[1] != []


def test_the_chain_goes_on_where_another_writer_has_begun_a_file_of_the_same_size(tmp_path):
    file = tmp_path / "audit.jsonl"
    one, other = AuditLog(file, most_bytes=700), AuditLog(file, most_bytes=700)
    sizes = []
    for log in (one, other):  # each begins a file
        files = len(list(tmp_path.glob("audit.*.jsonl")))
        while len(list(tmp_path.glob("audit.*.jsonl"))) == files:
            log.append({"event": "question"})
        sizes.append(file.stat().st_size)
    assert sizes[0] == sizes[1]
    one.append({"event": "question"})
    written = len(records(one))
    assert faults_of_log(file) == (written, [])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda lines: [lines[0], lines[1].replace(b'"is":1', b'"is":7'), *lines[2:]], "record 2 was changed"),
        (lambda lines: [lines[0], *lines[2:]], "record 2 is missing before this one"),
        (lambda lines: lines[1:], "record 1 is missing before this one"),
        (lambda lines: lines[:-1], "the last 1 records are missing"),
        (lambda lines: [], "the last 4 records are missing"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "record 1 is missing before this one"),
        (lambda lines: [*lines[:2], b"{}\n", *lines[2:]], "record None was changed"),
        (lambda lines: [*lines[:2], b"broken\n", *lines[2:]], "this is not a record"),
    ],
)
def test_changed_and_removed_records_show(log, change, fault):
    for number in range(4):
        log.append({"event": "question", "is": number})
    lines = log.file.read_bytes().splitlines(keepends=True)
    log.file.write_bytes(b"".join(change(lines)))
    assert any(fault in one for one in faults_of_log(log.file)[1])


def test_half_a_line_of_a_killed_process_is_no_record_and_the_next_one_stands_in_its_place(log):
    log.append({"event": "question", "is": 0})
    with log.file.open("ab") as stream:
        stream.write(b'{"number":2,"ev')
    assert faults_of_log(log.file) == (1, [])
    log.append({"event": "question", "is": 1})
    assert faults_of_log(log.file) == (2, [])
    assert [one["is"] for one in records(log)] == [0, 1]


def test_threads_and_logs_of_one_file_do_not_mix(log):
    others = [AuditLog(log.file) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: others[number % 4].append({"is": number}), range(100)))
    assert faults_of_log(log.file) == (100, [])
    assert sorted(one["is"] for one in records(log)) == list(range(100))


def test_what_people_decide_is_on_the_disk_at_once_and_what_rules_decide_within_a_second(log, monkeypatch):
    synced = []
    forced = os.fsync

    def noted(number):
        synced.append(len(records(log)))
        forced(number)

    monkeypatch.setattr(os, "fsync", noted)
    by_rule = {"event": "decision", "by": "a rule"}
    for record in (by_rule, by_rule, {"event": "question"}, {"event": "decision", "by": "reviewer"}):
        log.append(record)
    assert synced == [1, 3, 4]
    monkeypatch.setattr(log, "_last_sync", -2.0)
    log.append(by_rule)
    assert synced == [1, 3, 4, 5]


def test_a_log_that_somebody_else_has_moved_or_removed_begins_again(log):
    log.append({"is": 0})
    log.file.rename(log.file.with_name("audit.1.jsonl"))
    log.append({"is": 1})
    log.file.with_suffix(".lock").unlink()
    log.file.with_suffix(".head").unlink()
    log.append({"is": 2})
    assert [one["is"] for one in records(log)] == [0, 1, 2]
    assert faults_of_log(log.file) == (3, [])


def test_a_call_does_not_run_whose_decision_cannot_be_recorded(tmp_path):
    ran = []
    (tmp_path / "state").write_text("a file stands where the folder should be", "utf-8")
    context = ToolContext(gate=Gate(audit=AuditLog(tmp_path / "state" / "audit.jsonl")))
    with pytest.raises(ConfigurationError, match=r"the audit log '.*' cannot be written"):
        from_function(lambda: ran.append(1), name="t", read_only=True).run({}, context)
    assert ran == []


WORK = """
import sys
from pathlib import Path
from toolkit import ToolContext, from_function
from toolkit.approvals import AllowAll, AuditLog, AutoReviewer, Gate

log, effects = Path(sys.argv[1]), Path(sys.argv[2])

def erase(name: str) -> str:
    with effects.open("a") as stream:
        stream.write(name + "\\n")
    print(name, flush=True)
    return name

tool = from_function(erase, destructive=True)
policy = AllowAll("a rule") if sys.argv[4] == "rule" else None
context = ToolContext(gate=Gate(AutoReviewer(), policy, audit=AuditLog(log, most_bytes=20_000)))
for number in range(100_000):
    tool.run({"name": f"{sys.argv[3]}-{number}"}, context)
"""


def killed_runs(folder, times, seed, decider):
    """Kill a program that decides all the time, at moments of chance; return what took effect."""
    chance = random.Random(seed)  # noqa: S311 - chance is no secret here
    (folder / "work.py").write_text(WORK, "utf-8")
    for run in range(times):
        process = subprocess.Popen(
            [sys.executable, "work.py", "audit.jsonl", "effects.txt", str(run), decider],
            cwd=folder,
            stdout=subprocess.PIPE,
        )
        for _ in range(chance.randrange(1, 12)):
            process.stdout.readline()
        for _ in range(chance.randrange(20_000)):
            pass
        process.kill()
        process.communicate()
    return (folder / "effects.txt").read_text("utf-8").splitlines()


def decided_names(file):
    return {one["arguments"]["name"] for one in records_of_log(file) if one["event"] == "decision"}


@pytest.mark.parametrize("decider", ["reviewer", "rule"])
def test_a_log_of_killed_runs_verifies_and_misses_no_decision_that_took_effect(tmp_path, decider):
    effects = killed_runs(tmp_path, 3, seed=1, decider=decider)
    assert faults_of_log(tmp_path / "audit.jsonl")[1] == []
    assert set(effects) <= decided_names(tmp_path / "audit.jsonl")


@pytest.mark.proof
@pytest.mark.parametrize(("decider", "records_of_each"), [("reviewer", 2), ("rule", 1)])
def test_a_hundred_kills_lose_no_decision_that_took_effect(tmp_path, decider, records_of_each):
    effects = killed_runs(tmp_path, 100, seed=2, decider=decider)
    count, faults = faults_of_log(tmp_path / "audit.jsonl")
    assert faults == []
    assert set(effects) <= decided_names(tmp_path / "audit.jsonl")
    assert count >= records_of_each * len(effects)


TOOLS = '''
from toolkit import tool

@tool(destructive=True)
def erase(name: str) -> str:
    """Erase something."""
    return f"erased {name}"
'''


@pytest.mark.proof
def test_agents_are_recorded_and_other_runs_where_somebody_says_so(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "script.yaml").write_text(
        "turns:\n  - calls: [{tool: erase, arguments: {name: a}}]\n  - Done.\n", "utf-8"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_") and name != "CI"
    }
    environment |= {
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "NO_COLOR": "1",
    }

    def run(*words, **more):
        finished = subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *words],
            cwd=tmp_path,
            env=environment | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        return finished.returncode, finished.stdout

    call = ("run", "tools.py:erase", "name=a", "--yes")
    assert run(*call) == (0, "erased a\n")
    assert not (tmp_path / "state" / "toolkit" / "audit.jsonl").exists()
    assert run(*call, TOOLKIT_AUDIT="1")[0] == 0
    assert run(*call, CI="true")[0] == 0
    assert run("agent", "x", "--tools", "tools.py", "--model", "scripted:script.yaml", "--yes")[0] == 0
    assert (
        run("agent", "x", "--tools", "tools.py", "--model", "scripted:script.yaml", "--yes", TOOLKIT_AUDIT="0")[0] == 0
    )
    assert run("policy", "audit", "--verify") == (0, "4 records, 0 faults\n")
    shown = json.loads(run("policy", "audit", "--format", "json")[1])
    assert [(one["tool"], one["chosen_by"], one["decision"], one["by"]) for one in shown] == [
        ("erase", "person", "allow", "--yes"),
        ("erase", "person", "allow", "--yes"),
        ("agent", "person", "allow", ""),
        ("erase", "model", "allow", "--yes"),
    ]
    assert [line.split()[1:] for line in run("policy", "audit")[1].splitlines()] == [
        ["TOOL", "DECISION", "BY"],
        ["erase", "allow", "--yes"],
        ["erase", "allow", "--yes"],
        ["agent", "allow", "risk"],
        ["erase", "allow", "--yes"],
    ]
    file = tmp_path / "state" / "toolkit" / "audit.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"model"', b'"person"'))
    assert run("policy", "audit", "--verify") == (1, "4 records, 1 fault\n")


def test_a_server_records_what_it_decides(tmp_path, monkeypatch):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    state = tmp_path / "state"
    monkeypatch.setattr(served, "environment", lambda: environment(TOOLKIT_AUDIT="", XDG_STATE_HOME=str(state)))

    async def talk():
        async with served.over_stdio(tmp_path, "tools.py", "--approve", "erase(name=a)") as client:
            return [(await client.call_tool("erase", {"name": name})).is_error for name in ("a", "b")]

    assert anyio.run(talk) == [False, True]
    found = list(records_of_log(state / "toolkit" / "audit.jsonl"))
    assert [(one["event"], one["chosen_by"], one["decision"]) for one in found if one["event"] == "decision"] == [
        ("decision", "model", "allow"),
        ("decision", "model", "reject"),
    ]
