"""Outlines of plans for people to read: the steps, what each does, and where its data comes from."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolkit import documents
from toolkit.amounts import format_duration
from toolkit.json_texts import json_text
from toolkit.pipelines.plans import Plan, PlannedStep
from toolkit.pipelines.step_definitions import AdapterFunction, Branches, Fallback, StepDefinition
from toolkit.pipelines.templated_data import Value, expressions_in


class StepOutline(NamedTuple):
    """The outline of one step.

    Attributes:
        label: The step's id, or else its tool's name or its kind.
        path: The labels that lead to the step, separated by slashes.
        kind: `use`, `set`, `parallel` or `approve`.
        tool: The name of the tool that the step calls, if any.
        position: The position in its chain, starting at 1.
        sources: Where the step's data comes from: paths of steps, and `inputs.name`.
        piped: The parameter that receives the previous output; `arguments` if the output is all of the arguments.
        arguments: The arguments under `with`, as written.
        notes: The other settings in words, such as `only if ${{ … }}` or `3 attempts`.
        branches: The steps of each branch.
    """

    label: str
    path: str
    kind: str
    tool: str | None
    position: int
    sources: tuple[str, ...]
    piped: str | None
    arguments: Mapping[str, str]
    notes: tuple[str, ...]
    branches: "Mapping[str, tuple[StepOutline, ...]]"


class PipelineOutline(NamedTuple):
    """The outline of a whole pipeline. `ends` are the paths of the steps that its output comes from."""

    name: str
    description: str
    inputs: tuple[str, ...]
    steps: tuple[StepOutline, ...]
    on_failure: tuple[StepOutline, ...]
    output: str | None
    ends: tuple[str, ...]


def outline_of(plan: Plan) -> PipelineOutline:
    """Return the outline of a plan."""
    inputs = ("input",) if plan.inputs is None else tuple(given.name.text for given in plan.inputs)
    outliner = _Outliner(plan, inputs)
    first = (f"inputs.{inputs[0]}",) if len(inputs) == 1 else ()
    steps, last = outliner.chain(plan.steps, first)
    ends = last if plan.output is None else outliner.sources(plan.output, last)
    return PipelineOutline(
        plan.name,
        plan.description,
        inputs=inputs,
        steps=steps,
        on_failure=outliner.chain(plan.on_failure, ())[0],
        output=None if plan.output is None else written(plan.output),
        ends=ends,
    )


class _Outliner:
    def __init__(self, plan: Plan, inputs: tuple[str, ...]) -> None:
        self._inputs = inputs
        self._paths = {step.definition.id.text: step.path for step in plan.walk() if step.definition.id is not None}

    def chain(
        self, steps: Iterable[PlannedStep], before: tuple[str, ...]
    ) -> tuple[tuple[StepOutline, ...], tuple[str, ...]]:
        """Return the outlines of steps, and the paths of the steps that the chain's output comes from."""
        outlines = []
        for step in steps:
            outlines.append(self._step(step, before))
            if step.kind != "approve":
                skipped = before if step.definition.when is not None else ()
                before = (*skipped, step.path)
        return tuple(outlines), before

    def _step(self, step: PlannedStep, before: tuple[str, ...]) -> StepOutline:
        definition = step.definition
        sources = [*before] if step.feed is not None and definition.each is None else []
        for value in _values_of(definition):
            sources += self.sources(value, before)
        if step.branches:
            sources += before
        return StepOutline(
            step.label,
            step.path,
            kind=step.kind,
            tool=step.tool.name if step.tool is not None else None,
            position=step.position,
            sources=tuple(dict.fromkeys(sources)),
            piped=None if step.feed is None else step.feed.parameter or "arguments",
            arguments=_arguments_of(definition),
            notes=tuple(_notes_of(step)),
            branches={name: self.chain(steps, before)[0] for name, steps in step.branches.items()},
        )

    def sources(self, value: Value | None, before: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sources of the data that a value reads."""
        found: list[str] = []
        for located in expressions_in(value):
            for reference in located.expression.references:
                first = str(reference.path[0]) if reference.path else None
                match reference.root:
                    case "prev":
                        found += before
                    case "steps":
                        found += self._paths.values() if first is None else [self._paths.get(first, first)]
                    case "inputs" if first is not None:
                        found.append(f"inputs.{first}")
                    case "input" | "inputs":
                        found += (f"inputs.{name}" for name in self._inputs)
        return tuple(dict.fromkeys(found))


def _values_of(definition: StepDefinition) -> Iterator[Value | None]:
    """Yield every value of a step that may contain expressions, except those of its branches."""
    yield definition.when
    if definition.each is not None:
        yield definition.each.items
    yield from definition.action.values.values()
    if definition.approval is not None:
        yield from (definition.approval.message, definition.approval.show, definition.approval.when)
    if definition.adapter is not None and not isinstance(definition.adapter, AdapterFunction):
        yield definition.adapter
    if isinstance(definition.on_error, Fallback):
        yield definition.on_error.value


def _arguments_of(definition: StepDefinition) -> Mapping[str, str]:
    return {name: written(value) for name, value in definition.action.values.items()}


def _notes_of(step: PlannedStep) -> Iterator[str]:
    definition = step.definition
    if definition.when is not None:
        yield f"only if {written(definition.when)}"
    if definition.each is not None:
        at_once = f", {definition.each.max_parallel} at a time" if definition.each.max_parallel > 1 else ""
        skips = ", skipping failed items" if definition.each.skips_failed else ""
        yield f"for each of {written(definition.each.items)}{at_once}{skips}"
    if definition.approval is not None:
        message = definition.approval.message
        asks = "asks first" if not isinstance(definition.action, Branches) and step.tool is not None else "asks"
        yield asks if message is None else f"{asks}: {written(message)}"
    if definition.retry is not None:
        yield f"{definition.retry.attempts} attempts"
    if definition.timeout is not None:
        yield f"at most {format_duration(definition.timeout)}"
    if definition.adapter is not None and step.adapts:
        is_code = isinstance(definition.adapter, AdapterFunction)
        yield "its result is adapted" if is_code else f"its result becomes {written(definition.adapter)}"
    match step.on_error:
        case "continue":
            yield "continues after a failure"
        case Fallback(value):
            yield f"after a failure {written(value)}"


def written(value: Value | object) -> str:
    """Return a value as written in the file, on one line."""
    node = getattr(value, "node", None)
    if isinstance(node, documents.Scalar):
        return " ".join(node.text.split())
    return "" if node is None else json_text(documents.plain(node))
