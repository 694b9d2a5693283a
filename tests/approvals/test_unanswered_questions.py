"""What an unanswered question does: it rejects, ends the run or raises; it never lets a call run."""

import asyncio

import pytest

from toolkit import (
    ConfigurationError,
    Continue,
    Edit,
    ExitEarlyError,
    Reject,
    ReviewRequest,
    ToolContext,
    ToolResult,
    from_function,
)
from toolkit.approvals import Gate, Risk, ScriptedReviewer
from toolkit.errors import ApprovalTimeoutError
from toolkit.tools import RecordingMetrics

SOON = 0.001


class Silent:
    """A reviewer who never answers; one who is told to stop may be stubborn about it."""

    def __init__(self, after_the_end=None):
        self.after_the_end = after_the_end

    async def review(self, request):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if self.after_the_end is None:
                raise
        if isinstance(self.after_the_end, Exception):
            raise self.after_the_end
        return self.after_the_end


def in_plain_code(tool, context):
    return tool.run("{}", context)


def in_a_loop(tool, context):
    async def main():
        return await tool.call("{}", context)

    return asyncio.run(main())


both_ways = pytest.mark.parametrize("call", [in_plain_code, in_a_loop])
stubborn = pytest.mark.parametrize(
    "after_the_end", [None, Continue(), Edit({}), RuntimeError("interrupted"), "junk"], ids=repr
)


@pytest.fixture
def publish():
    """Return a tool that needs approval and, at the end, has not run."""
    ran: list[str] = []
    yield from_function(lambda: ran.append("published"), name="publish", requires_approval=True)
    assert ran == []


@both_ways
@stubborn
def test_an_unanswered_question_rejects_the_call(publish, call, after_the_end):
    result = call(publish, ToolContext(gate=Gate(Silent(after_the_end), timeout=SOON)))
    assert result == ToolResult(
        error="Rejected by reviewer: nobody answered within 0.001 seconds", error_code="rejected"
    )


@both_ways
@stubborn
def test_an_unanswered_question_ends_the_run(publish, call, after_the_end):
    metrics = RecordingMetrics()
    gate = Gate(Silent(after_the_end), timeout=SOON, on_timeout="exit_early")
    with pytest.raises(ExitEarlyError) as caught:
        call(publish, ToolContext(gate=gate, metrics=metrics))
    assert (caught.value.reason, caught.value.timed_out) == ("nobody answered within 0.001 seconds", True)
    assert metrics.records == []


@both_ways
@stubborn
def test_an_unanswered_question_raises(publish, call, after_the_end):
    gate = Gate(Silent(after_the_end), timeout=SOON, on_timeout="raise")
    with pytest.raises(ApprovalTimeoutError, match=r"nobody answered within 0\.001 seconds whether 'publish' may run"):
        call(publish, ToolContext(gate=gate))


@pytest.mark.parametrize("timeout", ["5m", -1, float("nan")])
def test_timeout_of_a_gate_is_a_number_of_seconds(timeout):
    with pytest.raises(ConfigurationError) as caught:
        Gate(Silent(), timeout=timeout)
    assert str(caught.value) == f"the timeout of a gate must be a number of seconds or None, not {timeout!r}"


def test_a_gate_never_continues_on_a_timeout():
    with pytest.raises(ConfigurationError) as caught:
        Gate(Silent(), on_timeout="continue")
    assert str(caught.value) == "a gate never continues on a timeout; use 'reject', 'exit_early' or 'raise'"


@pytest.mark.parametrize(
    ("answer_is_text", "on_timeout", "decision"),
    [
        (True, "continue", Continue()),
        (False, "continue", Reject("nobody answered within 0.001 seconds")),
        (True, "reject", Reject("nobody answered within 0.001 seconds")),
    ],
)
def test_only_a_question_for_words_may_be_continued_past(answer_is_text, on_timeout, decision):
    request = ReviewRequest("?", Risk("ask"), timeout=SOON, on_timeout=on_timeout, answer_is_text=answer_is_text)
    assert asyncio.run(Gate(Silent()).ask(request)) == decision


def test_a_question_without_a_timeout_waits_for_its_answer():
    class Slow:
        async def review(self, request):
            for _ in range(100):
                await asyncio.sleep(0)
            assert request.timeout is None
            return Continue()

    tool = from_function(lambda: "published", name="publish", requires_approval=True)
    assert tool.run("{}", ToolContext(gate=Gate(Slow(), timeout=None))).output == "published"


def test_a_late_answer_to_one_question_is_none_to_the_next():
    """The second question is put to a reviewer whose answer to the first came too late."""

    class Late:
        def __init__(self):
            self.questions = 0

        async def review(self, request):
            self.questions += 1
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Continue(same_again=True)

    late = Late()
    context = ToolContext(gate=Gate(late, timeout=SOON))
    ran = []
    tool = from_function(lambda: ran.append(1), name="publish", requires_approval=True)
    assert [tool.run("{}", context).error_code for _ in range(2)] == ["rejected", "rejected"]
    assert (late.questions, ran) == (2, [])


def test_the_timeout_of_a_question_is_that_of_its_gate():
    reviewer = ScriptedReviewer([Continue()])
    tool = from_function(lambda: "published", name="publish", requires_approval=True)
    tool.run("{}", ToolContext(gate=Gate(reviewer, timeout=7.5, on_timeout="raise")))
    assert [(request.timeout, request.on_timeout) for request in reviewer.requests] == [(7.5, "raise")]
