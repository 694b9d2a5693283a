"""Plans: pipelines whose names are resolved and whose references are checked. A plan is always valid."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.pipelines.step_definitions import (
    ErrorStrategy,
    OnError,
    StepDefinition,
)
from toolkit.pipelines.templated_data import Value
from toolkit.problems import Location, Problem
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.tools.inputs import Input

Schema = Mapping[str, Any]

ON_FAILURE = "on_failure"
"""The first part of the path of every `on_failure` step."""

NO_BRANCHES: "Mapping[str, tuple[PlannedStep, ...]]" = {}


class Feed(NamedTuple):
    """How the previous output is passed to a call.

    Attributes:
        parameter: The parameter that receives it; `None` if the output is all arguments as JSON text.
        as_text: Whether the parameter receives the output's text rather than its value.
    """

    parameter: str | None
    as_text: bool = True


class PlannedStep(NamedTuple):
    """One step, ready to run.

    Attributes:
        definition: The step as written.
        label: The step's id, or else its tool's name or its kind.
        path: The labels that lead to the step, as in `compare/left/summarize`.
        position: The position in its chain, starting at 1.
        of: The number of steps in its chain.
        on_error: What happens after the step has failed.
        tool: The tool that the step calls, if any.
        feed: How the previous output is passed to the call; `None` if it is not.
        branches: The steps of each branch.
        adapts: Whether the adapter is applied. It is not after the last step of a pipeline made with a builder.
    """

    definition: StepDefinition
    label: str
    path: str
    position: int
    of: int
    on_error: OnError
    tool: Tool | None = None
    feed: Feed | None = None
    branches: "Mapping[str, tuple[PlannedStep, ...]]" = NO_BRANCHES
    adapts: bool = True

    @property
    def kind(self) -> str:
        """The kind of step: `use`, `set`, `parallel` or `approve`."""
        return self.definition.action.kind

    def walk(self) -> "Iterator[PlannedStep]":
        """Yield the step and every step inside it, in source order."""
        yield self
        for steps in self.branches.values():
            for step in steps:
                yield from step.walk()

    @property
    def suspends(self) -> bool:
        """Whether the step may have to wait in an event loop."""
        each = self.definition.each
        return (
            bool(self.branches)
            or self.definition.timeout is not None
            or (each is not None and each.max_parallel > 1)
            or (self.tool is not None and self.tool.suspends)
        )


class Plan(NamedTuple):
    """A whole pipeline, ready to run.

    Attributes:
        name: The name of the tool.
        description: What the pipeline does.
        steps: The steps, in order.
        error_strategy: What happens after the failure of a step without `on_error`.
        inputs: The declared inputs; `None` means a single string, `input`.
        output: The output; `None` means the last step's result.
        on_failure: Steps that run after the pipeline has failed.
        environment: The environment variables that expressions read.
        output_schema: The schema of the output, if known.
        problems: The warnings found during planning.
        location: The location of the pipeline's name.
    """

    name: str
    description: str
    steps: tuple[PlannedStep, ...]
    error_strategy: ErrorStrategy = ErrorStrategy.FAIL_FAST
    inputs: "tuple[Input, ...] | None" = None
    output: Value | None = None
    on_failure: tuple[PlannedStep, ...] = ()
    environment: Mapping[str, str] = {}
    output_schema: Schema | None = None
    problems: tuple[Problem, ...] = ()
    location: Location | None = None

    def walk(self) -> Iterator[PlannedStep]:
        """Yield every step, including those of branches and `on_failure` steps."""
        for step in (*self.steps, *self.on_failure):
            yield from step.walk()

    @property
    def suspends(self) -> bool:
        """Whether the pipeline may have to wait in an event loop."""
        return any(step.suspends for step in self.walk())
