"""The one way a tool is called: what is recorded, told and logged, and what passes through."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

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
from toolkit.approvals import AutoReviewer
from toolkit.errors import ApprovalTimeoutError, Signal
from toolkit.events import Event, FileChanged, Progress, ToolFinished, ToolStarted
from toolkit.tools import ListenerError, Metrics, Recorded, RecordingMetrics, TextTool


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


WORK: list[Any] = [
    "done",
    RuntimeError("broken"),
    ToolResult.failure("no", "mine"),
    ToolExecutionError("cannot", 503),
    ToolArgumentsError("n must not be 4", 422),
    TimeoutError("too slow"),
    ConnectionRefusedError("nobody there"),
    KeyError("key"),
    SystemExit(3),
    SystemExit(),
    ExitEarlyError("enough"),
    ConfigurationError("set up wrongly"),
    ApprovalTimeoutError("nobody answered"),
    KeyboardInterrupt(),
    StopIteration(),
    ExceptionGroup("several", [ValueError("one")]),
    Wordless(),
    ToolExecutionError("no code of its own"),
    ToolArgumentsError("no code", None),
    RecursionError("too deep"),
    MemoryError(),
]


def act(n: int = 0) -> Any:
    """Acts."""
    work = WORK[n]
    if isinstance(work, BaseException):
        raise work
    return work


async def act_later(n: int = 0) -> Any:
    """Acts."""
    await asyncio.sleep(0)
    return act(n)


class Acting:
    name = "act"
    description = "Acts."

    def execute(self, text):
        return act(int(text))


ACT = from_function(act)
ACT_LATER = from_function(act_later)
(TEXT_ACT,) = from_object(Acting())
BY_HAND = Tool.create("act", "Acts.", {"type": "object", "properties": {"n": {"type": "integer"}}}, act)
KINDS = {"plain": ACT, "async": ACT_LATER, "text": TEXT_ACT, "by hand": BY_HAND, "wrapped": WrappedTool(ACT)}


def call_driven(tool, arguments, context):
    """Call a tool from plain code."""
    return tool.run(arguments, context)


def call_in_loop(tool, arguments, context):
    """Call a tool inside a running loop."""

    async def main():
        return await tool.call(arguments, context)

    return asyncio.run(main())


WAYS = [call_driven, call_in_loop]


def arguments_of(tool, n):
    return {"input": str(n)} if tool is TEXT_ACT else {"n": n}


OUTCOMES = [
    (0, "success", ToolResult("done")),
    (1, "error", ToolResult(error="broken", error_code="error")),
    (2, "failure", ToolResult(error="no", error_code="mine")),
    (3, "error", ToolResult(error="cannot", error_code=503)),
    (4, "failure", ToolResult(error="n must not be 4", error_code=422)),
    (5, "error", ToolResult(error="too slow", error_code="timeout")),
    (6, "error", ToolResult(error="nobody there", error_code="network")),
    (7, "error", ToolResult(error="KeyError: 'key'", error_code="error")),
    (8, "error", ToolResult(error="the tool called sys.exit(3)", error_code="error")),
    (9, "error", ToolResult(error="the tool called sys.exit()", error_code="error")),
    (14, "error", ToolResult(error="StopIteration", error_code="error")),
    (15, "error", ToolResult(error="several (1 sub-exception)", error_code="error")),
    (16, "error", ToolResult(error="Wordless", error_code="error")),
    (17, "error", ToolResult(error="no code of its own", error_code="error")),
    (18, "failure", ToolResult(error="no code", error_code="error")),
    (19, "error", ToolResult(error="too deep", error_code="error")),
    (20, "error", ToolResult(error="MemoryError", error_code="error")),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "outcome", "result"), OUTCOMES)
def test_a_call_gives_a_result_and_records_one_outcome_and_one_duration(way, kind, n, outcome, result):
    metrics, events = RecordingMetrics(), list[Event]()
    tool = KINDS[kind]
    context = ToolContext(metrics=metrics, agent="clerk", listener=events.append)
    arguments = arguments_of(tool, n)
    assert way(tool, arguments, context) == result
    name = tool.name
    counted, timed = metrics.records
    assert counted == Recorded(outcome, name, "clerk")
    assert (timed.operation, timed.tool, timed.agent) == ("duration", name, "clerk")
    assert timed.number >= 0
    started, finished = events
    assert isinstance(started, ToolStarted)
    assert isinstance(finished, ToolFinished)
    assert (started.tool, started.arguments) == (name, arguments)
    assert finished == ToolFinished(
        started.call, name, outcome, result.output, result.error, result.error_code, timed.number
    )


SIGNALS: list[tuple[int, type[BaseException]]] = [
    (10, ExitEarlyError),
    (11, ConfigurationError),
    (12, ApprovalTimeoutError),
    (13, KeyboardInterrupt),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "signal"), SIGNALS)
def test_a_signal_passes_through_is_counted_nowhere_and_has_its_finish(way, kind, n, signal):
    metrics, events = RecordingMetrics(), list[Event]()
    tool = KINDS[kind]
    context = ToolContext(metrics=metrics, listener=events.append)
    with pytest.raises(signal) as caught:
        way(tool, arguments_of(tool, n), context)
    assert type(caught.value) is signal
    assert metrics.records == []
    assert [type(event) for event in events] == [ToolStarted, ToolFinished]
    assert (events[1].call, events[1].outcome) == (events[0].call, "signal")  # type: ignore[attr-defined]


def test_bad_arguments_are_a_failure_and_the_work_is_not_begun():
    metrics, worked = RecordingMetrics(), []

    def work(n: int):
        """Works."""
        worked.append(n)

    assert from_function(work).run("{}", ToolContext(metrics=metrics)).error_code == "invalid_arguments"
    assert (metrics.operations(), worked) == ([("failure", "work"), ("duration", "work")], [])


def test_without_a_role_calls_are_tagged_as_unknown():
    metrics = RecordingMetrics()
    ACT.run("{}", ToolContext(metrics=metrics))
    assert [record.agent for record in metrics.records] == ["unknown", "unknown"]


def test_a_tool_inside_a_tool_records_before_it():
    metrics, events = RecordingMetrics(), list[Event]()

    async def outer(context: ToolContext) -> str:
        """Calls another."""
        return (await ACT.call('{"n": 1}', context)).text

    assert (
        from_function(outer).run("{}", ToolContext(metrics=metrics, listener=events.append)).output == "Error: broken"
    )
    assert metrics.operations() == [("error", "act"), ("duration", "act"), ("success", "outer"), ("duration", "outer")]
    calls = [event.call for event in events]  # type: ignore[attr-defined]
    assert (calls[0], calls[1]) == (calls[3], calls[2])
    assert calls[0] != calls[1]


def test_a_tool_counts_and_measures_for_itself():
    metrics = RecordingMetrics()

    def count(context: ToolContext) -> str:
        """Counts."""
        context.metrics.count("pages", "count", {"site": "a"})
        context.metrics.value("bytes", "count", 12.5)
        return "counted"

    from_function(count).run("{}", ToolContext(metrics=metrics))
    assert metrics.records[:2] == [
        Recorded("count", "count", name="pages", tags={"site": "a"}),
        Recorded("value", "count", name="bytes", number=12.5),
    ]
    assert metrics.operations()[2:] == [("success", "count"), ("duration", "count")]


def test_metrics_that_count_nothing_take_all_six_operations():
    nothing: Any = Metrics()
    calls: list[Callable[[], None]] = [
        lambda: nothing.success("t", "a"),
        lambda: nothing.failure("t", "a"),
        lambda: nothing.error("t", "a"),
        lambda: nothing.duration("t", "a", 1.0),
        lambda: nothing.count("m", "t"),
        lambda: nothing.value("m", "t", 1.0),
    ]
    assert [call() for call in calls] == [None] * 6


def test_a_cancelled_call_has_its_finish_and_is_counted_nowhere():
    metrics, events = RecordingMetrics(), list[Event]()

    async def wait(context: ToolContext):
        """Waits for ever."""
        context.progress("waiting", 1, 2)
        await asyncio.Event().wait()

    async def main():
        begun = asyncio.Event()

        def listener(event):
            events.append(event)
            if isinstance(event, Progress):
                begun.set()

        task = asyncio.create_task(from_function(wait).call("{}", ToolContext(metrics=metrics, listener=listener)))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert metrics.records == []
    assert [event.kind for event in events] == ["tool_started", "progress", "tool_finished"]
    finished = events[2]
    assert isinstance(finished, ToolFinished)
    assert (finished.outcome, finished.error_code, finished.output) == ("signal", "signal", "")


@pytest.mark.parametrize("kind", ["tool_started", "progress", "tool_finished"])
def test_a_listener_that_raises_is_a_signal_and_no_failure_of_the_tool(kind):
    heard: list[Event] = []

    def listener(event):
        heard.append(event)
        if event.kind == kind:
            raise ValueError("no more room")

    def report(context: ToolContext) -> str:
        """Reports."""
        context.progress("half way")
        return "done"

    with pytest.raises(ListenerError, match=f"the listener failed on '{kind}': no more room") as caught:
        from_function(report).run("{}", ToolContext(listener=listener))
    assert isinstance(caught.value, Signal)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_signal_of_a_listener_passes_as_it_is():
    def listener(event):
        raise ExitEarlyError("seen enough")

    with pytest.raises(ExitEarlyError, match="seen enough"):
        ACT.run("{}", ToolContext(listener=listener))


def test_a_tool_tells_progress_and_changed_files_under_its_own_name():
    events: list[Event] = []

    def write(context: ToolContext) -> str:
        """Writes."""
        context.progress("writing", 1, 2)
        context.file_changed("out/a.md", "modified", 3, 1)
        return "written"

    tool = from_function(write).with_name("save")
    tool.run("{}", ToolContext(listener=events.append))
    assert events[1:3] == [Progress("save", "writing", 1, 2, None), FileChanged("save", "out/a.md", "modified", 3, 1)]
    assert tool.run("{}", ToolContext()).output == "written"


def messages(caplog):
    return [(record.name, record.levelname, record.getMessage().partition(" [")[0]) for record in caplog.records]


def test_calls_are_logged_at_their_levels_by_the_logger_of_the_tool(caplog):
    with caplog.at_level(logging.INFO):
        ACT.run('{"n": 0}')
        ACT.run('{"n": 1}')
        ACT.run('{"n": "x"}')
        with pytest.raises(ConfigurationError):
            ACT.run('{"n": 11}')
        with pytest.raises(ExitEarlyError):
            ACT.run('{"n": 10}')
    name = "toolkit.tools.act"
    assert messages(caplog) == [
        (name, "INFO", 'act({"n": 0}) -> done'),
        (name, "WARNING", 'act({"n": 1}) -> Error: broken'),
        (name, "WARNING", 'act({"n": "x"}) -> Error: Invalid parameter \'n\': must be a whole number, not "x"'),
        (name, "ERROR", "act: set up wrongly"),
    ]
    assert caplog.records[0].getMessage().endswith(" ms, about 1 token]")


def test_long_text_is_cut_in_the_log_but_whole_for_debugging(caplog):
    def echo(text: str) -> str:
        """Says it again."""
        return text

    arguments = f'{{"text": "{"x" * 500}"}}'
    with caplog.at_level(logging.DEBUG, logger="toolkit.tools.echo"):
        from_function(echo).run(arguments)
    assert messages(caplog) == [
        ("toolkit.tools.echo", "INFO", f"echo({arguments[:200]}...) -> {'x' * 200}..."),
        ("toolkit.tools.echo", "DEBUG", f"echo({arguments}) -> {'x' * 500}"),
    ]


def test_what_was_raised_is_logged_with_its_traceback_for_debugging(caplog):
    with caplog.at_level(logging.DEBUG, logger="toolkit.tools.act"):
        ACT.run('{"n": 1}')
    (raised,) = [record for record in caplog.records if record.exc_info]
    assert (raised.levelname, raised.getMessage()) == ("DEBUG", "act raised")
    assert raised.exc_info is not None
    assert isinstance(raised.exc_info[1], RuntimeError)


def test_a_renamed_tool_is_logged_under_its_new_name_and_hands_its_logger_on(caplog):
    def say(context: ToolContext) -> str:
        """Says something."""
        context.logger.warning("said")
        return context.logger.name

    assert from_function(say).with_name("speak").run().output == "toolkit.tools.speak"
    assert [record.name for record in caplog.records] == ["toolkit.tools.speak"]
    assert ToolContext().logger.name == "toolkit.tools"


def test_without_handlers_the_library_is_silent():
    (handler,) = logging.getLogger("toolkit").handlers
    assert isinstance(handler, logging.NullHandler)


def test_a_tool_may_have_attributes_of_its_own_by_any_common_name():
    class Eager(TextTool):
        name, description = "eager", "Has much of its own."

        def __init__(self):
            self.logger = self.inner = self.secrets = self.function = self.waits = object()

        def execute(self, text):
            return text

    assert Eager().run("x", ToolContext(reviewer=AutoReviewer(), listener=lambda event: None)) == ToolResult("x")
