"""Turns a definition into a Plan: resolves every name, checks every reference and reports all problems together."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from toolkit import documents
from toolkit.codes import TYPE_MISMATCH, UNKNOWN_KEY, UNKNOWN_TOOL
from toolkit.documents.nodes import Word
from toolkit.pipelines.expression_scopes import (
    ERROR_SCHEMA,
    Carrier,
    Previous,
    ReferenceChecker,
    Scope,
    schema_of_value,
    scope_after,
)
from toolkit.pipelines.plans import ON_FAILURE, Feed, Plan, PlannedStep
from toolkit.pipelines.remarks import Remarks
from toolkit.pipelines.schema_relations import Schema, alternatives, member
from toolkit.pipelines.step_definitions import (
    AdapterFunction,
    Branches,
    Compute,
    ErrorStrategy,
    Fallback,
    OnError,
    PipelineDefinition,
    StepDefinition,
    Use,
)
from toolkit.pipelines.step_inputs import Feeder
from toolkit.pipelines.step_keys import STEP_KEYS
from toolkit.pipelines.templated_data import Value
from toolkit.problems import (
    Problem,
    did_you_mean,
    errors_among,
    first_names,
    fix_spelling,
    nearest,
    set_missing_locations,
)
from toolkit.tools.base import Tool


class Names(Protocol):
    """Resolves the names of tools for one pipeline."""

    def tool(self, word: Word) -> Tool | list[Problem]:
        """Return the tool that a name refers to, or the problems with it; an empty list if the name is unknown."""

    def known(self) -> Iterable[str]:
        """Return the known names, for hints."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that expressions may read."""

    def refusal_of_environment(self) -> Problem | None:
        """Return why expressions may not read environment variables yet, or `None` if they may."""


class ToolLookup:
    """Finds the tools of one pipeline and reports unknown ones. Each name is looked up only once."""

    def __init__(self, names: Names, problems: list[Problem]) -> None:
        self._names = names
        self._problems = problems
        self._found: dict[str, Tool | list[Problem]] = {}

    def find(self, word: Word) -> Tool | None:
        """Return the tool that a name refers to, or report why there is none and return `None`."""
        if word.text not in self._found:
            self._found[word.text] = self._names.tool(word)
        found = self._found[word.text]
        if isinstance(found, Tool):
            return found
        self._problems += set_missing_locations(found, word.location)
        if not errors_among(found):
            self._report_unknown(word)
        return None

    def _report_unknown(self, word: Word) -> None:
        known = list(self._names.known())
        hint = did_you_mean(word.text, known)
        if hint is None and (keys := nearest(word.text, STEP_KEYS, most=1, cutoff=0.8)):
            hint = f"did you mean the key {keys[0]!r}?"
        message, fix = f"unknown tool {word.text!r}", fix_spelling(word.text, known, word.location)
        self._problems.append(Problem(UNKNOWN_TOOL, message, word.location, hint=hint or _listed(known), fix=fix))


def _listed(names: Iterable[str]) -> str:
    """Return a hint that lists the known tools, or the first of them if there are many."""
    known = first_names(names)
    return f"the tools here are {known}" if known else "list a source of tools under 'tools'"


TEXT: Schema = {"type": "string"}


def make_plan(definition: PipelineDefinition, names: Names, problems: list[Problem]) -> Plan | None:
    """Return the plan of a pipeline.

    Args:
        definition: The definition that was read.
        names: Resolves the names of tools.
        problems: The problems found so far. Further problems are added to this list.

    Returns:
        The plan, or `None` if any of the problems is an error. A plan is always valid.
    """
    plan = _Planner(definition, names, problems).plan()
    return None if errors_among(problems) else plan._replace(problems=tuple(problems))


class _Place(NamedTuple):
    """The position of a chain of steps in the pipeline.

    Attributes:
        path: The path of the chain, with a slash after it.
        is_concurrent: Whether other steps run at the same time.
        is_last: Whether the pipeline ends with this chain.
        is_cleanup: Whether the chain runs after a failure, where no step depends on the output of another.
    """

    path: str = ""
    is_concurrent: bool = False
    is_last: bool = False
    is_cleanup: bool = False


class _Planned(NamedTuple):
    """The result of planning a step's action.

    Attributes:
        step: The step with its feed or branches.
        schema: The schema of the action's output, if known.
        roots: The roots that the action reads.
        inside: The output schemas of the steps inside it, by id.
    """

    step: PlannedStep
    schema: Schema | None
    roots: set[str]
    inside: Mapping[str, Schema | None] = {}


class _Planner:
    def __init__(self, definition: PipelineDefinition, names: Names, problems: list[Problem]) -> None:
        self.definition = definition
        self.names = names
        self.problems = problems
        self.tools = ToolLookup(names, problems)
        self.checker = ReferenceChecker(problems)
        self.remarks = Remarks(problems)

    def plan(self) -> Plan:
        definition = self.definition
        scope = self._first_scope()
        steps, after = self._chain(definition.steps, scope, _Place(is_last=True))
        self.checker.check(definition.output, after)
        on_failure = self._on_failure(after)
        taken = self.remarks.finish(definition, self.checker.read, after)
        return Plan(
            name=definition.name.text,
            description=definition.description,
            steps=steps,
            error_strategy=definition.error_strategy,
            inputs=()
            if definition.inputs is None and definition.drops_unread_input and not taken
            else definition.inputs,
            output=definition.output,
            on_failure=on_failure,
            environment=self._environment(),
            output_schema=self._output_schema(after),
            location=definition.name.location,
        )

    def _environment(self) -> Mapping[str, str]:
        """Return the environment variables that expressions read, if they are allowed to."""
        known = self.names.environment
        if known.keys().isdisjoint(self.checker.read.environment):
            return {}
        if (refused := self.names.refusal_of_environment()) is not None:
            self.problems.append(refused)
            return {}
        return {name: known[name] for name in known if name in self.checker.read.environment}

    def _first_scope(self) -> Scope:
        definition = self.definition
        inputs: Mapping[str, Schema] = {"input": TEXT}
        if definition.inputs is not None:
            inputs = {given.name.text: given.schema for given in definition.inputs}
        previous = None
        if len(inputs) == 1:
            [(name, schema)] = inputs.items()
            previous = Previous(schema, (Carrier("", frozenset({name}), is_input=True),))
        later = frozenset(_ids_of(definition.steps)) | frozenset(_ids_of(definition.on_failure))
        return Scope(inputs, {}, frozenset(self.names.environment), previous, later=later)

    def _on_failure(self, after: Scope) -> tuple[PlannedStep, ...]:
        scope = after._replace(previous=Previous(TEXT)).with_extra(error=ERROR_SCHEMA)
        return self._chain(self.definition.on_failure, scope, _Place(f"{ON_FAILURE}/", is_cleanup=True))[0]

    def _output_schema(self, after: Scope) -> Schema | None:
        if self.definition.output is not None:
            return schema_of_value(self.definition.output, after)
        return after.previous.schema if after.previous is not None else None

    # ---------------------------------------------------------------------------------------------- chains and steps

    def _chain(
        self, steps: Sequence[StepDefinition], scope: Scope, place: _Place
    ) -> tuple[tuple[PlannedStep, ...], Scope]:
        """Plan the steps of a chain, and return the scope after them."""
        planned = []
        labels = {definition.id.text for definition in steps if definition.id is not None}
        for position, definition in enumerate(steps, start=1):
            tool = self.tools.find(definition.action.tool) if isinstance(definition.action, Use) else None
            label = _label_of(definition, tool, position, labels)
            is_last = place.is_last and position == len(steps)
            here = PlannedStep(
                definition,
                label,
                path=place.path + label,
                position=position,
                of=len(steps),
                on_error=self._on_error(definition),
                tool=tool,
                adapts=not is_last or definition.adapter_location is not None,
            )
            step, scope = self._step(here, scope, place._replace(is_last=is_last))
            planned.append(step)
        return tuple(planned), scope

    def _on_error(self, definition: StepDefinition) -> OnError:
        if definition.on_error is not None:
            return definition.on_error
        continues = self.definition.error_strategy is ErrorStrategy.CONTINUE_ON_FAILURE
        return "continue" if continues else "fail"

    def _step(self, step: PlannedStep, scope: Scope, place: _Place) -> tuple[PlannedStep, Scope]:
        """Plan one step, and return the scope after it."""
        definition = step.definition
        roots = self.checker.check(definition.when, scope)
        inner, is_concurrent = scope, place.is_concurrent
        if definition.each is not None:
            roots |= self.checker.check(definition.each.items, scope)
            inner = scope.with_extra(item=self._item_schema(definition.each.items, scope), index={"type": "integer"})
            is_concurrent = is_concurrent or definition.each.max_parallel > 1
        elif isinstance(definition.node, documents.Mapping) and "for_each" in definition.node.entries:
            inner = scope.with_extra(item=None, index=None)  # its value is invalid, which was reported
        step, schema, read, inside = self._action(step, inner, place._replace(is_concurrent=is_concurrent))
        roots |= read | self._approval(definition, inner)
        if place.is_cleanup:
            roots |= {"prev"}
        schema = self._adapted(step, inner, schema, place)
        if definition.each is not None:
            schema = {"type": "array"} if schema is None else {"type": "array", "items": schema}
        self._check_fallback(step, inner)
        self.remarks.note(step, scope, roots, is_concurrent=is_concurrent)
        return step, scope_after(step, scope, inside, schema)

    def _action(self, step: PlannedStep, scope: Scope, place: _Place) -> _Planned:
        match step.definition.action:
            case Use() as use:
                return self._call(step, use, scope)
            case Compute(value):
                return _Planned(step, schema_of_value(value, scope), self.checker.check(value, scope))
            case Branches() as branches:
                return self._branches(step, branches, scope, place)
            case other:
                roots = (self.checker.check(value, scope) for value in other.values.values())
                return _Planned(step, None, set().union(*roots))

    def _call(self, step: PlannedStep, use: Use, scope: Scope) -> _Planned:
        roots = self.checker.check(use.arguments, scope)
        if step.tool is None:
            return _Planned(step, None, roots)
        feed = Feeder(use, step.tool, scope, self.problems, step.definition.node).feed()
        return _Planned(step._replace(feed=feed), step.tool.spec.output_schema, roots | _roots_of(feed, scope))

    def _branches(self, step: PlannedStep, action: Branches, scope: Scope, place: _Place) -> _Planned:
        branches = {name: steps for name, (_, steps) in action.branches.items()}
        ids = {name: frozenset(_ids_of(steps)) for name, steps in branches.items()}
        everywhere = frozenset().union(*ids.values())
        is_concurrent = place.is_concurrent or len(branches) > 1
        planned: dict[str, tuple[PlannedStep, ...]] = {}
        schemas: dict[str, Schema] = {}
        inside: dict[str, Schema | None] = {}
        for name, steps in branches.items():
            beside = scope.beside | (everywhere - ids[name])
            inner = scope._replace(beside=beside)
            planned[name], after = self._chain(steps, inner, _Place(f"{step.path}/{name}/", is_concurrent))
            schemas[name] = (after.previous.schema if after.previous else None) or {}
            inside |= {one: schema for one, schema in after.steps.items() if one not in scope.steps}
        schema = {"type": "object", "properties": schemas, "required": list(schemas)}
        return _Planned(step._replace(branches=planned), schema, set(), inside)

    # ------------------------------------------------------------------------------------------------- single keys

    def _item_schema(self, items: Value, scope: Scope) -> Schema | None:
        schema = schema_of_value(items, scope)
        kinds = alternatives(schema)
        if kinds and all(one.get("type") in ("string", "object", "integer", "number", "boolean") for one in kinds):
            message = "for_each needs a list, but this is not one"
            self.problems.append(
                Problem(
                    TYPE_MISMATCH, message, items.node.location, hint="split(…), keys(…) and values(…) return lists"
                )
            )
        return member(schema, -1)[1]  # any item: of a tuple, it is not known which

    def _approval(self, definition: StepDefinition, scope: Scope) -> set[str]:
        approval = definition.approval
        if approval is None:
            return set()
        checked = (self.checker.check(value, scope) for value in (approval.message, approval.show, approval.when))
        return set().union(*checked)

    def _adapted(self, step: PlannedStep, scope: Scope, schema: Schema | None, place: _Place) -> Schema | None:
        adapter = step.definition.adapter
        if adapter is None or not step.adapts:
            return schema
        if isinstance(adapter, AdapterFunction):
            return None
        if place.is_last and step.definition.adapter_location is not None:
            message = "'adapt' has no effect in the last step, because no step follows"
            self.problems.append(
                Problem(
                    UNKNOWN_KEY,
                    message,
                    step.definition.adapter_location,
                    hint="reshape the result with 'output:' at the top",
                )
            )
        inner = scope.with_extra(result=schema)
        self.checker.check(adapter, inner)
        return schema_of_value(adapter, inner)

    def _check_fallback(self, step: PlannedStep, scope: Scope) -> None:
        if isinstance(step.on_error, Fallback):
            self.checker.check(step.on_error.value, scope.with_extra(error=ERROR_SCHEMA))


def _roots_of(feed: Feed | None, scope: Scope) -> set[str]:
    if feed is None:
        return set()
    return {"item"} if "item" in scope.extra else {"prev"}


def _label_of(definition: StepDefinition, tool: Tool | None, position: int, taken: set[str]) -> str:
    """Return the label of a step: its id, or else its tool's name or kind, with its position added if not unique."""
    if definition.id is not None:
        return definition.id.text
    action = definition.action
    label = action.kind
    if isinstance(action, Use):
        label = action.tool.text if tool is None else tool.name
    if label in taken:
        label = f"{label}_{position}"
    taken.add(label)
    return label


def _ids_of(steps: Iterable[StepDefinition]) -> Iterable[str]:
    for step in steps:
        if step.id is not None:
            yield step.id.text
        if isinstance(step.action, Branches):
            for _, inner in step.action.branches.values():
                yield from _ids_of(inner)
