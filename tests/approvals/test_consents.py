"""One store of consents: what is asked, what an answer does, and what is remembered."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from toolkit import Continue, Edit, ExitEarly, Reject
from toolkit.approvals import Access, AllowAll, AuditLog, Consents, Gate, RefusingReviewer, ScriptedReviewer
from toolkit.errors import ConfigurationError, ExitEarlyError
from toolkit.problems import Location, Problem

ACCESS = Access(
    name="builtin.http",
    action="settings builtin.http",
    source="settings of this project",
    question="Use it?",
    shown={"url": "http://localhost"},
    identity="one",
    summary="this machine",
    refusal=Problem("TK011", "it waits", hint="--consent builtin.http"),
)


@pytest.fixture
def file(tmp_path):
    """The file that remembers, which is not there yet."""
    return tmp_path / "toolkit/consents.json"


def asked(file, *decisions, named=()):
    """Return a store whose reviewer decides so, and the reviewer."""
    reviewer = ScriptedReviewer(decisions)
    return Consents(file, named, Gate(reviewer)), reviewer


def test_question_shows_the_content_and_cannot_be_edited(file):
    consents, reviewer = asked(file, Continue())
    assert consents.refusal(ACCESS) is None
    [request] = reviewer.requests
    assert (request.text, request.arguments, request.editable, request.may_be_remembered) == (
        "Use it?",
        {"url": "http://localhost"},
        False,
        True,
    )
    assert (request.risk.tool, request.risk.source, request.asked_by) == (
        "settings builtin.http",
        "settings of this project",
        "a project's file sets it",
    )


def test_question_shows_what_has_changed_since_the_user_agreed_and_no_secret_is_kept(file):
    place = Location("/src/toolkit.toml", 3)
    agreed = {
        "url": "http://localhost",
        "environment": {"TZ": "UTC", "API_KEY": "sk-1234", "KEY": "${KEY}"},
        "args": ["a"],
    }
    access = replace(ACCESS, shown=agreed, refusal=replace(ACCESS.refusal, location=place))
    assert asked(file, Continue(always=True))[0].refusal(access) is None
    assert "sk-1234" not in file.read_text("utf-8")
    now = {
        "url": "http://elsewhere",
        "environment": {"API_KEY": "sk-1235", "KEY": "${KEY}"},
        "args": ["a", "b"],
        "x": 1,
    }
    changed = replace(access, shown=now, identity="two")
    consents, reviewer = asked(file, Reject(), Reject(), Reject())
    assert consents.refusal(changed) == access.refusal
    assert reviewer.requests[0].show == (
        "changed since you agreed to it:\n"
        'args: was "[\\"a\\"]", and is "[\\"a\\", \\"b\\"]"\n'
        "environment API_KEY: has changed\n"
        'environment TZ: was "UTC", and is not set\n'
        'url: was "http://localhost", and is "http://elsewhere"\n'
        'x: was not set, and is "1"'
    )
    elsewhere = replace(ACCESS.refusal, location=Location("/other/toolkit.toml", 3))
    consents.refusal(replace(changed, identity="three", refusal=elsewhere))
    consents.refusal(replace(changed, identity="four", name="builtin.other"))
    assert [request.show for request in reviewer.requests[1:]] == [None, None]


def test_consent_for_once_holds_for_this_store_alone(file):
    consents, reviewer = asked(file, Continue())
    assert [consents.refusal(ACCESS), consents.refusal(ACCESS), consents.is_given(ACCESS)] == [None, None, True]
    assert (len(reviewer.requests), file.exists()) == (1, False)
    assert not Consents(file).is_given(ACCESS)


def test_consent_for_good_is_remembered_for_this_content_in_a_file_of_the_user_alone(file):
    consents, _ = asked(file, Continue(always=True))
    assert consents.refusal(ACCESS) is None
    assert json.loads(file.read_text("utf-8")) == {
        "consents": {
            "one": {"name": "builtin.http", "summary": "this machine", "file": "", "shown": {"url": "http://localhost"}}
        }
    }
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert Consents(file).refusal(ACCESS) is None
    assert Consents(file).refusal(replace(ACCESS, identity="two")) == ACCESS.refusal


@pytest.mark.parametrize("decision", [Reject("no"), Edit({"url": "x"})])
def test_nothing_but_a_yes_agrees_and_the_question_is_not_put_again(file, decision):
    consents, reviewer = asked(file, decision, Continue(always=True))
    assert [consents.refusal(ACCESS), consents.refusal(ACCESS)] == [ACCESS.refusal, ACCESS.refusal]
    assert (len(reviewer.requests), file.exists()) == (1, False)


@pytest.mark.parametrize("answer", [None, "yes", True])
def test_answer_that_is_no_decision_is_an_error_and_agrees_to_nothing(file, answer):
    consents, _ = asked(file, answer)
    with pytest.raises(ConfigurationError):
        consents.refusal(ACCESS)
    assert (consents.is_given(ACCESS), file.exists()) == (False, False)


def test_stopping_the_run_over_the_question_stops_it(file):
    consents, _ = asked(file, ExitEarly("enough"))
    with pytest.raises(ExitEarlyError, match="enough"):
        consents.refusal(ACCESS)


def test_flag_agrees_by_name_and_remembers_nothing(file):
    consents, reviewer = asked(file, named=["builtin.http"])
    assert consents.refusal(ACCESS) is None
    assert consents.refusal(replace(ACCESS, name="builtin.other")) == ACCESS.refusal
    assert (len(reviewer.requests), file.exists()) == (1, False)


@pytest.mark.parametrize(("gate", "refusal"), [
    (None, ACCESS.refusal),
    (Gate(), ACCESS.refusal),
    (Gate(RefusingReviewer()), ACCESS.refusal),
    (Gate(RefusingReviewer(), AllowAll("--yes")), None),
])  # fmt: skip
def test_where_nobody_can_be_asked_only_a_flag_agrees(file, gate, refusal):
    assert Consents(file, gate=gate).refusal(ACCESS) == refusal
    assert not file.exists()


def test_question_can_be_put_while_an_event_loop_runs(file):
    async def open_something():
        return asked(file, Continue())[0].refusal(ACCESS)

    assert asyncio.run(open_something()) is None


@pytest.mark.skipif(os.name != "posix", reason="only Unix has such permissions")
def test_what_is_remembered_is_for_its_user_alone(tmp_path):
    file = tmp_path / "deep" / "toolkit" / "consents.json"
    consents, _ = asked(file, Continue(always=True))
    assert consents.refusal(ACCESS) is None
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert file.read_text("utf-8").startswith('{\n  "consents": {\n')


def test_every_decision_about_a_consent_is_recorded(file, tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl")
    for decision in (Reject("no"), Continue()):
        gate = Gate(ScriptedReviewer([decision]), audit=log)
        Consents(file, (), gate).refusal(ACCESS)
    records = [json.loads(line) for line in log.file.read_text("utf-8").splitlines()]
    assert [(one["event"], one["tool"], one["decision"], one["by"], one["definition"]) for one in records] == [
        ("consent", "builtin.http", "reject", "Rejected by reviewer: no", "one"),
        ("consent", "builtin.http", "continue", "reviewer", "one"),
    ]
    assert "localhost" not in log.file.read_text("utf-8")


REMEMBERING = """
import sys
from dataclasses import replace
from pathlib import Path

from toolkit import Continue
from toolkit.approvals import Access, Consents, Gate, ScriptedReviewer
from toolkit.problems import Location, Problem

file, who, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    access = Access(
        name="n", action="a", source="s", question="q", shown={}, identity=f"{who}.{number}", summary="t",
        refusal=Problem("TK011", "it waits"),
    )
    print(Consents(file, (), Gate(ScriptedReviewer([Continue(always=True)]))).refusal(access))
"""


def test_processes_that_remember_at_once_lose_no_consent(file, tries):
    count = tries(400)
    program = [sys.executable, "-c", REMEMBERING, str(file)]
    running = [subprocess.Popen([*program, who, str(count)], stdout=subprocess.PIPE, text=True) for who in "abcd"]
    assert [process.communicate()[0] for process in running] == ["None\n" * count] * 4
    kept = json.loads(file.read_text("utf-8"))["consents"]
    assert kept.keys() == {f"{who}.{number}" for who in "abcd" for number in range(count)}


DAMAGED = {
    "cut off": '{"consents": {"two": {"name": "builtin.other"',
    "no object": '[{"two": 1}]',
    "no consents": '{"consent": {"two": {}}}',
    "consents in a list": '{"consents": ["two"]}',
    "no UTF-8": b'{"consents": {"two": {"name": "\xff"}}}',
    "too deep": "[" * 100_000,
}


class Informed(ScriptedReviewer):
    """A reviewer that can be told about what it decided."""

    def __init__(self, decisions):
        super().__init__(decisions)
        self.told = []

    def inform(self, problem):
        self.told.append(problem)


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_file_is_never_overwritten_and_the_consent_holds_once_for_who_can_be_told(file, content):
    file.parent.mkdir()
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = file.read_bytes()
    said = Problem(
        "TK005",
        f"the consent to settings builtin.http cannot be remembered in '{file}': it is not a file of consents",
        severity="warning",
        hint="you will be asked again next time; to change that, repair or remove the file",
    )

    reviewer = Informed([Continue(always=True)])
    consents = Consents(file, (), Gate(reviewer))
    assert [consents.refusal(ACCESS), consents.refusal(ACCESS)] == [None, None]
    assert (reviewer.told, file.read_bytes()) == ([said], before)
    assert not Consents(file).is_given(ACCESS)
    assert not Consents(file).is_given(replace(ACCESS, identity="two"))

    consents, _ = asked(file, Continue(always=True))
    assert consents.refusal(ACCESS) == replace(said, severity="error", hint="repair or remove the file")
    assert file.read_bytes() == before


def test_empty_file_is_one_without_consents(file):
    file.parent.mkdir()
    file.write_text("\n", "utf-8")
    consents, _ = asked(file, Continue(always=True))
    assert consents.refusal(ACCESS) is None
    assert Consents(file).is_given(ACCESS)


def test_other_entries_of_the_file_are_kept(file):
    file.parent.mkdir()
    file.write_text('{"consents": {"two": {"name": "other"}}, "later": [1]}', "utf-8")
    consents, _ = asked(file, Continue(always=True))
    assert consents.refusal(ACCESS) is None
    kept = json.loads(file.read_text("utf-8"))
    assert (kept["later"], set(kept["consents"])) == ([1], {"one", "two"})
