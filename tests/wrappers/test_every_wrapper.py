"""What every wrapper owes: context, hints and return behaviour come through, facades unfold, questions are asked once."""

import asyncio
import importlib
import pkgutil
from typing import Annotated

import pytest

import toolkit
from toolkit import (
    Continue,
    Edit,
    MemoryId,
    Pipeline,
    Reject,
    Tool,
    ToolContext,
    ToolResult,
    WrappedTool,
    from_function,
    tool,
)
from toolkit.agents.kinds import ClosedTool  # private
from toolkit.approvals import ScriptedReviewer
from toolkit.cases.stubs import StubbedTool  # private
from toolkit.disclosure import UnfoldingTool
from toolkit.disclosure.progressive import GuideTool  # private
from toolkit.pipelines import Retry
from toolkit.pipelines.builder import PlainStepTool  # private
from toolkit.pipelines.retrying import RetriedTool  # private
from toolkit.runs import Run
from toolkit.testing.calling import WatchedTool  # private
from toolkit.tools import RecordingMetrics, RedescribedTool, innermost
from toolkit.wrappers import (
    ArtifactSinkingTool,
    BudgetedTool,
    ConfirmedTool,
    CountedTool,
    ListSink,
    OneShotTool,
    ReplanningTool,
    ShortenedTool,
    TimedTool,
)
from toolkit.wrappers.journaling import JournaledTool  # private

WRAPPERS = {
    RedescribedTool: lambda inner: inner.with_note("Carefully."),
    ArtifactSinkingTool: lambda inner: ArtifactSinkingTool(inner, ListSink()),
    ConfirmedTool: lambda inner: ConfirmedTool(inner, lambda arguments: None),
    CountedTool: lambda inner: CountedTool(inner, 5),
    BudgetedTool: lambda inner: BudgetedTool(inner, 10_000),
    ShortenedTool: lambda inner: ShortenedTool(inner, 10_000),
    OneShotTool: lambda inner: OneShotTool(inner, "Go on."),
    ReplanningTool: lambda inner: ReplanningTool(inner, lambda result, context: None),
    JournaledTool: JournaledTool,
    TimedTool: lambda inner: TimedTool(inner, 30.0),
    RetriedTool: lambda inner: RetriedTool(inner, Retry(1, 0.0)),
    PlainStepTool: PlainStepTool,
    WatchedTool: WatchedTool,
}

CLOSING = {ClosedTool, StubbedTool}
"""What goes round a tool to keep every call from it; their own tests say how."""

GUIDING = {GuideTool}
"""What stands in the place of a facade and leads to the tools behind it; the tests of facades say how."""


@tool(
    return_behavior="immediate_if_last",
    read_only=True,
    idempotent=True,
    open_world=False,
    category="lookups",
    strict=True,
    metadata={"anthropic": {"cache": True}},
)
def look_up(customer: int, context: ToolContext, user: Annotated[str, MemoryId]) -> str:
    """Look a customer up."""
    return f"{customer} of {context['tenant']} for {user} in {context.loop_id}, run {context.run.id}, {context.tool}"


@tool
async def look_up_later(customer: int, context: ToolContext) -> str:
    """Look a customer up."""
    await asyncio.sleep(0)
    return f"{customer} of {context['tenant']}"


@tool(requires_approval=True)
def delete(customer: int) -> str:
    """Delete a customer."""
    return f"deleted {customer}"


CONTEXT = ToolContext({"tenant": "acme"}, memory_id="ada", loop_id="l1", run=Run(id="r1"))

each_wrapper = pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=[kind.__name__ for kind in WRAPPERS])


def test_every_wrapper_of_the_library_is_tested_here():
    for module in pkgutil.walk_packages(toolkit.__path__, "toolkit."):
        importlib.import_module(module.name)
    kinds, waiting = set(), [WrappedTool]
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        waiting += subclasses
        kinds |= {kind for kind in subclasses if kind.__module__.startswith("toolkit.")}
    assert {kind.__name__ for kind in kinds - set(WRAPPERS) - CLOSING - GUIDING} == set()


@each_wrapper
def test_the_context_reaches_the_tool(wrap):
    wrapped = wrap(from_function(look_up))
    expected = "7 of acme for ada in l1, run r1, look_up"
    assert wrapped.run({"customer": 7}, CONTEXT).output == expected
    assert asyncio.run(wrapped.call('{"customer": 7}', CONTEXT.replace(loop_id="l1"))).succeeded


@each_wrapper
def test_the_context_reaches_an_async_tool(wrap):
    assert wrap(from_function(look_up_later)).run({"customer": 7}, CONTEXT).output == "7 of acme"


@each_wrapper
def test_the_context_reaches_a_tool_in_a_pipeline_in_a_wrapper(wrap):
    def chain(name, step):
        built = Pipeline.builder().name(name).description("Looks up.").inputs({"customer": {"type": "integer"}})
        return wrap(built.step(step, arguments={"customer": "${{ inputs.customer }}"}).build())

    result = chain("outer", chain("inner", wrap(from_function(look_up_later)))).run({"customer": 7}, CONTEXT)
    assert result.output == "7 of acme"


@each_wrapper
def test_wrappers_round_wrappers_hand_everything_on(wrap):
    wrapped = from_function(look_up)
    for other in WRAPPERS.values():
        wrapped = wrap(other(wrapped))
    assert wrapped.run({"customer": 7}, CONTEXT).output == "7 of acme for ada in l1, run r1, look_up"
    assert innermost(wrapped).name == "look_up"


@each_wrapper
def test_hints_and_return_behaviour_survive(wrap):
    plain = from_function(look_up)
    wrapped = wrap(plain)
    changed = {
        field: (getattr(plain.spec, field), getattr(wrapped.spec, field))
        for field in plain.spec.__dataclass_fields__
        if getattr(plain.spec, field) != getattr(wrapped.spec, field)
    }
    if isinstance(wrapped, RedescribedTool):
        assert changed == {"description": ("Look a customer up.", "Look a customer up. Carefully.")}
    else:
        assert changed == {}
    assert wrapped.spec.return_behavior == "immediate_if_last"
    assert (wrapped.pipe, wrapped.uses_context) == (plain.pipe, plain.uses_context)


@each_wrapper
def test_a_question_is_asked_once_and_an_edit_reaches_the_tool(wrap):
    reviewer = ScriptedReviewer([Edit({"customer": 8})])
    assert wrap(from_function(delete)).run({"customer": 7}, ToolContext(reviewer=reviewer)).output == "deleted 8"
    assert [request.text for request in reviewer.requests] == ["Run delete?"]


@each_wrapper
def test_a_refusal_stops_the_work(wrap):
    reviewer = ScriptedReviewer([Reject("no")])
    result = wrap(from_function(delete)).run({"customer": 7}, ToolContext(reviewer=reviewer))
    assert (result.error, result.error_code) == ("Rejected by reviewer: no", "rejected")


@each_wrapper
def test_a_facade_inside_still_unfolds(wrap):
    facade = UnfoldingTool.of("customers", "Customer operations.", [look_up, delete])
    result = wrap(facade).run({}, ToolContext(reviewer=ScriptedReviewer([Continue()])))
    assert [each.name for each in result.artifact.tools] == ["look_up", "delete"]


@each_wrapper
def test_the_kind_of_result_of_the_inner_tool_is_kept(wrap):
    def nothing() -> None:
        """Do nothing."""

    def numbers() -> list[int]:
        """Give numbers."""
        return [1, 2]

    assert wrap(from_function(nothing)).run().output == "Success"
    assert wrap(from_function(numbers)).run() == ToolResult("[1,2]", structured=[1, 2], artifact=[1, 2])


@each_wrapper
def test_the_metrics_count_the_call_once(wrap):
    metrics = RecordingMetrics()
    wrap(from_function(look_up)).run({"customer": 7}, CONTEXT.replace(metrics=metrics))
    assert metrics.operations() == [("success", "look_up"), ("duration", "look_up")]


def test_wrappers_are_tools_everywhere():
    wrapped: Tool = OneShotTool(from_function(look_up))
    assert toolkit.resolve_tools([wrapped]) == {"look_up": wrapped}
