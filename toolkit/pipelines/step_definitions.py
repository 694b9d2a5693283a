"""Values for the content of a pipeline's file or builder: well-formed, but with no name looked up yet.

Every name keeps its location. `planning` turns a definition into a Plan.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.documents import Node
from toolkit.documents.nodes import Word
from toolkit.pipelines.templated_data import MappingValue, Value
from toolkit.problems import Location
from toolkit.tools.calls.results import ToolResult

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
    """What happens after a step without `on_error` fails.

    `FAIL_FAST` ends the pipeline with the failed step's result. `CONTINUE_ON_FAILURE` passes the error message to the
    next step; the pipeline's result is that of its last step.
    """

    FAIL_FAST = "fail_fast"
    CONTINUE_ON_FAILURE = "continue_on_failure"


class Retry(NamedTuple):
    """How often a failed call is retried, and how long to wait between attempts.

    Attributes:
        attempts: Maximum number of attempts, including the first.
        backoff: Seconds to wait after the first attempt.
        factor: Factor by which the wait grows after each further attempt.
        longest: Maximum wait in seconds.
        errors: The kinds of failures that are retried.
    """

    attempts: int = 3
    backoff: float = 1.0
    factor: float = 2.0
    longest: float = 30.0
    errors: tuple[Failure, ...] = FAILURES


class Approval(NamedTuple):
    """The approval that a step requires: the question, the data shown with it, and the condition for asking."""

    location: Location
    message: Value | None = None
    show: Value | None = None
    when: Value | None = None
    editable: bool = True


class Each(NamedTuple):
    """The list for whose items a step runs, at most `max_parallel` of them at the same time."""

    items: Value
    location: Location
    max_parallel: int = 1
    skips_failed: bool = False


class Use(NamedTuple):
    """A step that calls a tool; `arguments` is the value of `with`, `pipe` the parameter for the previous output."""

    tool: Word
    arguments: MappingValue | None = None
    pipe: Word | None = None

    @property
    def kind(self) -> str:
        """The key that makes it a step of this kind."""
        return "use"

    @property
    def values(self) -> Mapping[str, Value]:
        """The values that may contain expressions, by the names under which an outline shows them."""
        return {} if self.arguments is None else self.arguments.entries


class Compute(NamedTuple):
    """A step that computes a value."""

    value: Value

    @property
    def kind(self) -> str:
        """The key that makes it a step of this kind."""
        return "set"

    @property
    def values(self) -> Mapping[str, Value]:
        """The values that may contain expressions, by the names under which an outline shows them."""
        return {"value": self.value}


class Branches(NamedTuple):
    """A step that runs several chains of steps in parallel."""

    branches: "dict[str, tuple[Word, tuple[StepDefinition, ...]]]"

    @property
    def kind(self) -> str:
        """The key that makes it a step of this kind."""
        return "parallel"

    @property
    def values(self) -> Mapping[str, Value]:
        """Nothing: the values of the branches are those of their steps."""
        return {}


class Ask(NamedTuple):
    """A step that only asks for approval."""

    @property
    def kind(self) -> str:
        """The key that makes it a step of this kind."""
        return "approve"

    @property
    def values(self) -> Mapping[str, Value]:
        """Nothing: the values of the question are those of the approval."""
        return {}


Action = Use | Compute | Branches | Ask


class AdapterFunction(NamedTuple):
    """An adapter written in Python: it receives the whole result and returns the input of the next step."""

    function: Callable[[ToolResult], Any]


class Fallback(NamedTuple):
    """The value that replaces a failed step's output."""

    value: Value


OnError = Literal["fail", "continue"] | Fallback


class StepDefinition(NamedTuple):
    """One step as written; `None` means not set. `node` is its node in the file."""

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
    """A whole pipeline as written.

    Attributes:
        name: The tool's name with its location; the file's stem if the file sets no name.
        description: What the pipeline does.
        location: The location of the whole definition.
        steps: The steps, in order.
        tools: Additional sources of tools.
        inputs: The declared inputs; `None` means a single string, `input`.
        error_strategy: What happens after a failure.
        output: The output; `None` means the last step's result.
        on_failure: Steps that run after the pipeline has failed.
        drops_unread_input: Whether the pipeline has no inputs if `inputs` is `None` and no step reads `input`.
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
