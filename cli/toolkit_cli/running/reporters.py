"""Listeners that show a run's events on the screen, or write them to stdout as JSON."""

import sys
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

from toolkit.events import (
    Event,
    ItemFinished,
    PipelineFinished,
    StepFinished,
    StepStarted,
    ToolFinished,
    ToolStarted,
    as_record,
)
from toolkit.runs.records import Message
from toolkit_cli import console
from toolkit_cli.rendering.escaping import lines_of
from toolkit_cli.rendering.styles import paint
from toolkit_cli.running.speech import Speech
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit_cli.rendering.events import RunProgress
    from toolkit_cli.rendering.live import Bars

Listener = Callable[[Event], None]


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
            from toolkit_cli.rendering.events import ASCII_MARKS, MARKS, RunProgress  # noqa: PLC0415 - a single call needs none of it

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
    from toolkit_cli.rendering.live import Bars  # noqa: PLC0415 - rich is heavy, and few runs have bars

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
