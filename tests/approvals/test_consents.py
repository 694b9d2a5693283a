"""One store of consents: what is asked, what an answer does, and what is remembered."""

import asyncio
import json
import os
from dataclasses import replace

import pytest

from toolkit import Continue, Edit, ExitEarly, Reject
from toolkit.approvals import Access, AllowAll, AuditLog, Consents, Gate, RefusingReviewer, ScriptedReviewer
from toolkit.errors import ConfigurationError, ExitEarlyError
from toolkit.problems import Problem

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


def test_consent_for_once_holds_for_this_store_alone(file):
    consents, reviewer = asked(file, Continue())
    assert [consents.refusal(ACCESS), consents.refusal(ACCESS), consents.is_given(ACCESS)] == [None, None, True]
    assert (len(reviewer.requests), file.exists()) == (1, False)
    assert not Consents(file).is_given(ACCESS)


def test_consent_for_good_is_remembered_for_this_content_in_a_file_of_the_user_alone(file):
    consents, _ = asked(file, Continue(always=True))
    assert consents.refusal(ACCESS) is None
    assert json.loads(file.read_text("utf-8")) == {
        "consents": {"one": {"name": "builtin.http", "summary": "this machine"}}
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
