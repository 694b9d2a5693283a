"""Limits: how long a tool may take, how much it may give, how often it may be called."""

import asyncio

import pytest

from toolkit import ConfigurationError, Continue, ToolContext, ToolResult, from_function
from toolkit.approvals import ScriptedReviewer
from toolkit.runs import Run
from toolkit.wrappers import limited


def repeat(text: str, times: int) -> str:
    """Repeat a text."""
    return text * times


def numbers() -> list[int]:
    """Give numbers."""
    return [1, 2, 3]


async def hang() -> str:
    """Never end."""
    await asyncio.Event().wait()
    return "never"


def counted(calls=2, **options):
    return limited(from_function(numbers, **options), calls=calls)


EXHAUSTED = ToolResult("", "'numbers' may be called only 2 times here; do not call it again", "limit")


def test_a_tool_that_takes_too_long_is_ended():
    result = limited(from_function(hang), seconds=0.01).run()
    assert (result.error, result.error_code) == ("timed out after 10ms", "timeout")


def test_of_a_long_output_the_beginning_is_kept():
    tool = limited(from_function(repeat), characters=10)
    assert tool.run({"text": "ab", "times": 5}).output == "ababababab"
    assert tool.run({"text": "ab", "times": 6}).output == "ababababab\n... [truncated, 10 of 12 characters shown]"


def test_programs_get_the_whole_of_a_shortened_result():
    result = limited(from_function(numbers), characters=2).run()
    assert result == ToolResult("[1\n... [truncated, 2 of 7 characters shown]", None, None, [1, 2, 3], [1, 2, 3])


def test_a_long_error_is_shortened_too():
    def fail() -> ToolResult:
        """Fail."""
        return ToolResult.failure("x" * 100, "mine")

    result = limited(from_function(fail), characters=3).run()
    assert (result.error, result.error_code) == ("xxx\n... [truncated, 3 of 100 characters shown]", "mine")


def test_calls_are_counted_in_each_loop():
    tool = counted()
    for loop in ("a", "b"):
        context = ToolContext(loop_id=loop, run=Run())
        assert [tool.run({}, context).succeeded for _ in range(3)] == [True, True, False]
        assert tool.run({}, context) == EXHAUSTED


def test_outside_of_loops_calls_are_counted_in_each_run_and_else_altogether():
    tool = counted()
    for context in (ToolContext(run=Run()), ToolContext(run=Run()), ToolContext()):
        assert [tool.run({}, context).succeeded for _ in range(3)] == [True, True, False]


def test_calls_of_two_limited_tools_are_counted_apart():
    first, second = counted(1), counted(1)
    assert [first.run().succeeded, second.run().succeeded, first.run().succeeded] == [True, True, False]
    assert first.run().error == "'numbers' may be called only once here; do not call it again"


def test_nobody_is_asked_about_a_call_too_many_and_a_refused_call_does_not_count():
    from toolkit import Reject

    reviewer = ScriptedReviewer([Reject("no"), Continue(), Continue()])
    tool, context = counted(1, requires_approval=True), ToolContext(reviewer=reviewer)
    assert [tool.run({}, context).error_code for _ in range(3)] == ["rejected", None, "limit"]
    assert len(reviewer.requests) == 2


def test_of_calls_at_the_same_time_only_as_many_as_allowed_run():
    started = []

    async def slow() -> str:
        """Take a while."""
        started.append(1)
        await asyncio.sleep(0)
        return "done"

    async def all_at_once():
        tool = limited(from_function(slow), calls=3)
        return await asyncio.gather(*(tool.call() for _ in range(8)))

    results = asyncio.run(all_at_once())
    assert (sum(result.succeeded for result in results), len(started)) == (3, 3)


def test_limits_go_together():
    tool = limited(from_function(repeat), seconds=5, characters=1, calls=1)
    outputs = [tool.run({"text": "ab", "times": 1}).text for _ in range(2)]
    assert outputs == [
        "a\n... [truncated, 1 of 2 characters shown]",
        "Error: 'repeat' may be called only once here; do not call it again",
    ]


@pytest.mark.parametrize("limit", [{"seconds": 0}, {"characters": -1}, {"calls": 0}])
def test_a_limit_is_above_zero(limit):
    [name] = limit
    with pytest.raises(ConfigurationError, match=f"the limit of {name} must be above zero"):
        limited(from_function(numbers), **limit)
