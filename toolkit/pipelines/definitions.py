"""Definitions: the content of a pipeline's file, or of a builder; well-formed, but nothing in it looked up yet.

Every name keeps the place where it stands. `planning` turns a definition into a Plan.
"""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.documents import Node
from toolkit.documents.shapes import Word
from toolkit.pipelines.templated_data import MappingValue, Value
from toolkit.problems import Location
from toolkit.tools.results import ToolResult

if TYPE_CHECKING:
    from toolkit.tools.inputs import Input

MAX_STEPS = 1_000
MAX_NESTING = 20
MAX_ITEMS = 1_000_000
MAX_ATTEMPTS = 100
MAX_PARALLEL = 1_000

Failure = Literal["timeout", "rate_limit", "network", "error"]
FAILURES: tuple[Failure, ...] = ("timeout", "rate_limit", "network", "error")


class ErrorStrategy(Enum):
    """What happens after a step fails that has no error strategy of its own.

    `FAIL_FAST` ends the pipeline with that step's own result. `CONTINUE_ON_FAILURE` hands the error's message to the
    next step, and the last step's result is the pipeline's.
    """

    FAIL_FAST = "fail_fast"
    CONTINUE_ON_FAILURE = "continue_on_failure"


class Retry(NamedTuple):
    """How often a failed call is tried, and the seconds between attempts."""

    attempts: int = 3
    backoff: float = 1.0
    factor: float = 2.0
    longest: float = 30.0
    errors: tuple[Failure, ...] = FAILURES


class Approval(NamedTuple):
    """That somebody is to be asked, and the text shown; `when` is the condition under which it is asked."""

    location: Location
    message: Value | None = None
    show: Value | None = None
    when: Value | None = None
    editable: bool = True


class Each(NamedTuple):
    """A step runs once for every item of a list, `max_parallel` at a time."""

    items: Value
    location: Location
    max_parallel: int = 1
    skips_failed: bool = False


class Use(NamedTuple):
    """A step that calls a tool: `arguments` is what stands under `with`, `pipe` the parameter that it names."""

    tool: Word
    arguments: MappingValue | None = None
    pipe: Word | None = None


class Compute(NamedTuple):
    """A step that computes a value."""

    value: Value


class Branches(NamedTuple):
    """A step that runs several chains of steps side by side."""

    branches: "dict[str, tuple[Word, tuple[StepDefinition, ...]]]"


class Ask(NamedTuple):
    """A step that only asks whether to go on."""


Action = Use | Compute | Branches | Ask


class AdapterFunction(NamedTuple):
    """An adapter written in Python: it sees the whole result and returns what the next step receives."""

    function: Callable[[ToolResult], Any]


class Fallback(NamedTuple):
    """The value that takes the place of a failed step's output."""

    value: Value


OnError = Literal["fail", "continue"] | Fallback


class StepDefinition(NamedTuple):
    """One step as it is written; `None` means not set. `node` is the whole of it, where it stands in a file."""

    location: Location
    action: Action
    id: Word | None = None
    when: Value | None = None
    each: Each | None = None
    approval: Approval | None = None
    retry: Retry | None = None
    timeout: float | None = None
    adapter: Value | AdapterFunction | None = None
    adapter_location: Location | None = None
    on_error: OnError | None = None
    node: Node | None = None


class PipelineDefinition(NamedTuple):
    """A whole pipeline as it is written.

    Attributes:
        name: The name of the tool that it becomes, and where that stands (the file's stem if nowhere).
        description: What it does.
        location: The place of the whole definition.
        steps: What runs, in order.
        tools: The sources that its tools come from besides the known ones.
        inputs: What it takes; `None` means one text, `input`.
        error_strategy: What happens after a failure.
        output: What it gives; `None` means the last step's result.
        on_failure: Steps that run when it has failed.
        drops_unread_input: Whether it takes nothing where `inputs` is `None` and no step reads the text.
    """

    name: Word
    description: str
    location: Location
    steps: tuple[StepDefinition, ...] = ()
    tools: tuple[Word, ...] = ()
    inputs: "tuple[Input, ...] | None" = None
    error_strategy: ErrorStrategy = ErrorStrategy.FAIL_FAST
    output: Value | None = None
    on_failure: tuple[StepDefinition, ...] = ()
    drops_unread_input: bool = False
