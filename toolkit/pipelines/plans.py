"""Plans: a pipeline whose every name is resolved and every reference checked. One that exists is valid."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.pipelines.definitions import (
    Ask,
    Branches,
    Compute,
    ErrorStrategy,
    OnError,
    StepDefinition,
    Use,
)
from toolkit.pipelines.templated_data import Value
from toolkit.problems import Location, Problem
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.tools.inputs import Input

Schema = Mapping[str, Any]

ON_FAILURE = "on_failure"
"""The first part of the path of a step that runs after a failure."""

NO_BRANCHES: "Mapping[str, tuple[PlannedStep, ...]]" = {}


class Feed(NamedTuple):
    """How the previous output goes into a call.

    Attributes:
        parameter: The parameter it fills; `None` where it is the whole arguments, as JSON text.
        as_text: Whether its text goes in, or its value.
    """

    parameter: str | None
    as_text: bool = True


class PlannedStep(NamedTuple):
    """One step, ready to run.

    Attributes:
        definition: The step as it was written.
        label: What it is called: its id, else its tool's name, else its kind.
        path: The labels that lead to it, as in `compare/left/summarize`.
        position: Its place among its neighbours, from 1.
        of: How many neighbours there are, itself included.
        on_error: What happens after it has failed.
        tool: What it calls, if it calls something.
        feed: How the previous output goes into that call; `None` where it does not.
        branches: The steps of each branch, of a step that has branches.
        adapts: Whether its adapter applies: not after the last step of a builder's pipeline.
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
        """What it does: `use`, `set`, `parallel` or `approve`."""
        match self.definition.action:
            case Use():
                return "use"
            case Compute():
                return "set"
            case Branches():
                return "parallel"
            case Ask():
                return "approve"

    def walk(self) -> "Iterator[PlannedStep]":
        """Yield the step and every step inside it, in the order in which they are written."""
        yield self
        for steps in self.branches.values():
            for step in steps:
                yield from step.walk()

    @property
    def suspends(self) -> bool:
        """Whether it may have to wait in an event loop."""
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
        name: The name of the tool that it becomes.
        description: What it does.
        steps: What runs, in order.
        error_strategy: What happens after a failure where a step does not say.
        inputs: What it takes; `None` means one text, `input`.
        output: What it gives; `None` means the last step's result.
        on_failure: Steps that run when it has failed.
        environment: The variables that expressions may read.
        output_schema: What it gives, if that is known.
        problems: What was found and stops nothing: warnings and remarks.
        location: Where it is written.
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
        """Yield every step, those of branches and those that run after a failure included."""
        for step in (*self.steps, *self.on_failure):
            yield from step.walk()

    @property
    def suspends(self) -> bool:
        """Whether it may have to wait in an event loop."""
        return any(step.suspends for step in self.walk())
