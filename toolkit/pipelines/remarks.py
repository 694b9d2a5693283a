"""Warnings about likely mistakes in a plan: lost outputs, unreachable steps, unused inputs, missing approvals."""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from toolkit.codes import (
    AMBIGUOUS_PIPE,
    CONCURRENT_QUESTION,
    DESTRUCTIVE_STEP_WITHOUT_APPROVE,
    UNREACHABLE_STEP,
    UNUSED_INPUT,
)
from toolkit.errors import ToolExecutionError
from toolkit.pipelines.expression_scopes import Carrier, Reading, Scope
from toolkit.pipelines.plans import PlannedStep
from toolkit.pipelines.schema_relations import kinds_of
from toolkit.pipelines.step_definitions import PipelineDefinition
from toolkit.pipelines.step_edits import with_key
from toolkit.pipelines.templated_data import ConstantValue, UnreadableValue, Value, expressions_in
from toolkit.problems import Location, Problem, errors_among


class _Suspect(NamedTuple):
    """A step that does not read the previous output. Only at the end is it known whether a later step does."""

    step: PlannedStep
    carriers: tuple[Carrier, ...]


class Remarks:
    """Collects warnings while a pipeline is planned."""

    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems
        self._suspects: list[_Suspect] = []
        self._same_for_all: list[tuple[PlannedStep, Value]] = []
        self._taken_inputs: set[str] = set()

    def note(self, step: PlannedStep, scope: Scope, roots: AbstractSet[str], *, is_concurrent: bool) -> None:
        """Check one step: whether it reads the previous output, whether it ever runs, and whether it asks questions."""
        carriers = scope.previous.carriers if scope.previous is not None else ()
        if roots & {"prev"}:
            self._taken_inputs.update(name for carrier in carriers if carrier.is_input for name in carrier.names)
        elif carriers and step.kind in ("use", "set") and not _may_be_ignored(scope):
            self._suspects.append(_Suspect(step, carriers))
        definition = step.definition
        if definition.when is not None and _is_never(definition.when):
            message = f"step {step.label!r} never runs: its condition is always false"
            hint = "remove the step, or read something in 'when'"
            self._warn(UNREACHABLE_STEP, definition.when.node.location, message, hint)
        if definition.each is not None:
            self._note_each(step, definition.each.items, roots)
        self._note_questions(step, is_concurrent=is_concurrent)

    def _note_each(self, step: PlannedStep, items: Value, roots: AbstractSet[str]) -> None:
        if isinstance(items, ConstantValue) and not items.data:
            message = f"step {step.label!r} never runs: its list is empty"
            self._warn(UNREACHABLE_STEP, items.node.location, message, "remove the step, or add items to the list")
        if not roots & {"item", "index"}:
            self._same_for_all.append((step, items))

    def _note_questions(self, step: PlannedStep, *, is_concurrent: bool) -> None:
        definition = step.definition
        place = definition.location
        asks = definition.approval is not None
        if step.tool is not None:
            spec = step.tool.spec
            if spec.destructive and not asks:
                hint = "add 'approve: true', or a message that says what is about to happen"
                message = f"step {step.label!r} calls the destructive tool {spec.name!r} without 'approve'"
                fix = with_key(definition.node, "approve", "true", is_safe=True)
                self._problems.append(
                    Problem(DESTRUCTIVE_STEP_WITHOUT_APPROVE, message, place, "warning", hint, fix=fix)
                )
            asks = asks or spec.requires_approval or bool(spec.destructive)
        if asks and is_concurrent:
            hint = "questions are asked one at a time; ask once beforehand, in a step that has only 'approve'"
            self._warn(
                CONCURRENT_QUESTION,
                place,
                f"step {step.label!r} asks a question while other steps run in parallel",
                hint,
            )

    def finish(self, definition: PipelineDefinition, read: Reading, after: Scope) -> AbstractSet[str]:
        """Report outputs and inputs that are never used, which is known only after the whole pipeline is planned.

        Nothing is reported if there are errors, since it is then unknown what the faulty steps would have read.

        Returns:
            The names of the inputs that are used.
        """
        taken = self._taken_inputs | read.inputs | _handed_through(definition, after)
        if errors_among(self._problems):
            return taken
        for step, items in self._same_for_all:
            hint = "write ${{ item }} where it belongs, or name the parameter with 'pipe'"
            self._warn(
                AMBIGUOUS_PIPE,
                items.node.location,
                f"step {step.label!r} does the same for each item, because it never reads the item",
                hint,
            )
        for step, carriers in self._suspects:
            if not any(carrier.names & (taken if carrier.is_input else read.steps) for carrier in carriers):
                self._report_lost(step, carriers, drops_input=definition.drops_unread_input)
        for given in definition.inputs or ():
            name = given.name
            if name.text not in taken:
                self._warn(
                    UNUSED_INPUT,
                    name.location,
                    f"the input {name.text!r} is never used",
                    f"read inputs.{name.text}, or remove it",
                )
        return taken

    def _report_lost(self, step: PlannedStep, carriers: tuple[Carrier, ...], *, drops_input: bool) -> None:
        if all(carrier.is_input for carrier in carriers):
            return None if drops_input else self._report_lost_input(step, carriers[0])
        whose = " or ".join(repr(carrier.label) for carrier in carriers if not carrier.is_input)
        hint = (
            "name a parameter with 'pipe', write ${{ prev }} under 'with', or give the previous step an id and read it"
        )
        return self._warn(
            AMBIGUOUS_PIPE,
            step.definition.location,
            f"step {step.label!r} does not use the output of {whose}, which is lost",
            hint,
        )

    def _report_lost_input(self, step: PlannedStep, carrier: Carrier) -> None:
        if "input" not in carrier.names:
            return  # an unused declared input is reported once, at its declaration
        hint = "name a parameter with 'pipe', or read ${{ input }}"
        self._warn(
            AMBIGUOUS_PIPE,
            step.definition.location,
            f"step {step.label!r} does not use the pipeline's input, which is lost",
            hint,
        )

    def _warn(self, code: str, place: Location, message: str, hint: str | None = None) -> None:
        self._problems.append(Problem(code, message, place, "warning", hint))


def _handed_through(definition: PipelineDefinition, after: Scope) -> AbstractSet[str]:
    """Return the name of the input that a pipeline returns unchanged because all its steps only ask for approval."""
    if definition.output is not None or after.previous is None:
        return frozenset()
    carriers = after.previous.carriers
    return frozenset().union(*(one.names for one in carriers)) if all(one.is_input for one in carriers) else frozenset()


def _may_be_ignored(scope: Scope) -> bool:
    """Return whether losing the previous output does not matter: it is null, or its step is there for its effect."""
    previous = scope.previous
    if previous is None:
        return False
    return kinds_of(previous.schema) == {"null"} or any(carrier.acts for carrier in previous.carriers)


def _is_never(condition: Value) -> bool:
    """Return whether a condition is always false: it reads nothing and evaluates to false."""
    if isinstance(condition, UnreadableValue) or any(
        located.expression.references for located in expressions_in(condition)
    ):
        return False
    try:
        return not condition.render({})
    except ToolExecutionError:
        return False
