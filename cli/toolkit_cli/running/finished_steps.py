"""Collects the results of a run's steps, so that they can be reported however the run ends."""

import threading
from time import perf_counter
from typing import Any

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
                ending = _ending_of(event, perf_counter() - began, self._steps)
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


def _ending_of(event: Event, seconds: float, steps: dict[int, CollectedStep]) -> Event:
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
