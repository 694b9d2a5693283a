"""The tool `human_input` asks whoever there is, and never stands in the way of the work."""

import asyncio

import pytest

from toolkit import Continue, Edit, ExitEarly, Reject, ToolContext
from toolkit.approvals import Gate, RefusingReviewer, ScriptedReviewer
from toolkit.builtin import HumanInput
from toolkit.errors import ExitEarlyError

NOBODY = "No reviewer is available. Please proceed with your best judgment."


def asked(decision, question="Which colour?"):
    return HumanInput().run({"input": question}, ToolContext(reviewer=ScriptedReviewer([decision])))


def test_without_a_reviewer_the_work_goes_on():
    assert HumanInput().run({"input": "Which colour?"}).output == NOBODY


def test_with_nobody_at_the_terminal_the_work_goes_on():
    context = ToolContext(gate=Gate(RefusingReviewer("no terminal")))
    assert HumanInput().run({"input": "Which colour?"}, context).output == NOBODY


def test_the_answer_is_what_the_reviewer_writes():
    assert asked(Edit("Blue, as ever")).output == "Blue, as ever"


def test_an_empty_answer_is_an_answer():
    assert asked(Edit("")).output == ""


def test_an_answer_may_come_as_the_argument():
    assert asked(Edit({"input": "Blue"})).output == "Blue"


def test_continue_means_no_wishes():
    assert asked(Continue()).output == "Understood. Please continue."


def test_ending_early_ends_the_run():
    with pytest.raises(ExitEarlyError) as ended:
        asked(ExitEarly("enough"))
    assert ended.value.reason == "enough"


@pytest.mark.parametrize(
    ("decision", "message"),
    [(Reject("do not ask me that"), "Rejected by reviewer: do not ask me that"), (Reject(), "Rejected by reviewer")],
)
def test_a_refusal_is_a_failure_with_its_reason(decision, message):
    result = asked(decision)
    assert (result.error, result.error_code) == (message, "rejected")


def test_a_blank_question_is_not_asked():
    reviewer = ScriptedReviewer([Continue()])
    result = HumanInput().run({"input": " \n"}, ToolContext(reviewer=reviewer))
    assert (result.error, reviewer.requests) == ("Question must not be blank", [])


def test_the_question_is_shown_as_it_is_with_five_minutes_to_answer():
    reviewer = ScriptedReviewer([Edit("Blue")])
    HumanInput().run({"input": " Which colour? "}, ToolContext(reviewer=reviewer, place="step 2/3"))
    [request] = reviewer.requests
    assert (request.text, request.place) == ("Which colour?", "step 2/3")
    assert (request.answer_is_text, request.timeout, request.on_timeout) == (True, 300.0, "continue")


class SilentReviewer:
    """Never answers."""

    async def review(self, request):
        await asyncio.Event().wait()


def test_when_nobody_answers_in_time_the_work_goes_on():
    context = ToolContext(reviewer=SilentReviewer())
    assert HumanInput(timeout=0.01).run({"input": "Which colour?"}, context).output == "Understood. Please continue."


def test_it_can_be_awaited():
    context = ToolContext(reviewer=ScriptedReviewer([Edit("Blue")]))
    assert asyncio.run(HumanInput().call({"input": "Which colour?"}, context)).output == "Blue"


def test_it_waits_in_an_event_loop():
    assert HumanInput().suspends
