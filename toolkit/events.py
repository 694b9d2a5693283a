"""Events that report what happens during a run.

The listener of the context receives them: terminal output, the audit log and progress bars are all made from the same
stream. Without a listener, no events are created. Every `…Started` event is followed by exactly one `…Finished` event
with the same `call`, even if a signal ends the call. Times are in seconds. All values are plain data: `as_record`
returns what `--format jsonl` prints.
"""

import re
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Literal, dataclass_transform

if TYPE_CHECKING:
    from toolkit.redactors.redactor import Redactor

Outcome = Literal["success", "failure", "error", "signal"]
"""How a call ended."""
DecisionWord = Literal["continue", "edit", "reject", "exit_early"]
"""The decision of a reviewer in one word."""
StepStatus = Literal["ok", "failed", "skipped", "rejected", "timed_out", "ended"]
"""How a step of a pipeline ended."""

CALLS = count(1)
"""Numbers for `call`: every `…Started` event gets a different one."""

_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass_transform(frozen_default=True)
class Event:
    """Base class of all events. Subclasses annotate their fields, which are required, by position or by keyword.

    Events are immutable, and equal if their class and fields are equal. Type checkers treat them as frozen
    dataclasses. They are not, because generating so many dataclasses would delay the start of every program.

    Attributes:
        kind: The name of the event in records: `tool_started` for `ToolStarted`.
    """

    kind: ClassVar[str] = "event"
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Derive `kind` from the name of the class, and the fields from its annotations."""
        cls.kind = _BETWEEN_WORDS.sub("_", cls.__name__).lower()
        cls.__match_args__ = (*cls.__match_args__, *cls.__annotations__)  # type: ignore[misc]  # as `@dataclass` does

    def __init__(self, *values: Any, **named: Any) -> None:
        """Set every field.

        Raises:
            TypeError: If a field is missing, set twice or unknown.
        """
        fields = self.__match_args__
        if len(values) > len(fields) or named.keys() != {*fields[len(values) :]}:
            raise TypeError(f"{type(self).__name__} takes exactly {', '.join(fields) or 'nothing'}")
        self.__dict__.update(zip(fields, values, strict=False), **named)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot set {name!r}: events are immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: events are immutable")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the fields.

        Raises:
            TypeError: If a field, such as arguments or a result, is not hashable.
        """
        return hash((self.kind, *map(self.__dict__.get, self.__match_args__)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={vars(self)[name]!r}' for name in self.__match_args__)})"


Listener = Callable[[Event], None]
"""A function that is called with each event when it happens."""


def wants_pieces(listener: Listener | None) -> bool:
    """Return whether a listener needs a model's reply in pieces; if not, the reply is not streamed.

    A listener opts out by setting its attribute `wants_pieces` to `False`.
    """
    return listener is not None and bool(getattr(listener, "wants_pieces", True))


def both(first: Listener | None, second: Listener | None) -> Listener | None:
    """Combine two listeners into one that calls both; either may be `None`."""
    if first is None or second is None:
        return first or second

    def call_both(event: Event) -> None:
        first(event)
        second(event)

    call_both.wants_pieces = wants_pieces(first) or wants_pieces(second)  # type: ignore[attr-defined]
    return call_both


def as_record(event: Event) -> dict[str, Any]:
    """Return an event as plain data, with its kind under the key `event`."""
    return {"event": event.kind} | {name: getattr(event, name) for name in event.__match_args__}


def redacted(event: Event, redactor: "Redactor") -> Event:
    """Return the event with its secrets redacted; the same object if it contains none."""
    fields = {name: _redact(value, redactor) for name, value in vars(event).items()}
    if all(fields[name] is value for name, value in vars(event).items()):
        return event
    other = object.__new__(type(event))
    vars(other).update(fields)
    return other


def _redact(value: Any, redactor: "Redactor") -> Any:
    try:
        return redactor.data(value)
    except RecursionError:  # arguments that are nested too deeply for any other code too
        return f"<{type(value).__name__}>"


class ToolStarted(Event):
    """A tool call starts, with the arguments as received; secrets are replaced by asterisks."""

    call: int
    tool: str
    arguments: Any


class ToolFinished(Event):
    """A tool call has ended, successfully or not; `seconds` excludes time spent waiting for a person."""

    call: int
    tool: str
    outcome: Outcome
    output: str
    error: str | None
    error_code: str | int | None
    seconds: float


class ApprovalAsked(Event):
    """A reviewer is asked whether a call may run."""

    tool: str
    arguments: Any
    asked_by: str


class ApprovalDecided(Event):
    """A decision was made by a reviewer, or in advance by a rule or a flag; `by` says which."""

    tool: str
    decision: DecisionWord
    by: str
    reason: str | None
    seconds: float


class FileChanged(Event):
    """A tool has created, modified or deleted a file."""

    tool: str
    path: str
    change: Literal["created", "modified", "deleted"]
    lines_added: int
    lines_removed: int


class PipelineStarted(Event):
    """A pipeline starts."""

    call: int
    pipeline: str
    steps: int


class PipelineFinished(Event):
    """A pipeline has ended, successfully or not."""

    call: int
    pipeline: str
    outcome: Outcome
    error: str | None
    seconds: float


class StepStarted(Event):
    """A step starts; `path` identifies it, including in branches and nested pipelines (`report/label`)."""

    call: int
    path: str
    position: int
    of: int
    tool: str | None
    items: int | None


class StepFinished(Event):
    """A step has ended; skipped steps start and finish too.

    `items` is the number of items of a `for_each`. `skipped` lists the items that failed and were left out, each with
    its `index`, `item` (shortened), `error` and `error_code`.
    """

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
    items: int | None
    skipped: list[dict[str, Any]]
    seconds: float


class StepRetried(Event):
    """An attempt failed and is repeated after `delay` seconds; `item` is the item of a `for_each`, if any."""

    call: int
    path: str
    attempt: int
    error: str
    delay: float
    item: str | None


class ItemFinished(Event):
    """One item of a `for_each` step has ended; `item` is a shortened form of it."""

    call: int
    path: str
    index: int
    done: int
    of: int
    status: StepStatus
    item: str
    output: str
    error: str | None
    error_code: str | int | None


class ModelStarted(Event):
    """An agent calls its model, in turn number `turn`; `run` is the id of the agent's run."""

    call: int
    model: str
    agent: str
    run: str | None
    turn: int


class ModelSaid(Event):
    """A piece of a model's reply, or all of it if the model does not stream."""

    call: int
    text: str


class ModelChose(Event):
    """A model has chosen to call a tool; the call starts when the reply is complete."""

    call: int
    tool: str


class ModelFinished(Event):
    """A model's reply has ended, successfully or not.

    `text` is the whole reply, `calls` the number of tool calls in it, and `cut` whether the text is incomplete. `cost`
    is in US dollars, or `None` if it is unknown.
    """

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


class AgentStarted(Event):
    """An agent starts a task; `run` is the id of its run."""

    call: int
    agent: str
    model: str
    run: str | None


class AgentFinished(Event):
    """An agent has ended, successfully or not."""

    call: int
    agent: str
    model: str
    run: str | None
    outcome: Outcome
    error: str | None
    seconds: float


class BatchItemStarted(Event):
    """An item of a batch starts; `trace` has the variables that identify its trace, which another process may own."""

    call: int
    tool: str
    number: int
    run: str | None
    trace: dict[str, str] | None


class BatchItemFinished(Event):
    """An item of a batch has ended, successfully or not."""

    call: int
    tool: str
    number: int
    run: str | None
    outcome: Outcome
    error: str | None
    error_code: str | int | None
    seconds: float


class RunStarted(Event):
    """A run of the command line starts: a single call, a batch or an agent's task."""

    call: int
    target: str
    run: str


class RunFinished(Event):
    """A run of the command line has ended, successfully or not."""

    call: int
    target: str
    run: str
    outcome: Outcome
    error: str | None
    seconds: float


class Progress(Event):
    """A tool reports its progress; `item` is the item of a `for_each` that it is working on, if any."""

    tool: str
    message: str
    done: float | None
    of: float | None
    item: str | None


__all__ = [
    "AgentFinished",
    "AgentStarted",
    "ApprovalAsked",
    "ApprovalDecided",
    "BatchItemFinished",
    "BatchItemStarted",
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
    "RunFinished",
    "RunStarted",
    "StepFinished",
    "StepRetried",
    "StepStarted",
    "StepStatus",
    "ToolFinished",
    "ToolStarted",
    "as_record",
    "both",
    "redacted",
]
