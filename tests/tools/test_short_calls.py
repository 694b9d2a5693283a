"""A short call gives what the whole template gives, whatever the tool does and whatever comes with the call."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import (
    ConfigurationError,
    ExitEarlyError,
    Tool,
    ToolArgumentsError,
    ToolContext,
    ToolExecutionError,
    ToolResult,
    from_function,
    from_object,
)
from toolkit.approvals import AutoReviewer, ByRisk
from toolkit.running import drive  # private
from toolkit.tools import Metrics, RecordingMetrics, TextTool
from toolkit.tools.short_calls import is_short  # private


async def waited() -> str:
    return "waited"


class FailingMetrics(Metrics):
    def success(self, tool, agent):
        raise RuntimeError("not counted")


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


def outcome(call: Callable[[Tool, Any, ToolContext], ToolResult], tool: Tool, sent: Any, given: dict[str, Any]) -> Any:
    """Return everything that a call leaves behind: its result or signal, metrics, log, and what its gate knows."""
    metrics = RecordingMetrics()
    context = ToolContext(**{"metrics": metrics} | given)
    lines: list[tuple[str, str]] = []

    class Keeping(logging.Handler):
        def emit(self, record):
            lines.append((record.levelname, record.getMessage().partition(" [")[0]))

    logger, handler = logging.getLogger("toolkit"), Keeping()
    logger.addHandler(handler)
    try:
        result = call(tool, sent, context)
        came: Any = (
            result.text,
            result.error,
            result.error_code,
            result.structured,
            result.raised,
            type(result.artifact),
        )
    except BaseException as error:  # noqa: BLE001 - a signal, or the end of the program
        came = (type(error), str(error))
    finally:
        logger.removeHandler(handler)
    return came, metrics.operations(), lines, context.gate and context.gate.history.tools


MARKS = st.sampled_from([{}, {"read_only": True}, {"destructive": True}, {"requires_approval": True}])
GIVEN = st.sampled_from(
    [
        {},
        {"policy": ByRisk()},
        {"reviewer": AutoReviewer()},
        {"reviewer": AutoReviewer(), "chosen_by": "model"},
        {"strict": True},
        {"metrics": FailingMetrics()},
        {"agent": "clerk", "values": {"tenant": "acme"}},
    ]
)
KINDS = st.sampled_from(["function", "nothing", "text", "checking"])
SENT = st.integers(0, len(WORK) + len(ERRORS) - 1).flatmap(
    lambda n: st.sampled_from(
        [{"n": n}, f'{{"n": {n}}}', {"input": str(n)}, f'{{"input": "{n}"}}', f"{n}", "{", {"n": "no"}, {}]
    )
)


@settings(deadline=None, max_examples=examples(2_000))
@given(kind=KINDS, marks=MARKS, sent=SENT, given_=GIVEN, level=st.sampled_from([logging.WARNING, logging.DEBUG]))
def test_both_ways_give_the_same(kind, marks, sent, given_, level):
    logger = logging.getLogger("toolkit")
    before = logger.level
    logger.setLevel(level)
    try:
        short = outcome(Tool.run, tool_of(kind, marks), sent, given_)
        whole = outcome(lambda tool, *call: drive(tool.call(*call)), tool_of(kind, marks), sent, given_)
    finally:
        logger.setLevel(before)
    assert short == whole


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
