"""A short call gives what the whole template gives, whatever the tool does and whatever comes with the call."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.call_traces import SURROUNDINGS, trace_of
from tests.volumes import examples
from toolkit import (
    ConfigurationError,
    ExitEarlyError,
    Tool,
    ToolArgumentsError,
    ToolContext,
    ToolExecutionError,
    ToolResult,
    WrappedTool,
    from_function,
    from_object,
)
from toolkit.approvals import AutoReviewer, ByRisk
from toolkit.running import drive  # private
from toolkit.tools import TextTool
from toolkit.tools.calling import is_short, short_call  # private
from toolkit.tools.outcomes import as_result  # private
from toolkit.wrappers import OneShotTool


async def waited() -> str:
    return "waited"


WORK: list[Callable[[], Any]] = [
    lambda: "done",
    lambda: None,
    lambda: {"number": 1.5, "text": "ä"},
    object,
    lambda: ToolResult.success("data", structured=[1], artifact=b"1"),
    lambda: ToolResult.failure("no", "mine"),
    waited,
]
ERRORS: list[Callable[[], BaseException]] = [
    lambda: RuntimeError("broken"),
    lambda: KeyError("key"),
    StopIteration,
    lambda: StopIteration("value"),
    lambda: TimeoutError("too slow"),
    lambda: ConnectionRefusedError("nobody there"),
    lambda: ToolExecutionError("cannot", 503),
    lambda: ToolArgumentsError("n must not be 4", 422),
    lambda: SystemExit(3),
    KeyboardInterrupt,
    lambda: ExitEarlyError("enough"),
    lambda: ConfigurationError("set up wrongly"),
    lambda: ExceptionGroup("several", [ValueError("one")]),
]


def act(n: int) -> Any:
    """Acts.

    Args:
        n: What to do.
    """
    if n < len(WORK):
        return WORK[n]()
    error = ERRORS[n - len(WORK)]()
    raise error


def forget(n: int) -> None:
    """Acts, and returns nothing."""
    if n != WORK.index(waited):
        act(n)


class Acting:
    name = "act"
    description = "Acts."

    def execute(self, text):
        return act(int(text))


class Checking(TextTool):
    """Refuses some calls."""

    name = "check"
    execute = staticmethod(lambda text: act(int(text)))

    def check(self, parsed, context):
        if parsed == "0":
            raise ToolExecutionError("not this one")


def tool_of(kind: str, marks: dict[str, Any]) -> Tool:
    match kind:
        case "function":
            return from_function(act, **marks)
        case "nothing":
            return from_function(forget, **marks)
        case "text":
            acting = Acting()
            vars(acting).update(marks)
            return from_object(acting)[0]
        case _:
            return Checking()


class Loud(WrappedTool):
    """Adds something to the output."""

    async def perform(self, parsed, context):
        result = await self.result_from_inner(parsed, context)
        return replace(result, output=f"{result.output}!")


WRAPPERS: list[Callable[[Tool], Tool]] = [
    lambda tool: tool,
    lambda tool: tool.with_name("other"),
    lambda tool: tool.with_note("Carefully."),
    Loud,
    OneShotTool,
]

MARKS = st.sampled_from(
    [{}, {"read_only": True}, {"destructive": True}, {"requires_approval": True}, {"flow": ["reads_private"]}]
)
KINDS = st.sampled_from(["function", "nothing", "text", "checking"])
SENT = st.integers(0, len(WORK) + len(ERRORS) - 1).flatmap(
    lambda n: st.sampled_from(
        [{"n": n}, f'{{"n": {n}}}', {"input": str(n)}, f'{{"input": "{n}"}}', f"{n}", "{", {"n": "no"}, {}]
    )
)


def in_short(tool: Tool, sent: Any, context: ToolContext) -> ToolResult:
    """Make a call as a chain or a batch does, which receives only the value of some results."""
    if not is_short(tool, context):
        return tool.run(sent, context)
    return as_result(short_call(tool, gives_values=True)(sent, context))


@settings(deadline=None, max_examples=examples(2_000))
@given(
    kind=KINDS,
    marks=MARKS,
    wrap=st.sampled_from(WRAPPERS),
    sent=st.lists(SENT, min_size=1, max_size=2),
    surroundings=st.sampled_from(sorted(SURROUNDINGS)),
    level=st.sampled_from([logging.WARNING, logging.INFO, logging.DEBUG]),
)
def test_every_way_gives_the_same(kind, marks, wrap, sent, surroundings, level):
    def trace(call):
        tool = wrap(tool_of(kind, marks))

        def calls(context):
            for one in sent[:-1]:
                with suppress(BaseException):  # a signal, or the end of the program
                    call(tool, one, context)
            return call(tool, sent[-1], context)

        return trace_of(calls, SURROUNDINGS[surroundings], level)

    whole = trace(lambda tool, *given: drive(tool.call(*given)))
    assert trace(Tool.run) == whole
    assert trace(in_short) == whole


@pytest.mark.parametrize(
    ("kind", "marks", "given_", "expected"),
    [
        ("function", {}, {}, True),
        ("text", {}, {"reviewer": AutoReviewer()}, True),
        ("function", {"destructive": True}, {"policy": ByRisk()}, False),
        ("function", {"requires_approval": True}, {}, False),
        ("function", {}, {"policy": ByRisk(), "chosen_by": "model"}, False),
        ("function", {}, {"listener": print}, False),
        ("checking", {}, {}, False),
    ],
)
def test_a_call_is_short_where_nobody_is_asked_or_listens(kind, marks, given_, expected):
    assert is_short(tool_of(kind, marks), ToolContext(**given_)) is expected


def test_a_policy_that_is_put_in_its_place_judges_the_next_call():
    class Never:
        needs_arguments = False

        def judge(self, call):
            raise RuntimeError("no")

    context = ToolContext(policy=ByRisk())
    tool = from_function(act)
    assert tool.run({"n": 0}, context).text == "done"
    context.gate.policy = Never()
    assert not tool.run({"n": 0}, context).succeeded
