"""What happened while something ran.

A context's listener receives them; rendering, audit and progress fold the same stream. Without a listener no event is
made. Every `…Started` has exactly one `…Finished` with the same `call`, on signals too. Times are seconds. All values
are plain data, so that `as_record` gives what `--format jsonl` prints.
"""

import re
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Literal, dataclass_transform

if TYPE_CHECKING:
    from toolkit.redactors.redactor import Redactor

Outcome = Literal["success", "failure", "error", "signal"]
"""How a call ended."""
StepStatus = Literal["ok", "failed", "skipped", "rejected", "timed_out", "ended"]
"""How a step of a pipeline ended."""

CALLS = count(1)
"""Numbers for `call`; no two starts of any kind share one."""

_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass_transform(frozen_default=True)
class Event:
    """The root of all events: a class names its fields, all of which are given, by position or by name.

    An event never changes, and equals another of its class with the same fields. To type checkers it is a frozen
    dataclass; it is not one, since so many generated classes would delay the start of every program.

    Attributes:
        kind: The name of the class as records have it: `tool_started` for `ToolStarted`.
    """

    kind: ClassVar[str] = "event"
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Take the kind from the name of the class, and its fields from the annotations."""
        cls.kind = _BETWEEN_WORDS.sub("_", cls.__name__).lower()
        cls.__match_args__ = (*cls.__match_args__, *cls.__annotations__)  # type: ignore[misc]  # as `@dataclass` does

    def __init__(self, *values: Any, **named: Any) -> None:
        """Keep a value for each field.

        Raises:
            TypeError: If one is missing, there twice, or for no field.
        """
        fields = self.__match_args__
        if len(values) > len(fields) or named.keys() != {*fields[len(values) :]}:
            raise TypeError(f"{type(self).__name__} takes exactly {', '.join(fields) or 'nothing'}")
        self.__dict__.update(zip(fields, values, strict=False), **named)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: an event never changes."""
        raise AttributeError(f"an event never changes, and {name!r} is not to be set")

    def __delattr__(self, name: str) -> None:
        """Refuse, as above."""
        raise AttributeError(f"an event never changes, and {name!r} is not to be taken away")

    def __eq__(self, other: object) -> bool:
        """Return whether another event has the same fields."""
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of its fields; arguments and results may have none."""
        return hash((self.kind, *map(self.__dict__.get, self.__match_args__)))

    def __repr__(self) -> str:
        """Return the event as it could be written."""
        return f"{type(self).__name__}({', '.join(f'{name}={vars(self)[name]!r}' for name in self.__match_args__)})"


Listener = Callable[[Event], None]
"""A function that is called with each event as it happens."""


def hears_pieces(listener: Listener | None) -> bool:
    """Return whether a listener wants a model's reply piece by piece; if not, the model is not streamed.

    A listener that does not has a false attribute of this name.
    """
    return listener is not None and bool(getattr(listener, "hears_pieces", True))


def both(first: Listener | None, second: Listener | None) -> Listener | None:
    """Return one listener for two, either of which may be missing."""
    if first is None or second is None:
        return first or second

    def tell_both(event: Event) -> None:
        first(event)
        second(event)

    tell_both.hears_pieces = hears_pieces(first) or hears_pieces(second)  # type: ignore[attr-defined]
    return tell_both


def as_record(event: Event) -> dict[str, Any]:
    """Return an event as plain data with its kind under `event`."""
    return {"event": event.kind} | {name: getattr(event, name) for name in event.__match_args__}


def redacted(event: Event, redactor: "Redactor") -> Event:
    """Return an event without secrets; the same one if there are none in it."""
    fields = {name: _redact(value, redactor) for name, value in vars(event).items()}
    if all(fields[name] is value for name, value in vars(event).items()):
        return event
    other = object.__new__(type(event))
    vars(other).update(fields)
    return other


def _redact(value: Any, redactor: "Redactor") -> Any:
    try:
        return redactor.data(value)
    except RecursionError:  # of arguments that are nested too deeply for anything
        return f"<{type(value).__name__}>"


class ToolStarted(Event):
    """A call of a tool begins, with the arguments as they came; stars stand for secrets."""

    call: int
    tool: str
    arguments: Any


class ToolFinished(Event):
    """A tool has ended, well or not; `seconds` excludes the waiting for a person."""

    call: int
    tool: str
    outcome: Outcome
    output: str
    error: str | None
    error_code: str | int | None
    seconds: float


class ApprovalAsked(Event):
    """A reviewer is being asked whether a call may run."""

    tool: str
    arguments: Any
    asked_by: str


class ApprovalDecided(Event):
    """A question was answered, or a rule or flag answered it beforehand (`by` names who)."""

    tool: str
    decision: Literal["continue", "edit", "reject", "exit_early"]
    by: str
    reason: str | None
    seconds: float


class FileChanged(Event):
    """A tool has created, changed or deleted a file."""

    tool: str
    path: str
    change: Literal["created", "modified", "deleted"]
    lines_added: int
    lines_removed: int


class PipelineStarted(Event):
    """A pipeline begins."""

    call: int
    pipeline: str
    steps: int


class PipelineFinished(Event):
    """A pipeline has ended, well or not."""

    call: int
    pipeline: str
    outcome: Outcome
    error: str | None
    seconds: float


class StepStarted(Event):
    """A step begins; `path` identifies steps of branches and nested pipelines (`report/label`)."""

    call: int
    path: str
    position: int
    of: int
    tool: str | None
    items: int | None


class StepFinished(Event):
    """A step has ended; a skipped step has a start and a finish too.

    `items` is how many items a `for_each` had, and `skipped` has those that failed and were left out: the `index`,
    the `item` in short, its `error` and `error_code`.
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
    """An attempt failed and another follows after `delay` seconds; `item` names the item of a `for_each`, if any."""

    call: int
    path: str
    attempt: int
    error: str
    delay: float
    item: str | None


class ItemFinished(Event):
    """One item of a `for_each` step has ended; `item` is its short form."""

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
    """A model is asked by an agent, for the agent's turn of this number; `run` is the id of the agent's run."""

    call: int
    model: str
    agent: str
    run: str | None
    turn: int


class ModelSaid(Event):
    """A piece of a model's reply; a model that does not stream sends all at once."""

    call: int
    text: str


class ModelChose(Event):
    """A model has chosen to call a tool; the call begins when the reply is whole."""

    call: int
    tool: str


class ModelFinished(Event):
    """A model's reply has ended, well or not.

    `text` is the whole reply, `calls` how many calls it wants; `cut` means that the text is incomplete; `cost` is
    in US dollars, and `None` where nobody knows.
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
    """An agent begins a task; `run` is the id of its run."""

    call: int
    agent: str
    model: str
    run: str | None


class AgentFinished(Event):
    """An agent has ended, well or not."""

    call: int
    agent: str
    model: str
    run: str | None
    outcome: Outcome
    error: str | None
    seconds: float


class BatchItemStarted(Event):
    """An item of a batch begins; `trace` has variables that name the trace of its run, which may be elsewhere."""

    call: int
    tool: str
    number: int
    run: str | None
    trace: dict[str, str] | None


class BatchItemFinished(Event):
    """An item of a batch has ended, well or not."""

    call: int
    tool: str
    number: int
    run: str | None
    outcome: Outcome
    error: str | None
    error_code: str | int | None
    seconds: float


class RunStarted(Event):
    """A run of the command line begins: a single call, a batch or an agent's task."""

    call: int
    target: str
    run: str


class RunFinished(Event):
    """A run of the command line has ended, well or not."""

    call: int
    target: str
    run: str
    outcome: Outcome
    error: str | None
    seconds: float


class Progress(Event):
    """A tool reports how far it is; `item` names the item of a `for_each` that it works on, if any."""

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
