"""Calls a tool from the command line, collects the results of its steps, and determines how the call ended."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.errors import ApprovalPending, BudgetExceeded, ExitEarlyError, TerminationRequested
from toolkit.events import (
    AgentFinished,
    AgentStarted,
    Event,
    ItemFinished,
    Listener,
    ModelFinished,
    ModelStarted,
    PipelineFinished,
    PipelineStarted,
    StepFinished,
    StepStarted,
    ToolFinished,
    ToolStarted,
    wants_pieces,
)
from toolkit.problems import Problem
from toolkit.runs.records import ChangedInput, JournalError
from toolkit.tools.base import Tool
from toolkit.tools.calls.call_limits import LocalLimits
from toolkit.tools.calls.foreign_values import describe_error
from toolkit.tools.calls.results import NO_MESSAGE, ToolResult
from toolkit.tools.context import ToolContext
from toolkit_cli.arguments.assignments import object_in
from toolkit_cli.failures import ExitCode
from toolkit_cli.running.watchdog import ForcedEnd, Interrupts, Watched

if TYPE_CHECKING:
    from toolkit.dialects.client_results import Received
    from toolkit.stores.recorded_runs import State
    from toolkit.tools.calls.call_limits import Limit, Limiter


ENDED = "cancelled"
"""The error of all steps and calls that were still running when a run was forced to end."""
_PATIENCE = 1.0
_CLEAN_UP = "on_failure"


class CollectedStep:
    """The recorded events of a step.

    Attributes:
        started: The event of its start.
        finished: The event of its end; `None` while it is running.
        items: The finished items by index; empty once the step has succeeded.
    """

    def __init__(self, started: StepStarted) -> None:
        self.started = started
        self.finished: StepFinished | None = None
        self.items: dict[int, ItemFinished] = {}

    def finish(self, event: StepFinished) -> None:
        """Record the end; items are dropped if the step succeeded, since its output contains theirs."""
        self.finished = event
        if event.status == "ok":
            self.items.clear()

    def ending(self, seconds: float) -> StepFinished:
        """Return the event for a step that is forced to end after this many seconds."""
        started = self.started
        skipped = [_skip(item) for _, item in sorted(self.items.items()) if item.error is not None]
        return StepFinished(
            started.call,
            started.path,
            position=started.position,
            of=started.of,
            tool=started.tool,
            status="ended",
            output="",
            error=ENDED,
            error_code="signal",
            attempts=0,
            asked=0,
            continued=False,
            items=started.items,
            skipped=skipped,
            seconds=seconds,
        )

    def as_record(self) -> dict[str, Any]:
        """Return the step as plain data."""
        end = self.finished or self.ending(0.0)
        record = {
            "id": end.path.rpartition("/")[2],
            "path": end.path,
            "tool": end.tool,
            "status": end.status,
            "attempts": end.attempts,
            "seconds": end.seconds,
            "output": end.output,
            "error": end.error,
            "error_code": end.error_code,
        }
        return record if end.items is None else record | {"items": self._items(end, end.items)}

    def _items(self, end: StepFinished, of: int) -> dict[str, Any]:
        done = [item for _, item in sorted(self.items.items()) if item.error is None]
        finished = of - len(end.skipped) if end.status == "ok" else len(done)
        shown = [{"index": item.index, "item": item.item, "output": item.output} for item in done]
        return {"of": of, "done": finished, "skipped": end.skipped, "kept": shown}


class CollectedSteps:
    """A listener that collects the results of steps, and passes every event on until the run is over.

    It is thread-safe. Once closed, it passes no events on, since abandoned tools may still be running.
    """

    def __init__(self, listener: Listener | None = None) -> None:
        """Create a listener.

        Args:
            listener: Receives every event too.
        """
        self._listener = listener
        self.wants_pieces = wants_pieces(listener)
        self._lock = threading.RLock()
        self._is_closed = False
        self._steps: dict[int, CollectedStep] = {}
        self._open: dict[tuple[type[Event], int], tuple[Event, float]] = {}

    def __call__(self, event: Event) -> None:
        """Process an event, and pass it on."""
        with self._lock:
            if self._is_closed:
                return
            self._take(event)
            if self._listener is not None:
                self._listener(event)

    @property
    def has_steps(self) -> bool:
        """Whether any step has started."""
        return bool(self._steps)

    def records(self) -> list[dict[str, Any]]:
        """Return the steps as plain data, in the order in which they started."""
        return [step.as_record() for step in tuple(self._steps.values())]

    @property
    def is_cleaning_up(self) -> bool:
        """Whether a clean-up step is running after a failure."""
        paths = (event.path for event, _ in tuple(self._open.values()) if isinstance(event, StepStarted))
        return any(_CLEAN_UP in path.split("/") for path in paths)

    def begin(self) -> None:
        """Start over for the next task of an agent."""
        with self._lock:
            self._is_closed = False
            self._steps.clear()
            self._open.clear()

    def close(self) -> None:
        """Stop accepting events, and emit final events for everything that is still running, innermost first.

        A thread that blocks while it writes output that nobody reads is not waited for.
        """
        ours = self._lock.acquire(timeout=_PATIENCE)
        try:
            if self._is_closed:
                return
            self._is_closed = True
            for event, began in reversed(tuple(self._open.values())):
                ending = _end_of(event, perf_counter() - began, self._steps)
                self._take(ending)
                if self._listener is not None and ours:
                    self._listener(ending)
        finally:
            if ours:
                self._lock.release()

    def _take(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._steps[event.call] = CollectedStep(event)
            case ItemFinished() if event.call in self._steps:
                self._steps[event.call].items[event.index] = event
            case StepFinished() if event.call in self._steps:
                self._steps[event.call].finish(event)
        if isinstance(event, _STARTS):
            self._open[(_ENDS[type(event)], event.call)] = (event, perf_counter())
        elif isinstance(event, _FINISHES):
            self._open.pop((type(event), event.call), None)


_ENDS: dict[type[Event], type[Event]] = {
    ToolStarted: ToolFinished,
    StepStarted: StepFinished,
    PipelineStarted: PipelineFinished,
    ModelStarted: ModelFinished,
    AgentStarted: AgentFinished,
}
_STARTS = (ToolStarted, StepStarted, PipelineStarted, ModelStarted, AgentStarted)
_FINISHES = (ToolFinished, StepFinished, PipelineFinished, ModelFinished, AgentFinished)


def _skip(item: ItemFinished) -> dict[str, Any]:
    return {"index": item.index, "item": item.item, "error": item.error, "error_code": item.error_code}


def _end_of(event: Event, seconds: float, steps: dict[int, CollectedStep]) -> Event:
    """Return the final event for something that has started but not finished."""
    match event:
        case StepStarted():
            return steps[event.call].ending(seconds)
        case PipelineStarted():
            return PipelineFinished(event.call, event.pipeline, "signal", ENDED, seconds)
        case AgentStarted():
            call, agent, model, run = event.call, event.agent, event.model, event.run
            return AgentFinished(call, agent, model, run, outcome="signal", error=ENDED, seconds=seconds)
        case ToolStarted():
            return ToolFinished(
                event.call, event.tool, outcome="signal", output="", error=ENDED, error_code="signal", seconds=seconds
            )
        case ModelStarted():
            return ModelFinished(
                event.call,
                event.model,
                agent=event.agent,
                run=event.run,
                turn=event.turn,
                outcome="signal",
                text="",
                calls=0,
                cut=True,
                input_tokens=0,
                output_tokens=0,
                cost=None,
                error=ENDED,
                seconds=seconds,
            )
    raise TypeError(event)


_CODES = {"rejected": ExitCode.APPROVAL, "in_doubt": ExitCode.APPROVAL, "timeout": ExitCode.TIMED_OUT}
_HINTS = {
    "too_large": "return less from it, or raise `result_tokens`, in its @tool(…) or under [defaults] in toolkit.toml"
}
_SIGNAL_OFFSET = 128


class Ending(NamedTuple):
    """How a call ended.

    Attributes:
        result: The result; for a cancelled call, a failure with the reason.
        exit_code: The exit code of the command.
        problem: The problem to report on stderr; `None` if the call succeeded.
        pending: The pending approvals, if any.
        seen: What the model of a client receives of the result, with `--as`.
    """

    result: ToolResult
    exit_code: int
    problem: Problem | None = None
    pending: ApprovalPending | None = None
    seen: "Received | None" = None

    @property
    def is_complete(self) -> bool:
        """Whether the call succeeded."""
        return self.exit_code == ExitCode.SUCCESS

    @property
    def state(self) -> "State":
        """The state of the recorded run."""
        if self.pending is not None:
            return "waiting"
        return "completed" if self.is_complete else "interrupted" if self.exit_code >= _SIGNAL_OFFSET else "failed"


def call_tool(
    tool: Tool,
    arguments: Mapping[str, Any],
    context: ToolContext,
    collected: CollectedSteps,
    show: Callable[[Ending], None],
) -> int:
    """Call a tool, show how the call ended, and return the exit code.

    Args:
        tool: The tool.
        arguments: Its arguments.
        context: The context of the call, with `collected` as its listener.
        collected: Collects the results of steps.
        show: Shows the outcome and the collected results; called in another thread if the call is forced to end.

    Raises:
        ConfigurationError: If the configuration is invalid; finished steps are shown first.
    """
    return end_run(lambda: tool.run(arguments, context), collected, show)


def end_run(work: Callable[[], ToolResult], collected: CollectedSteps, show: Callable[[Ending], None]) -> int:
    """Run work, show how it ended, and return the exit code.

    Args:
        work: Runs, and returns a result.
        collected: Collects the results of steps.
        show: Shows the outcome and the collected results; called in another thread if the work is forced to end.

    Raises:
        ConfigurationError: If the configuration is invalid; finished steps are shown first.
    """

    def give_up(end: ForcedEnd) -> None:
        collected.close()
        show(_forced(end))

    watched = Watched(lambda end: _forced(end).exit_code, give_up, lambda: collected.is_cleaning_up)
    with Interrupts(watched) as interrupts:
        try:
            ending = _ending(work, interrupts)
        except Exception as error:
            interrupts.over()
            collected.close()
            if collected.has_steps:
                show(Ending(ToolResult.failure(str(error), "error"), ExitCode.OUR_BUG))
            raise
        interrupts.over()
        collected.close()
        show(ending)
    return ending.exit_code


def _ending(work: Callable[[], ToolResult], interrupts: Interrupts) -> Ending:
    try:
        return ending_of(work)
    except KeyboardInterrupt:
        return _ended("interrupted", "interrupted", interrupts.exit_code)


def ending_of(work: Callable[[], ToolResult]) -> Ending:
    """Run work that returns a result, and return how it ended.

    Raises:
        ConfigurationError: If the configuration is invalid.
        KeyboardInterrupt: If it is interrupted.
    """
    try:
        return _ending_of(work())
    except ExitEarlyError as ending:
        if ending.interrupted:
            raise KeyboardInterrupt from ending
        return _ended(ending.reason, "exit_early", ExitCode.APPROVAL)
    except ApprovalPending as pending:
        return _ended(str(pending), "waiting", ExitCode.APPROVAL)._replace(pending=pending)
    except (BudgetExceeded, JournalError) as ending:
        exit_code = ExitCode.APPROVAL if isinstance(ending, ChangedInput) else ExitCode.FINDINGS
        return _ended(str(ending), "budget" if isinstance(ending, BudgetExceeded) else "journal", exit_code)
    except TerminationRequested as ending:
        return _ended(f"the run was ended: {ending.reason}", "terminated", ExitCode.FINDINGS)
    except GeneratorExit as error:
        return _ended(describe_error(error), "error", ExitCode.FINDINGS)


def _ending_of(result: ToolResult) -> Ending:
    if result.error is None:
        return Ending(result, ExitCode.SUCCESS)
    exit_code = _CODES.get(str(result.error_code), ExitCode.FINDINGS)
    message = result.error if result.error.strip() else NO_MESSAGE
    if (raised := result.raised) is None:
        return Ending(result, exit_code, Problem("", message, hint=_HINTS.get(str(result.error_code))))
    return Ending(result, exit_code, Problem("", raised.named_in(message), raised.place))


def with_hint_on_json(ending: Ending, tool: Tool, words: Iterable[str]) -> Ending:
    """Add a hint to a text tool's failure if its message shows that it received a JSON object as its text.

    The message must quote the text or its first character, since a tool that expects JSON may fail for other reasons.
    """
    problem = ending.problem
    if tool.pipe != "text" or problem is None or problem.hint or "'{" not in problem.message:
        return ending
    if not any(object_in(word) for word in words):
        return ending
    hint = f"the whole JSON object was passed as {', '.join(tool.spec.required)!r}; pass only the text"
    return ending._replace(problem=replace(problem, hint=hint))


def _forced(end: ForcedEnd) -> Ending:
    if end.message:
        return _ended(end.message, "timeout", ExitCode.TIMED_OUT)
    return _ended("interrupted", "interrupted", _SIGNAL_OFFSET + end.signal)


def _ended(reason: str, code: str, exit_code: int) -> Ending:
    return Ending(ToolResult.failure(reason, code), exit_code, Problem("", reason))


def limiter_of(limits: "Mapping[str, Limit]") -> "Limiter | None":
    """Return the limiter for calls of this process; `None` if there are no limits."""
    if not limits:
        return None

    return LocalLimits(limits)
