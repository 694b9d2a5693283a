"""A gate: what a kind of its own passes on, and what an answer means for questions that were waiting for it."""

import asyncio
from typing import get_args

import pytest

import toolkit
from toolkit import Continue, Edit, ExitEarly, ReviewRequest
from toolkit.approvals import ByRisk, Decision, DescribedCall, Gate, Risk, ScriptedReviewer, Verdict
from toolkit.approvals.decisions import ANSWERS, KINDS, Granted, Refused  # private
from toolkit.errors import ConfigurationError, ExitEarlyError
from toolkit.events import DecisionWord  # private

DELETE = Risk("delete", destructive=True)


class EndingReviewer:
    """Ends the run at the first question, and would allow everything after it; one question at a time."""

    one_at_a_time = True

    def __init__(self, *reasons):
        self.reasons = list(reasons)
        self.asked = []

    async def review(self, request):
        self.asked.append(request.text)
        await asyncio.sleep(0)  # gives the others the time to line up
        return ExitEarly(self.reasons.pop(0)) if self.reasons else Continue()


def test_gate_of_ones_own_may_ask_the_policy_about_the_call():
    class Watching(Gate):
        def judge(self, call):
            return super().judge(call)

    assert Watching(policy=ByRisk()).verdict_on(DescribedCall(DELETE)) == Verdict("ask", "the tool is destructive")


def test_end_of_a_run_answers_the_questions_that_wait_for_their_turn():
    reviewer = EndingReviewer("enough")
    gate = Gate(reviewer)

    async def ask_all():
        return await asyncio.gather(*(gate.ask(ReviewRequest(text, DELETE)) for text in ("a", "b", "c")))

    assert asyncio.run(ask_all()) == [ExitEarly("enough")] * 3
    assert reviewer.asked == ["a"]


def test_end_of_a_run_answers_with_the_latest_of_two_ends():
    reviewer = EndingReviewer("first", "second")
    gate = Gate(reviewer)

    async def ask_twice():
        first = await gate.ask(ReviewRequest("a", DELETE))
        return [first, *await asyncio.gather(*(gate.ask(ReviewRequest(text, DELETE)) for text in ("b", "c")))]

    assert asyncio.run(ask_twice()) == [ExitEarly("first"), ExitEarly("second"), ExitEarly("second")]


def test_question_after_the_end_of_a_run_is_asked():
    reviewer = EndingReviewer("enough")
    gate = Gate(reviewer)
    request = ReviewRequest("a", DELETE)
    assert [asyncio.run(gate.ask(request)), asyncio.run(gate.ask(request))] == [ExitEarly("enough"), Continue()]


def test_edit_is_granted_by_the_reviewer():
    gate = Gate(ScriptedReviewer([Edit({"path": "b"})]))
    decided = asyncio.run(gate.decide(DescribedCall(DELETE), lambda because: ReviewRequest(because, DELETE)))
    assert tuple(decided) == (Edit({"path": "b"}), "reviewer")


def test_end_of_a_run_is_a_signal():
    gate = Gate(ScriptedReviewer([ExitEarly("enough")]))
    call = gate.decide(DescribedCall(DELETE), lambda because: ReviewRequest(because, DELETE))
    with pytest.raises(ExitEarlyError, match=r"\Aenough\Z"):
        asyncio.run(call)


class Postpone(Decision):
    """A class of a program that claims to be a decision, and to approve."""

    word = "continue"

    def outcome(self, request):
        return Granted(Continue(), "reviewer")


@pytest.mark.parametrize("answer", [Postpone(), Decision(), Decision, Continue, "continue", Granted(), None, True])
def test_what_is_no_declared_decision_is_an_error_and_approves_nothing(answer):
    gate = Gate(ScriptedReviewer([answer]))
    call = DescribedCall(Risk("wipe", destructive=True), arguments={})
    with pytest.raises(ConfigurationError, match="returns Continue, Edit, Reject or ExitEarly"):
        asyncio.run(gate.decide(call, lambda because: ReviewRequest("Run?", call.risk, {}, asked_by=because)))


def test_every_decision_declares_its_own_word_and_is_public():
    assert [kind.word for kind in KINDS] == list(get_args(DecisionWord))
    assert all(getattr(toolkit, kind.__name__) is kind for kind in KINDS)
    assert len(ANSWERS) == sum(len(kind.answers) for kind in KINDS)


def test_decision_that_does_not_say_what_it_means_refuses():
    class Vague(Decision):
        word = "reject"

    outcome = Vague().outcome(ReviewRequest("Run?", Risk("wipe"), {}, asked_by=""))
    assert (outcome, Vague.answers) == (Refused("The decision 'reject' does not approve the call"), ())
