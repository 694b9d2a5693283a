"""Calls that need approval wait, are answered from anywhere, and run once, exactly as they were shown."""

import json
import os
import signal
import sqlite3

import pytest

from toolkit.approvals.audit_log import current_person  # private

TOOLS = '''
import os
import pathlib
import signal
from toolkit import ToolContext, tool

def note(text: str) -> None:
    with open("effects.txt", "a") as file:
        file.write(f"{text}\\n")

@tool(destructive=True)
def wipe(n: int, why: str = "tidy") -> str:
    """Wipe a number; the second dies once, where a file says so."""
    note(f"wipe {n} {why}")
    if n == 2 and pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"wiped {n}"

@tool(read_only=True)
def look(n: int) -> int:
    """Look at a number."""
    note(f"look {n}")
    return n

@tool(destructive=True)
def enter(name: str, password: str) -> str:
    """Enter."""
    note(f"enter {name} {len(password)}")
    return "in"

@tool
def unsure(n: int, context: ToolContext) -> str:
    """Ask in the middle of the work."""
    note(f"unsure {n}")
    return type(context.request_approval("Go on?", {"n": n})).__name__
'''
PIPELINE = """
name: steps
description: Several steps.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps:
  - {id: seen, use: look, with: {n: "${{ inputs.n }}"}}
  - {id: go, approve: "Go on with ${{ prev }}?"}
  - id: each
    for_each: [1, 2, 3]
    use: wipe
    approve: true
    with: {n: "${{ item }}"}
  - id: both
    parallel:
      left: [{use: wipe, approve: true, with: {n: 10}}]
      right: [{use: look, with: {n: 11}}]
"""
BATCH = ("run", "tools.py:wipe", "--each", "items.jsonl")
SHOWN = ("path", "text", "arguments", "defaults", "uses", "asked_by", "place", "preview", "show", "editable")
WAIT = ("--on-approval", "wait")


@pytest.fixture(autouse=True)
def tools(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "steps.yaml").write_text(PIPELINE, "utf-8")
    (project / "items.jsonl").write_text('{"n": 1}\n{"n": 2}\n{"n": 3}\n', "utf-8")
    return project


@pytest.fixture
def waiting(invoke):
    """Return the questions that wait."""
    return lambda *run: json.loads(invoke("runs", "approvals", *run, "--format", "json").stdout)


@pytest.fixture
def newest(invoke):
    return lambda: json.loads(invoke("runs", "list", "--format", "json").stdout)[0]


@pytest.fixture
def decide(invoke):
    def answer(question, *words):
        result = invoke("runs", "decide", question["id"], *words)
        assert result.exit_code == 0, result.output
        return result

    return answer


def effects(project):
    return (project / "effects.txt").read_text("utf-8").splitlines() if (project / "effects.txt").exists() else []


def test_items_wait_and_go_on_as_they_were_answered(project, invoke, waiting, newest, decide):
    begun = invoke(*BATCH, *WAIT)
    assert begun.exit_code == 3
    run, questions = newest(), waiting()
    assert [json.loads(line)["error_code"] for line in begun.stdout.splitlines()] == ["waiting"] * 3
    assert f"3 calls wait for approval: {questions[0]['id']}" in begun.stderr
    assert f"toolkit runs approvals {run['id']}" in begun.stderr
    assert (run["state"], run["done"], run["failed"]) == ("waiting", 0, 0)
    assert effects(project) == []

    decide(questions[0], "approve")
    decide(questions[1], "reject", "--reason", "not that one")
    again = invoke("runs", "resume", run["id"])
    assert again.exit_code == 3
    assert effects(project) == ["wipe 1 tidy"]
    assert [one["path"] for one in waiting()] == ["3"]

    decide(waiting()[0], "edit", "n=33")
    ended = invoke("runs", "resume", run["id"])
    assert ended.exit_code == 1
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [
        {"item": 1, "output": "wiped 1"},
        {
            "item": 2,
            "error": "Rejected by reviewer: not that one",
            "error_code": "rejected",
            "at": "items.jsonl:2",
        },
        {"item": 3, "output": "wiped 33"},
    ]
    assert effects(project) == ["wipe 1 tidy", "wipe 33 tidy"]
    assert waiting() == []


def test_a_question_is_listed_in_full(invoke, waiting):
    invoke(*BATCH, *WAIT)
    question = waiting()[0]
    assert {name: question[name] for name in (*SHOWN, "risk")} == {
        "path": "1",
        "text": "Run wipe?",
        "arguments": {"n": 1},
        "defaults": {"why": "tidy"},
        "asked_by": "the tool is destructive",
        "place": "item 1 · items.jsonl",
        "risk": {
            "tool": "wipe",
            "source": "tools.py",
            "requires_approval": False,
            "read_only": None,
            "destructive": True,
            "open_world": None,
        },
        "uses": {},
        "preview": None,
        "show": None,
        "editable": True,
    }
    shown = invoke("runs", "approvals").stdout
    assert "asked by: the tool is destructive" in shown
    assert "why = tidy  (default)" in shown


def test_a_pipeline_waits_at_each_gate_and_asks_for_all_items_at_once(project, invoke, waiting, newest, decide):
    begun = invoke("run", "steps.yaml", "n=5", *WAIT)
    assert begun.exit_code == 3
    run = newest()
    assert [one["text"] for one in waiting()] == ["Go on with 5?"]
    assert run["state"] == "waiting"
    shown = [line.partition(" ms  ") for line in begun.stderr.splitlines() if " 2/4 go " in line]
    assert [line[2] for line in shown] == ["waits for approval"]
    assert "cancelled" not in begun.output

    decide(waiting()[0], "approve")
    assert invoke("runs", "resume", run["id"]).exit_code == 3
    assert [one["path"] for one in waiting()] == ["each[0]", "each[1]", "each[2]"]

    decide(waiting()[1], "approve", "--all-like")
    assert waiting() == []
    assert invoke("runs", "resume", run["id"]).exit_code == 3
    assert [one["path"] for one in waiting()] == ["both/left/wipe"]

    decide(waiting()[0], "approve")
    assert invoke("runs", "resume", run["id"]).exit_code == 0
    assert effects(project) == [
        "look 5",
        "wipe 1 tidy",
        "wipe 2 tidy",
        "wipe 3 tidy",
        "look 11",
        "wipe 10 tidy",
    ]


def test_one_answer_is_for_the_same_step_of_the_same_run_alone(invoke, waiting, decide):
    for _ in range(2):
        invoke(*BATCH, *WAIT)
    first = waiting()[0]
    told = decide(first, "reject", "--all-like", "--reason", "never").stderr
    assert told.count("rejected: wipe") == 3
    assert {one["run"] for one in waiting()} != {first["run"]}
    assert len(waiting()) == 3


def test_what_is_approved_runs_once(project, program, invoke, waiting, newest, decide):
    program(*BATCH, *WAIT)
    decide(waiting()[1], "approve")
    (project / "deadly").touch()
    killed = program("runs", "resume", newest()["id"])
    assert killed.returncode == -signal.SIGKILL
    assert effects(project) == ["wipe 2 tidy"]
    refused = invoke("runs", "resume", newest()["id"])
    assert refused.exit_code == 3
    assert "it may have completed" in refused.stderr
    assert invoke("runs", "resume", newest()["id"], "--repeat").exit_code == 3
    assert effects(project) == ["wipe 2 tidy"]
    assert [one["path"] for one in waiting()] == ["1", "3", "2"]


def test_questions_outlive_a_killed_run(project, program, invoke, waiting, newest, decide):
    (project / "deadly").touch()
    killed = program(*BATCH, *WAIT, "--approve", "wipe(n=2)")
    assert killed.returncode == -signal.SIGKILL
    assert (newest()["state"], [one["path"] for one in waiting()]) == ("killed", ["1"])
    decide(waiting()[0], "approve")
    assert invoke("runs", "resume", newest()["id"], "--repeat").exit_code == 3
    assert effects(project) == ["wipe 2 tidy", "wipe 1 tidy"]
    assert [one["path"] for one in waiting()] == ["2", "3"]


def test_an_answer_is_not_for_a_call_with_other_arguments(project, invoke, waiting, newest, decide):
    invoke(*BATCH, *WAIT)
    before = waiting()
    for question in before:
        decide(question, "approve")
    (project / "items.jsonl").write_text('{"n": 1}\n{"n": 4}\n{"n": 3}\n', "utf-8")
    assert invoke("runs", "resume", newest()["id"]).exit_code == 3
    assert effects(project) == ["wipe 1 tidy", "wipe 3 tidy"]
    (question,) = waiting()
    assert question["arguments"]["n"] == 4
    assert question["id"] not in {one["id"] for one in before}


def test_an_answer_is_not_for_a_changed_definition(project, invoke, waiting, newest, decide):
    invoke(*BATCH, *WAIT)
    decide(waiting()[0], "approve")
    (project / "tools.py").write_text(TOOLS.replace('note(f"wipe', 'note(f"WIPE'), "utf-8")
    run = newest()["id"]
    assert "has changed" in invoke("runs", "resume", run).stderr
    assert len(waiting()) == 2
    assert invoke("runs", "resume", run, "--accept-changes").exit_code == 3
    assert (len(waiting()), effects(project)) == (3, [])


def test_an_answer_is_not_for_another_effect(project, invoke, waiting, newest, decide):
    (project / "out.txt").write_text("one\n", "utf-8")
    (project / "write.jsonl").write_text('{"path": "out.txt", "content": "two\\n"}\n', "utf-8")
    invoke("run", "file_write", "--each", "write.jsonl", *WAIT)
    assert "-one\n" in waiting()[0]["preview"]
    decide(waiting()[0], "approve")
    (project / "out.txt").write_text("other\n", "utf-8")
    assert invoke("runs", "resume", newest()["id"]).exit_code == 3
    assert (project / "out.txt").read_text("utf-8") == "other\n"
    assert "-other\n" in waiting()[0]["preview"]
    decide(waiting()[0], "approve")
    assert invoke("runs", "resume", newest()["id"]).exit_code == 0
    assert (project / "out.txt").read_text("utf-8") == "two\n"


@pytest.mark.proof
def test_secrets_count_for_the_call_and_are_kept_nowhere(project, invoke, waiting, newest, decide):
    def write(password):
        (project / "doors.jsonl").write_text(json.dumps({"name": "ada", "password": password}) + "\n", "utf-8")

    write("Tr0ub4dor")
    invoke("run", "tools.py:enter", "--each", "doors.jsonl", *WAIT)
    assert waiting()[0]["arguments"] == {"name": "ada", "password": "**********"}
    kept = b"".join(file.read_bytes() for file in (project / "state").rglob("*") if file.is_file())
    assert b"Tr0ub4dor" not in kept
    decide(waiting()[0], "approve")
    write("another-one")
    assert invoke("runs", "resume", newest()["id"]).exit_code == 3
    assert effects(project) == []
    write("Tr0ub4dor")
    invoke("runs", "resume", newest()["id"])
    decide(waiting()[0], "approve")
    assert invoke("runs", "resume", newest()["id"]).exit_code == 0
    assert effects(project) == ["enter ada 9"]


def test_policy_and_flags_decide_first(project, invoke, waiting):
    (project / "toolkit.policy.yaml").write_text("deny: [{tool: wipe, where: {n: {equals: 2}}}]\n", "utf-8")
    begun = invoke(*BATCH, *WAIT, "--approve", "wipe(n=1)")
    assert [json.loads(line).get("error_code") for line in begun.stdout.splitlines()] == [None, "rejected", "waiting"]
    assert [one["path"] for one in waiting()] == ["3"]
    assert effects(project) == ["wipe 1 tidy"]


def test_resuming_with_yes_answers_what_still_waits(project, invoke, waiting, newest, decide):
    invoke(*BATCH, *WAIT)
    decide(waiting()[0], "reject")
    assert invoke("runs", "resume", newest()["id"], "--yes").exit_code == 0
    assert effects(project) == ["wipe 1 tidy", "wipe 2 tidy", "wipe 3 tidy"]
    assert waiting() == []


def test_what_a_tool_asks_in_the_middle_of_its_work_does_not_wait(project, invoke, waiting, newest):
    (project / "one.jsonl").write_text('{"n": 1}\n', "utf-8")
    ended = invoke("run", "tools.py:unsure", "--each", "one.jsonl", *WAIT)
    assert json.loads(ended.stdout) == {"item": 1, "output": "Reject"}
    assert (waiting(), newest()["state"]) == ([], "completed")


def test_who_answered_and_when_is_on_record(project, invoke, waiting, newest, decide):
    (project / "state.toml").touch()
    invoke(*BATCH, *WAIT)
    question = waiting()[0]
    decide(question, "edit", "n=7")
    record = json.loads((project / "state/toolkit/audit.jsonl").read_text("utf-8").splitlines()[-1])
    kept = {name: record[name] for name in ("event", "question", "tool", "run", "place", "decision", "by", "person")}
    assert kept == {
        "event": "answer",
        "question": question["id"],
        "tool": "wipe",
        "run": newest()["id"],
        "place": "item 1 · items.jsonl",
        "decision": "edit",
        "by": "reviewer",
        "person": current_person(),
    }
    assert record["edit"] == {"before": {"n": 1}, "after": {"n": 7}}
    assert record["digest"].startswith(question["id"])
    assert record["time"]
    assert "edit" in invoke("policy", "audit").stdout


def test_nothing_is_decided_that_cannot_be_recorded(project, invoke, waiting):
    invoke(*BATCH, *WAIT)
    (project / "state/toolkit/audit.jsonl").mkdir()
    refused = invoke("runs", "decide", waiting()[0]["id"], "approve")
    assert refused.exit_code == 2
    assert "cannot be written" in refused.stderr
    assert len(waiting()) == 3


NO_ANSWERS = [
    (["yes"], "'yes' is not an answer"),
    ([], "the answer is missing"),
    (["approve", "n=2"], "`approve` takes no arguments: 'n=2'"),
    (["approve", "--reason", "why not"], "--reason works only with reject"),
    (["edit"], "the new arguments are missing"),
    (["edit", "n=many"], "invalid parameter 'n'"),
    (["edit", "m=2"], "'m'"),
    (["edit", "n=2", "--all-like"], "--all-like works with approve and reject; an edit changes one call"),
]


def test_what_is_no_answer_decides_nothing(invoke, waiting):
    invoke(*BATCH, *WAIT)
    question = waiting()[0]["id"]
    for words, message in NO_ANSWERS:
        refused = invoke("runs", "decide", question, *words)
        assert (refused.exit_code, message in refused.stderr) == (2, True), words
    assert len(waiting()) == 3


def test_a_question_is_answered_once(invoke, waiting, decide):
    invoke(*BATCH, *WAIT)
    question = waiting()[0]
    decide(question, "reject")
    again = invoke("runs", "decide", question["id"], "approve")
    assert again.exit_code == 4
    assert f"no question '{question['id']}' waits for an answer" in again.stderr
    assert invoke("runs", "decide").exit_code == 2


def test_a_question_that_stands_alone_is_not_answered_with_others(project, invoke, waiting):
    invoke("run", "steps.yaml", "n=5", *WAIT)
    refused = invoke("runs", "decide", waiting()[0]["id"], "approve", "--all-like")
    assert refused.exit_code == 2
    assert "this question is answered alone" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*BATCH, "--no-input"], "--no-input and --on-approval wait cannot be combined: one rejects every question"),
        ([*BATCH, "--no-journal"], "--on-approval wait needs a journal, which records the question"),
        (
            ["run", "tools.py:wipe", "n=1"],
            "--on-approval wait records the steps of a pipeline or an agent, but 'wipe' has none",
        ),
    ],
)
def test_a_question_waits_only_where_it_is_kept(invoke, arguments, message):
    refused = invoke(*arguments, *WAIT)
    assert refused.exit_code == 2
    assert message in refused.stderr


def test_a_journal_that_somebody_has_changed_approves_nothing(project, invoke, waiting, newest):
    invoke(*BATCH, *WAIT)
    with sqlite3.connect(project / "state/toolkit/runs.db") as journal:
        journal.execute("UPDATE toolkit_approvals SET answer = 'whatever', by = 'somebody', at = 1, reason = ''")
    journal.close()
    ended = invoke("runs", "resume", newest()["id"])
    assert [json.loads(line)["error_code"] for line in ended.stdout.splitlines()] == ["rejected"] * 3
    assert effects(project) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no users by number")
def test_the_journal_with_questions_is_for_its_owner_alone(project, invoke):
    invoke(*BATCH, *WAIT)
    assert (project / "state/toolkit/runs.db").stat().st_mode & 0o077 == 0


POLICY = """\
deny: [{tool: wipe, where: {n: 13}, because: Never that one.}]
ask: [{tool: wipe, where: {n: 99}, because: Ask twice.}]
"""


OF_A_STORE = pytest.param(("--store", "sqlite:///store/runs.db"), id="store", marks=pytest.mark.proof)


@pytest.mark.parametrize("store", [pytest.param((), id="journal"), OF_A_STORE])
def test_a_stored_edit_is_judged_again(project, invoke, store):
    def found(*words):
        return json.loads(invoke("runs", *words, *store, "--format", "json").stdout)

    def answered(answer, *words):
        [question] = found("approvals")
        assert invoke("runs", "decide", question["id"], answer, *words, *store).exit_code == 0
        result = invoke("runs", "resume", found("list")[0]["id"], *store)
        return question["asked_by"], result.exit_code, json.loads(result.stdout.splitlines()[-1])

    (project / "toolkit.policy.yaml").write_text(POLICY, "utf-8")
    (project / "items.jsonl").write_text('{"n": 1}\n', "utf-8")
    invoke(*BATCH, *WAIT, *store)
    by_risk, by_rule = "the tool is destructive", "ask rule, toolkit.policy.yaml:2: Ask twice."
    assert answered("edit", "n=99")[:2] == (by_risk, 3)
    assert effects(project) == []
    assert answered("edit", "n=13") == (
        by_rule,
        1,
        {
            "item": 1,
            "error": "The reviewer's edit is denied by deny rule, toolkit.policy.yaml:1: Never that one.",
            "error_code": "rejected",
            "at": "items.jsonl:1",
        },
    )
    assert effects(project) == []

    invoke(*BATCH, *WAIT, *store)
    assert answered("edit", "n=99")[:2] == (by_risk, 3)
    assert answered("approve") == (by_rule, 0, {"item": 1, "output": "wiped 99"})
    assert effects(project) == ["wipe 99 tidy"]
