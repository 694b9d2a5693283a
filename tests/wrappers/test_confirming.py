"""Confirming: somebody is asked, always or where the arguments ask for it."""

import pytest

from toolkit import ConfigurationError, Continue, Edit, Reject, ToolContext, from_function
from toolkit.approvals import AllowAll, ScriptedReviewer
from toolkit.wrappers import ConfirmedTool


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def large(arguments):
    return f"Really pay {arguments['amount']}?" if arguments["amount"] > 100 else None


def asked(tool, *decisions, **arguments):
    reviewer = ScriptedReviewer(decisions)
    result = tool.run(arguments, ToolContext(reviewer=reviewer))
    return result.text, [(request.text, request.arguments, request.asked_by) for request in reviewer.requests]


def test_a_question_is_put_before_every_call():
    tool = ConfirmedTool(from_function(pay), "Pay this?")
    question = ("Pay this?", {"amount": 5}, "the tool asks for confirmation")
    assert asked(tool, Continue(), amount=5) == ("paid 5", [question])
    assert asked(tool, Reject("no"), amount=5) == ("Error: Rejected by reviewer: no", [question])
    assert asked(tool, Edit({"amount": 4}), amount=5) == ("paid 4", [question])


def test_a_function_of_the_arguments_may_want_no_question():
    tool = ConfirmedTool(from_function(pay), large)
    assert asked(tool, amount=100) == ("paid 100", [])
    question = ("Really pay 101?", {"amount": 101}, "the tool asks for confirmation")
    assert asked(tool, Reject("too much"), amount=101) == ("Error: Rejected by reviewer: too much", [question])


def test_with_nobody_to_be_asked_nothing_runs():
    tool = ConfirmedTool(from_function(pay), large)
    assert tool.run({"amount": 1}).output == "paid 1"
    with pytest.raises(ConfigurationError, match="tool 'pay' requires approval, but there is no reviewer"):
        tool.run({"amount": 1000})


def test_what_was_allowed_beforehand_is_not_asked():
    context = ToolContext(reviewer=ScriptedReviewer([]), policy=AllowAll("--yes"))
    assert ConfirmedTool(from_function(pay), "Pay this?").run({"amount": 5}, context).output == "paid 5"


def test_two_confirmations_are_one_question():
    tool = ConfirmedTool(ConfirmedTool(from_function(pay), "Pay this?"), large)
    text, [question] = asked(tool, Continue(), amount=500)
    assert (text, question[0]) == ("paid 500", "Really pay 500?\nPay this?")


@pytest.mark.parametrize("question", [True, False, 5])
def test_a_question_that_is_not_text_is_refused(question):
    careful = ConfirmedTool(from_function(lambda: 1, name="one", description="One."), lambda _: question)
    with pytest.raises(ConfigurationError, match=f"must be text or None, not {question}$"):
        careful.run({}, ToolContext(reviewer=ScriptedReviewer([Continue()])))
