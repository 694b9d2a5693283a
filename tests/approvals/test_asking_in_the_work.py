"""A tool that asks for leave in the middle of its work."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from toolkit import (
    ConfigurationError,
    Continue,
    Edit,
    ExitEarly,
    ExitEarlyError,
    Reject,
    ToolContext,
    ToolResult,
    from_function,
)
from toolkit.approvals import AllowAll, Allowance, Allowances, AutoReviewer, Gate, Risk, ScriptedReviewer, Verdict

DECISIONS = [Continue(), Reject("no"), Edit({"path": "b"})]


def clean(path: str, context: ToolContext) -> str:
    """Cleans."""
    return repr(context.request_approval(f"Delete {path}?", {"path": path}, preview=f"- {path}"))


async def clean_later(path: str, context: ToolContext) -> str:
    """Cleans."""
    return repr(await context.request_approval_async(f"Delete {path}?", {"path": path}, preview=f"- {path}"))


def in_plain_code(function, context):
    return from_function(function, name="clean").run({"path": "a"}, context)


def in_a_loop(function, context):
    async def main():
        return await from_function(function, name="clean").call({"path": "a"}, context)

    return asyncio.run(main())


every_way = pytest.mark.parametrize(
    ("function", "call"), [(f, c) for f in (clean, clean_later) for c in (in_plain_code, in_a_loop)]
)


@every_way
@pytest.mark.parametrize("decision", DECISIONS)
def test_the_tool_gets_the_decision(function, call, decision):
    reviewer = ScriptedReviewer([decision])
    assert call(function, ToolContext(reviewer=reviewer, place="step 1/2")).output == repr(decision)
    (request,) = reviewer.requests
    assert (request.text, request.risk, request.arguments, request.asked_by) == (
        "Delete a?",
        Risk("clean", source=__file__, requires_approval=True),
        {"path": "a"},
        "the tool asks",
    )
    assert (request.preview, request.place, request.timeout, request.on_timeout) == ("- a", "step 1/2", 300.0, "reject")


@every_way
def test_an_end_of_the_run_is_raised(function, call):
    with pytest.raises(ExitEarlyError, match="enough"):
        call(function, ToolContext(reviewer=ScriptedReviewer([ExitEarly("enough")])))


@every_way
def test_without_a_reviewer_the_tool_goes_on(function, call):
    assert call(function, ToolContext()).output == repr(Continue())


@every_way
def test_a_gate_without_a_reviewer_is_a_configuration_error(function, call):
    with pytest.raises(ConfigurationError, match="tool 'clean' requires approval, but there is no reviewer"):
        call(function, ToolContext(gate=Gate()))


@every_way
def test_leave_given_beforehand_answers_and_the_listener_is_told(function, call):
    events = []
    context = ToolContext(policy=AllowAll("--yes"), listener=events.append)
    assert call(function, context).output == repr(Continue())
    assert [(event.kind, getattr(event, "by", None)) for event in events] == [
        ("tool_started", None),
        ("approval_decided", "--yes"),
        ("tool_finished", None),
    ]
    ruled = ToolContext(policy=Allowances([Allowance.parse("clean(path=a)")]))
    assert call(function, ruled).output == repr(Continue())
    other = ToolContext(policy=Allowances([Allowance.parse("clean(path=b)")]), reviewer=ScriptedReviewer([]))
    assert "the script has no further answer" in call(function, other).output


@every_way
def test_a_refusal_beforehand_is_a_rejection(function, call):
    class Deny:
        needs_arguments = False

        def judge(self, call):
            return Verdict("deny", "the shop is closed") if call.demanded_by else Verdict("allow")

    context = ToolContext(policy=AllowAll("--yes", Deny()), reviewer=AutoReviewer())
    assert call(function, context).output == repr(Reject("the shop is closed"))


def test_a_plain_question_inside_a_running_loop_is_a_configuration_error():
    async def blocking(context: ToolContext) -> str:
        """Would block the loop."""
        return repr(context.request_approval("May I?"))

    with pytest.raises(ConfigurationError) as caught:
        from_function(blocking).run("{}", ToolContext(reviewer=AutoReviewer()))
    assert str(caught.value) == (
        "request_approval would block the event loop: await request_approval_async(…) in async functions"
    )


def test_leave_for_one_question_is_none_for_another_of_the_same_tool():
    def clean_all(context: ToolContext) -> list[str]:
        """Cleans everything."""
        return [
            type(context.request_approval(text, arguments)).__name__
            for text, arguments in [
                ("Delete a?", None),
                ("Delete a?", None),
                ("Delete b?", None),
                ("Delete a?", {"path": "a"}),
                ("Delete a?", {"path": "a"}),
                ("Delete a?", {"path": "b"}),
            ]
        ]

    reviewer = ScriptedReviewer([Continue(same_again=True), Reject(), Continue(same_again=True), Reject()])
    tool = from_function(clean_all)
    assert tool.run("{}", ToolContext(reviewer=reviewer)).structured == [
        "Continue",
        "Continue",
        "Reject",
        "Continue",
        "Continue",
        "Reject",
    ]


def test_leave_for_a_call_is_none_for_what_it_asks_itself():
    def act(context: ToolContext) -> str:
        """Acts."""
        return type(context.request_approval("Really?")).__name__

    reviewer = ScriptedReviewer([Continue(same_again=True), Reject()])
    assert from_function(act, requires_approval=True).run("{}", ToolContext(reviewer=reviewer)).output == "Reject"


def test_anything_may_be_shown_with_a_question():
    def act(context: ToolContext) -> str:
        """Acts."""
        shown = {"path": Path("a/b"), "when": {1}, "secret": SecretStr("hunter2"), "what": object(), 5: float("nan")}
        return type(context.request_approval("Really?", shown)).__name__  # type: ignore[arg-type]

    reviewer = ScriptedReviewer([Continue()])
    assert from_function(act).run("{}", ToolContext(reviewer=reviewer)) == ToolResult("Continue")
    assert reviewer.requests[0].arguments == {
        "path": "a/b",
        "when": [1],
        "secret": "**********",
        "what": "<object>",
        "5": "NaN",
    }


@pytest.mark.parametrize(
    ("answer", "text"), [(Edit("my own words"), "my own words"), (Continue(), None), (Reject("busy"), None)]
)
def test_a_tool_may_ask_for_words_whatever_the_policy_says(answer, text):
    def ask(context: ToolContext) -> str | None:
        """Asks."""
        decision = context.request_approval("Who are you?", answer_is_text=True, on_timeout="continue")
        return str(decision.arguments) if isinstance(decision, Edit) else None

    reviewer = ScriptedReviewer([answer])
    result = from_function(ask).run("{}", ToolContext(reviewer=reviewer, policy=AllowAll("--yes")))
    assert result.output == (text or "null")
    assert reviewer.requests[0].answer_is_text


def test_words_are_asked_for_every_time():
    def ask(context: ToolContext) -> list[str]:
        """Asks twice."""
        return [type(context.request_approval("Who?", answer_is_text=True)).__name__ for _ in range(2)]

    reviewer = ScriptedReviewer([Continue(same_again=True), Edit("x")])
    assert from_function(ask).run("{}", ToolContext(reviewer=reviewer)).structured == ["Continue", "Edit"]


def test_a_question_may_have_a_time_of_its_own():
    class Silent:
        async def review(self, request):
            await asyncio.Event().wait()

    def ask(context: ToolContext) -> str:
        """Asks."""
        return repr(context.request_approval("May I?", timeout=0.001, on_timeout="continue"))

    expected = repr(Reject("nobody answered within 0.001 seconds"))
    assert from_function(ask).run("{}", ToolContext(reviewer=Silent())).output == expected
