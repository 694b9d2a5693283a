"""What happened while something ran.

A context's listener is told; rendering, audit and progress fold the same stream. With nobody listening no event is
made. Every `…Started` has exactly one `…Finished` with the same `call`, on signals too. Times are seconds. All values
are plain data, so that `as_record` gives what `--format jsonl` prints.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

Outcome = Literal["success", "failure", "error", "signal"]
StepStatus = Literal["ok", "failed", "skipped", "rejected", "timed_out", "ended"]


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events."""

    kind: ClassVar[str] = "event"


Listener = Callable[[Event], None]


def as_record(event: Event) -> dict[str, Any]:
    """Return an event as plain data with its kind under `event`."""
    return {"event": event.kind} | {field.name: getattr(event, field.name) for field in fields(event)}


@dataclass(frozen=True, slots=True)
class ToolStarted(Event):
    """A call of a tool begins, with the arguments as they came; stars stand for secrets."""

    kind: ClassVar[str] = "tool_started"
    call: int
    tool: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class ToolFinished(Event):
    """A tool has ended, well or not; `seconds` leaves out the waiting for a person."""

    kind: ClassVar[str] = "tool_finished"
    call: int
    tool: str
    outcome: Outcome
    output: str
    error: str | None
    error_code: str | int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class ApprovalAsked(Event):
    """A reviewer is being asked whether a call may run."""

    kind: ClassVar[str] = "approval_asked"
    tool: str
    arguments: Any
    asked_by: str


@dataclass(frozen=True, slots=True)
class ApprovalDecided(Event):
    """A question was answered, or a rule or flag answered it beforehand (`by` says who)."""

    kind: ClassVar[str] = "approval_decided"
    tool: str
    decision: Literal["continue", "edit", "reject", "exit_early"]
    by: str
    reason: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class FileChanged(Event):
    """A tool has created, changed or deleted a file."""

    kind: ClassVar[str] = "file_changed"
    tool: str
    path: str
    change: Literal["created", "modified", "deleted"]
    lines_added: int
    lines_removed: int


@dataclass(frozen=True, slots=True)
class PipelineStarted(Event):
    """A pipeline begins."""

    kind: ClassVar[str] = "pipeline_started"
    call: int
    pipeline: str
    steps: int


@dataclass(frozen=True, slots=True)
class PipelineFinished(Event):
    """A pipeline has ended, well or not."""

    kind: ClassVar[str] = "pipeline_finished"
    call: int
    pipeline: str
    outcome: Outcome
    error: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class StepStarted(Event):
    """A step begins; `path` tells steps of branches and nested pipelines apart (`report/label`)."""

    kind: ClassVar[str] = "step_started"
    call: int
    path: str
    position: int
    of: int
    tool: str | None
    items: int | None


@dataclass(frozen=True, slots=True)
class StepFinished(Event):
    """A step has ended; a skipped step has a start and a finish too."""

    kind: ClassVar[str] = "step_finished"
    call: int
    path: str
    position: int
    of: int
    tool: str | None
    status: StepStatus
    output: str
    error: str | None
    error_code: str | int | None
    attempts: int
    asked: int
    continued: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class StepRetried(Event):
    """An attempt failed and another follows after `delay` seconds."""

    kind: ClassVar[str] = "step_retried"
    call: int
    path: str
    attempt: int
    error: str
    delay: float


@dataclass(frozen=True, slots=True)
class ItemFinished(Event):
    """One item of a `for_each` step has ended."""

    kind: ClassVar[str] = "item_finished"
    call: int
    path: str
    index: int
    done: int
    of: int
    status: StepStatus
    error: str | None


@dataclass(frozen=True, slots=True)
class ModelStarted(Event):
    """A model is asked by an agent, for the agent's turn of this number; `run` is the id of the agent's run."""

    kind: ClassVar[str] = "model_started"
    call: int
    model: str
    agent: str
    run: str | None
    turn: int


@dataclass(frozen=True, slots=True)
class ModelSaid(Event):
    """A model says some text, a piece of its reply; one that does not stream says all at once."""

    kind: ClassVar[str] = "model_said"
    call: int
    text: str


@dataclass(frozen=True, slots=True)
class ModelChose(Event):
    """A model has chosen to call a tool; the call begins when the reply is whole."""

    kind: ClassVar[str] = "model_chose"
    call: int
    tool: str


@dataclass(frozen=True, slots=True)
class ModelFinished(Event):
    """A model's reply has ended, well or not.

    `text` is all that it said, `calls` how many calls it wants; `cut` says that the text is not at its end; `cost` is
    in US dollars, and `None` where nobody knows.
    """

    kind: ClassVar[str] = "model_finished"
    call: int
    model: str
    agent: str
    run: str | None
    turn: int
    outcome: Outcome
    text: str
    calls: int
    cut: bool
    input_tokens: int
    output_tokens: int
    cost: float | None
    error: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Progress(Event):
    """A tool tells how far it is."""

    kind: ClassVar[str] = "progress"
    tool: str
    message: str
    done: float | None
    of: float | None


__all__ = [
    "ApprovalAsked",
    "ApprovalDecided",
    "Event",
    "FileChanged",
    "ItemFinished",
    "Listener",
    "ModelChose",
    "ModelFinished",
    "ModelSaid",
    "ModelStarted",
    "Outcome",
    "PipelineFinished",
    "PipelineStarted",
    "Progress",
    "StepFinished",
    "StepRetried",
    "StepStarted",
    "StepStatus",
    "ToolFinished",
    "ToolStarted",
    "as_record",
]
