"""A kind of tool of one's own: what the template asks of it, and what it may say beyond doing the work."""

import asyncio
import json

import pytest

from toolkit import (
    Continue,
    Edit,
    Reject,
    Tool,
    ToolCall,
    ToolContext,
    ToolExecutionError,
    ToolResult,
    ToolSpec,
    WrappedTool,
)
from toolkit.approvals import Demand, ScriptedReviewer
from toolkit.tools import RecordingMetrics
from toolkit.tools.calls.results import AnsweredEarly  # private


class Stock(Tool):
    """Takes a number of things from a shelf; taking none is answered at once, taking many is asked about."""

    spec = ToolSpec("take", "Takes things.", {"type": "object", "properties": {"count": {"type": "integer"}}})
    suspends = False
    uses_context = False
    demands = True

    def __init__(self):
        self.taken = 0

    def parse(self, arguments):
        return int((json.loads(arguments) if isinstance(arguments, str) else arguments)["count"])

    def describe(self, parsed):
        return {"count": parsed}

    def check(self, parsed, context):
        if parsed == 0:
            raise AnsweredEarly(ToolResult("nothing to take"))
        if parsed < 0:
            raise AnsweredEarly(ToolResult.failure("less than nothing", "negative"))

    def demand(self, parsed, context):
        return Demand("the shelf", f"Take {parsed} at once?") if parsed > 5 else None

    async def perform(self, parsed, context):
        self.taken += parsed
        return f"took {parsed}"


@pytest.fixture(
    params=[lambda tool: tool, WrappedTool, lambda tool: tool.with_name("grab")], ids=["bare", "wrapped", "renamed"]
)
def take(request):
    return request.param(Stock())


def test_a_kind_of_tool_parses_describes_and_works(take):
    assert take.run({"count": 3}) == ToolResult("took 3")
    assert take.run('{"count": 3}') == ToolResult("took 3")
    assert (take.suspends, take.uses_context, take.demands) == (False, False, True)


@pytest.mark.parametrize(
    ("count", "result", "outcome"),
    [
        (0, ToolResult("nothing to take"), "success"),
        (-1, ToolResult(error="less than nothing", error_code="negative"), "failure"),
    ],
)
def test_a_check_may_answer_at_once_and_nobody_is_asked(take, count, result, outcome):
    metrics, reviewer = RecordingMetrics(), ScriptedReviewer([])
    context = ToolContext(metrics=metrics, reviewer=reviewer, chosen_by="model")
    assert take.run({"count": count}, context) == result
    assert [operation for operation, _ in metrics.operations()] == [outcome, "duration"]
    assert reviewer.requests == []


def test_a_tool_may_want_a_question_for_some_calls(take):
    reviewer = ScriptedReviewer(
        [Continue(), Reject("too many"), Edit({"count": 2}), Edit({"count": 0}), Edit({"count": -5})]
    )
    context = ToolContext(reviewer=reviewer)
    assert [take.run({"count": count}, context).text for count in (5, 6, 7, 8, 9, 10)] == [
        "took 5",
        "took 6",
        "Error: Rejected by reviewer: too many",
        "took 2",
        "nothing to take",
        "Error: less than nothing",
    ]
    assert [(request.text, request.asked_by) for request in reviewer.requests][:2] == [
        ("Take 6 at once?", "the shelf"),
        ("Take 7 at once?", "the shelf"),
    ]
    assert [reviewer.requests[0].objection({"count": count}) for count in (1, 0, -1)] == [None, None, None]


def test_the_demand_of_a_caller_comes_before_the_one_of_the_tool(take):
    reviewer = ScriptedReviewer([Continue()])

    async def main():
        return await take.call({"count": 9}, ToolContext(reviewer=reviewer), demand=Demand("step 'take'"))

    assert asyncio.run(main()) == ToolResult("took 9")
    assert [request.asked_by for request in reviewer.requests] == ["step 'take'"]


def test_a_tool_that_says_nothing_of_its_own_refuses_and_wants_nothing():
    class Bare(Tool):
        spec = ToolSpec("bare")

    bare, context = Bare(), ToolContext()
    assert (bare.preview(1, context), bare.demand(1, context)) == (None, None)
    bare.check(1, context)
    for unfinished in (lambda: bare.parse("{}"), lambda: bare.describe(1)):
        with pytest.raises(NotImplementedError):
            unfinished()
    with pytest.raises(NotImplementedError):
        asyncio.run(bare.perform(1, context))


def test_a_wrapper_may_look_at_the_result_of_the_inner_tool():
    class Loud(WrappedTool):
        async def perform(self, parsed, context):
            result = await self.result_from_inner(parsed, context)
            if not result.succeeded:
                raise ToolExecutionError("LOUD FAILURE")
            return ToolResult(result.output.upper())

    assert Loud(Stock()).run({"count": 1}) == ToolResult("TOOK 1")


def test_a_call_as_a_model_makes_it():
    assert ToolCall("take") == ToolCall("take", "{}", None)
    assert ToolCall("take", '{"count": 1}', "call_1").arguments == '{"count": 1}'
