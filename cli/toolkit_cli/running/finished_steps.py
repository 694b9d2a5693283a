"""Finished steps: what the steps of a run have given so far, so that it is reported however the run ends."""

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
    hears_pieces,
)

ENDED = "cancelled"
"""The error of everything that was under way when a run was made to end."""
_PATIENCE = 1.0
_CLEAN_UP = "on_failure"


class KeptStep:
    """What is known of one step.

    Attributes:
        started: The event of its start.
        finished: The event of its end, once it has ended.
        items: The items that have ended, by their index, while the step itself has not ended well.
    """

    def __init__(self, started: StepStarted) -> None:
        """Keep the start."""
        self.started = started
        self.finished: StepFinished | None = None
        self.items: dict[int, ItemFinished] = {}

    def finish(self, event: StepFinished) -> None:
        """Keep the end; the output of a step that has ended well holds those of its items."""
        self.finished = event
        if event.status == "ok":
            self.items.clear()

    def ending(self, seconds: float) -> StepFinished:
        """Return the event that ends a step which is made to end after so many seconds."""
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
        """Return it as plain data, without what is never there."""
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


class KeptWork:
    """A listener that keeps what the steps give, and passes every event on until the run is over.

    Several threads may report to it. Nothing is passed on any more once it is closed: a tool that was given up may
    still run.
    """

    def __init__(self, listener: Listener | None = None) -> None:
        """Keep nothing yet; `listener` receives every event too."""
        self._listener = listener
        self.hears_pieces = hears_pieces(listener)
        self._lock = threading.RLock()
        self._is_closed = False
        self._steps: dict[int, KeptStep] = {}
        self._open: dict[tuple[type[Event], int], tuple[Event, float]] = {}

    def __call__(self, event: Event) -> None:
        """Take an event in, and pass it on."""
        with self._lock:
            if self._is_closed:
                return
            self._take(event)
            if self._listener is not None:
                self._listener(event)

    @property
    def has_steps(self) -> bool:
        """Whether any step has begun."""
        return bool(self._steps)

    def records(self) -> list[dict[str, Any]]:
        """Return the steps as plain data, in the order in which they began."""
        return [step.as_record() for step in tuple(self._steps.values())]

    @property
    def is_cleaning_up(self) -> bool:
        """Whether a step is under way that runs since something failed."""
        paths = (event.path for event, _ in tuple(self._open.values()) if isinstance(event, StepStarted))
        return any(_CLEAN_UP in path.split("/") for path in paths)

    def begin(self) -> None:
        """Forget everything: another task of an agent begins."""
        with self._lock:
            self._is_closed = False
            self._steps.clear()
            self._open.clear()

    def close(self) -> None:
        """Take in no more events, and end what is still under way, the innermost first.

        A thread that holds us up, because nobody reads what it writes, is not waited for.
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
                self._steps[event.call] = KeptStep(event)
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


def _ending_of(event: Event, seconds: float, steps: dict[int, KeptStep]) -> Event:
    """Return the event that ends what has only a start."""
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
