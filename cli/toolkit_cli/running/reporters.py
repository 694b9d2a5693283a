"""Reports a run while it takes place, and its outcome."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, TextIO

from toolkit.events import (
    CALLS,
    Event,
    ItemFinished,
    Listener,
    ModelChose,
    ModelFinished,
    ModelSaid,
    ModelStarted,
    Outcome,
    PipelineFinished,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    ToolFinished,
    ToolStarted,
    as_record,
)
from toolkit.runs.records import Message, ModelUse
from toolkit.visibility import disarm
from toolkit_cli import console
from toolkit_cli.failures import report
from toolkit_cli.rendering.event_lines import ASCII_MARKS, MARKS, RunProgress, Thinking
from toolkit_cli.rendering.result_texts import Format, finished_lines, rendered_result, rendered_view, usage_line
from toolkit_cli.rendering.styles import lines_of, one_line, paint
from toolkit_cli.running.tool_calls import CollectedSteps, Ending
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from types import TracebackType

    from toolkit.dialects.client_results import Received
    from toolkit_cli.rendering.live import Bars


class Speech:
    """Shows the text of the outermost agent's model; of agents among its tools, only results are shown.

    Attributes:
        last: The last reply that was shown completely.
    """

    def __init__(self, screen: Screen) -> None:
        self.last = ""
        self._screen = screen
        self._agent: str | None = None
        self._call: int | None = None
        self._thinks = False

    def begin(self) -> None:
        """Start over for the next task; the first agent that sends a model request is the outermost."""
        self.last, self._agent, self._call = "", None, None

    def handle(self, event: Event) -> None:
        match event:
            case ModelStarted() if self._agent in (None, event.run):
                self._agent, self._call = event.run, event.call
                self._screen.show(Thinking(event.model))
                self._thinks = True
            case ModelSaid() if event.call == self._call:
                self._end_thinking()
                self._screen.add(disarm(event.text))
            case ModelChose() if event.call == self._call:
                self._end_thinking()
            case ModelFinished() if event.call == self._call:
                self._end_thinking()
                self._screen.end_line()
                self.last = event.text if event.outcome == "success" else ""

    def _end_thinking(self) -> None:
        if self._thinks:
            self._thinks = False
            self._screen.show(None)


class RunReporter:
    """A listener that shows a run on the screen; thread-safe."""

    def __init__(self, screen: Screen, *, is_agent: bool = False) -> None:
        """Create a reporter.

        Args:
            screen: The screen to write to.
            is_agent: Whether this is an agent's run. On a terminal, the model's text is then shown while it arrives.
                Pipelines that the model calls are shown without a final table.
        """
        self._screen = screen
        self._is_agent = is_agent
        self._speech = Speech(screen) if is_agent and console.stderr_is_terminal() else None
        self._colour = console.stderr_has_colour()
        self._lock = threading.RLock()
        self._finished: PipelineFinished | None = None
        self._bars: Bars | None = None
        self._kept_progress: RunProgress | None = None

    @property
    def progress(self) -> "RunProgress":
        """The progress of the run."""
        if self._kept_progress is None:
            marks = MARKS if _is_unicode(sys.stderr) else ASCII_MARKS
            self._kept_progress = RunProgress(console.width(), marks)
        return self._kept_progress

    def __call__(self, event: Event) -> None:
        if isinstance(event, ToolStarted | ToolFinished):
            return
        with self._lock:
            if self._speech is not None:
                self._speech.handle(event)
            if isinstance(event, PipelineFinished) and not self._is_agent:
                self._finished = event  # the outermost pipeline finishes last
            if console.stderr_is_terminal():
                self._draw_bars(event)
            self._say(self.progress.lines_for(event))

    def has_shown(self, answer: str) -> bool:
        """Return whether this answer was just shown on the terminal that stdout also writes to."""
        seen = self._speech is not None and bool(answer.strip()) and self._speech.last.strip() == answer.strip()
        return seen and console.shown_together()

    @property
    def failed_step(self) -> str | None:
        """The path of the step that failed the pipeline; always `None` for an agent."""
        failed = self._kept_progress.failed if self._kept_progress is not None and not self._is_agent else None
        return failed.path if failed is not None else None

    def begin(self) -> None:
        """Start over for the next task of an agent."""
        self._kept_progress = None
        if self._speech is not None:
            self._speech.begin()

    def close(self) -> None:
        """Write the final table if a pipeline was run."""
        if self._finished is not None:
            self._say(self.progress.closing(self._finished))

    def _say(self, lines: "Iterable[Any]") -> None:
        for line in lines:
            self._screen.say(paint(line, colour=self._colour))

    def _draw_bars(self, event: Event) -> None:
        match event:
            case StepStarted(call=call, path=path, items=int(items)) if items > 1:
                self._bars = self._bars or _make_bars()
                self._screen.show(self._bars)
                self._bars.add(call, path, items)
            case ItemFinished() if self._bars is not None:
                self._bars.advance(event.call, event.done)
            case StepFinished() if self._bars is not None and self._bars.remove(event.call):
                self._screen.show(None)


def _is_unicode(stream: TextIO) -> bool:
    return (getattr(stream, "encoding", None) or "").lower().startswith("utf")


def _make_bars() -> "Bars":
    from toolkit_cli.rendering.live import Bars  # rich is heavy, and few runs have bars

    return Bars()


def message_channel(screen: Screen) -> Callable[[Message], None]:
    """Return a channel that shows messages from tools to the user, escaped for a terminal."""

    def show(message: Message) -> None:
        for line in lines_of(console.redactor().text(message.text)):
            screen.say(f"{message.tool}: {line}" if message.tool else line)

    return show


def write_event(event: Event) -> None:
    """Write an event to stdout as one line of JSON."""
    console.write_json(as_record(event), indent=None)


_TRACE = 5
"""The level of the specifications that models are sent."""
_FINEST = 2
"""The verbosity above which they are shown."""


def show_logs(screen: Screen, verbosity: int, *, debug: bool) -> None:
    """Show log messages of the library: from INFO with verbosity 1, DEBUG with 2 or `debug`, TRACE with 3."""
    if not (verbosity or debug):
        return
    logger = logging.getLogger("toolkit")
    logging.addLevelName(_TRACE, "TRACE")
    logger.setLevel(_TRACE if verbosity > _FINEST else logging.DEBUG if debug or verbosity > 1 else logging.INFO)
    for handler in [handler for handler in logger.handlers if isinstance(handler, _ScreenHandler)]:
        logger.removeHandler(handler)
    logger.addHandler(_ScreenHandler(screen))


class _ScreenHandler(logging.Handler):
    """Writes log records to the screen, escaped for a terminal."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._screen.say("\n".join(_lines(record)))
        except Exception:  # noqa: BLE001 - like the handlers of the standard library
            self.handleError(record)


def _lines(record: logging.LogRecord) -> list[str]:
    """Return the lines of a record without secrets: the message on one line, and the traceback below it."""
    redactor = console.redactor()
    message, details = record.getMessage(), ""
    if record.exc_info:
        details = logging.Formatter().formatException(record.exc_info)
    elif getattr(record, "has_traceback", False):
        message, _, details = message.partition("\n")
    below = [f"  {line}" for line in lines_of(redactor.text(details.rstrip()))] if details else []
    return [f"{record.levelname.lower()} {record.name}: {one_line(redactor.text(message))}", *below]


def present(
    ending: Ending,
    format: Format,
    reporter: RunReporter | None,
    collected: CollectedSteps,
    uses: Sequence[ModelUse] = (),
) -> None:
    """Write the result (unless it was shown already), the final table, finished outputs, and the problem.

    JSON results are written first, since there may be little time if the run was forced to end.
    """
    steps = [] if format == "jsonl" else collected.records()
    seen = ending.problem is None and reporter is not None and reporter.has_shown(ending.result.output)
    result = rendered_result(ending.result, format, steps, uses, for_terminal=console.data_is_terminal())
    if ending.seen is not None:
        seen, result = False, rendered_view(ending.seen, ending.result, format)
    if format != "text":
        console.write_data(result)
    if reporter is not None:
        reporter.close()
    if format == "text" and not seen:
        console.write_data(result)
    if format == "text" and reporter is not None and ending.result.remark:
        console.say(ending.result.remark)
    if format == "text" and ending.result.error is not None:
        _show_finished(steps)
    if ending.seen is not None:
        _remark(ending.seen)
    if ending.problem is not None:
        is_failure = ending.result.error_code != "exit_early"  # whoever stopped the run knows at which step
        failed = reporter.failed_step if reporter is not None and is_failure else None
        hint = f"in step '{failed}'" if failed is not None else ending.problem.hint
        report([replace(ending.problem, hint=hint)], ending.exit_code, as_json=format != "text")
    sys.stderr.flush()


def _remark(seen: "Received") -> None:
    from toolkit_cli.rendering.client_views import remarks_on  # few runs are shown as a client sees them

    for line in remarks_on(seen):
        console.say(paint(line, colour=console.stderr_has_colour()))


def present_usage(uses: Sequence[ModelUse], reporter: RunReporter | None, screen: Screen) -> None:
    """Write the usage of models, if there were requests."""
    if uses and reporter is not None:
        screen.say(usage_line(uses))
        sys.stderr.flush()


def _show_finished(steps: "Sequence[dict[str, object]]") -> None:

    for line in finished_lines(steps):
        console.say(paint(line, colour=console.stderr_has_colour()))


class RunReport:
    """Emits the start of a run, and its finish exactly once, possibly from another thread.

    Attributes:
        run: The id of the run.
    """

    def __init__(self, listener: Listener | None, target: str, run: str | None = None) -> None:
        """Prepare the report.

        Args:
            listener: Receives the events, if any.
            target: The target as the user wrote it.
            run: The id of the run; a new one if `None`.
        """
        self.run = run or os.urandom(6).hex()
        self._listener, self._target = listener, target
        self._call = 0
        self._began = perf_counter()

    def __enter__(self) -> Self:
        if self._listener is not None:
            self._call = next(CALLS)
            self._listener(RunStarted(self._call, self._target, self.run))
        return self

    def end(self, exit_code: int, error: str | None = None) -> None:
        """Emit the finish, unless it was emitted already."""
        self._finish("failure" if exit_code else "success", error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        """Emit the finish of a run that could not start, or was aborted."""
        self._finish("success" if error is None else "error", None if error is None else str(error))

    def _finish(self, outcome: Outcome, error: str | None) -> None:
        call, self._call = self._call, 0
        if self._listener is not None and call:
            seconds = perf_counter() - self._began
            self._listener(RunFinished(call, self._target, self.run, outcome=outcome, error=error, seconds=seconds))
