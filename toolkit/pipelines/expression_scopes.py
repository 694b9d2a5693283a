"""Scopes: what expressions can read at one point of a pipeline, and the types of it that are known."""

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from toolkit.codes import UNKNOWN_REFERENCE
from toolkit.pipelines.plans import PlannedStep
from toolkit.pipelines.schema_relations import Schema, bounded, member, names_of, schema_of_data
from toolkit.pipelines.templated_data import (
    ConstantValue,
    ListValue,
    LocatedExpression,
    MappingValue,
    TemplateValue,
    Value,
    expressions_in,
)
from toolkit.problems import Location, Problem, did_you_mean

if TYPE_CHECKING:
    from toolkit.pipelines.expressions import Expression, Reference


RECORD: Mapping[str, Schema] = {
    "output": {},
    "text": {"type": "string"},
    "status": {"enum": ["ok", "failed", "skipped", "rejected", "timed_out"]},
    "error": {},
    "attempts": {"type": "integer"},
    "seconds": {"type": "number"},
}
ERROR_SCHEMA: Schema = {
    "type": "object",
    "properties": {"message": {"type": "string"}, "code": {}, "step": {"type": ["string", "null"]}},
}


class Carrier(NamedTuple):
    """A possible source of the previous output: a step, or the pipeline's only input.

    Attributes:
        label: The step's label for messages; empty for the input.
        names: The names by which it can be read: the ids of the step and of the steps inside it, or the input's name.
        is_input: Whether it is the input.
        acts: Whether it is a step that is there for its effect, so that its output may be ignored.
    """

    label: str
    names: frozenset[str]
    is_input: bool = False
    acts: bool = False


class Previous(NamedTuple):
    """The previous output: its schema, and its possible sources (several if a step may be skipped)."""

    schema: Schema | None
    carriers: tuple[Carrier, ...] = ()


class Scope(NamedTuple):
    """What expressions can read at one point.

    Attributes:
        inputs: The schema of each input.
        steps: The output schemas of the steps that have run, by id.
        environment: The names of the environment variables that can be read.
        previous: The previous output, if there is one.
        beside: The ids of steps that run at the same time in other branches.
        later: All other ids of the pipeline.
        extra: The schemas of `item`, `index`, `result` and `error`, where they exist.
    """

    inputs: Mapping[str, Schema]
    steps: Mapping[str, Schema | None]
    environment: frozenset[str]
    previous: Previous | None = None
    beside: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    extra: Mapping[str, Schema | None] = {}

    def with_extra(self, **extra: Schema | None) -> "Scope":
        """Return the scope with more roots."""
        return self._replace(extra={**self.extra, **extra})


class Reading(NamedTuple):
    """The names that are read anywhere in a pipeline."""

    steps: set[str]
    inputs: set[str]
    environment: set[str]


_PLACES = {
    "item": "'item' exists only in a step with 'for_each'",
    "index": "'index' exists only in a step with 'for_each'",
    "result": "'result' exists only in 'adapt'",
    "error": "'error' exists only in 'on_failure' and in the value of 'on_error'",
}


class ReferenceChecker:
    """Checks the references of a pipeline and records what they read."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.read = Reading(set(), set(), set())

    def check(self, value: Value | None, scope: Scope) -> set[str]:
        """Report the invalid references of a value, and return the roots that it reads."""
        roots = set()
        for located in expressions_in(value):
            for reference in located.expression.references:
                roots.add(reference.root)
                self._note(reference, scope)
                self._check(reference, located, scope)
        return roots

    def _note(self, reference: "Reference", scope: Scope) -> None:
        first = str(reference.path[0]) if reference.path else None
        if reference.root == "steps":
            self.read.steps.update(scope.steps if first is None else [first])
        elif reference.root == "inputs":
            self.read.inputs.update(scope.inputs if first is None else [first])
        elif reference.root == "env":
            self.read.environment.update(scope.environment if first is None else [first])
        elif reference.root == "input":
            self.read.inputs.update(scope.inputs)

    def _check(self, reference: "Reference", located: LocatedExpression, scope: Scope) -> None:
        path = reference.path
        match reference.root:
            case "steps":
                self._check_step(reference, located, scope)
            case "inputs" if path and path[0] not in scope.inputs:
                hint = did_you_mean(str(path[0]), scope.inputs, otherwise=_listed("the inputs are", scope.inputs))
                self._report(located.locate(reference), f"there is no input {path[0]!r}", hint)
            case "input" if len(scope.inputs) != 1:
                hint = _listed("write inputs.name; the inputs are", scope.inputs)
                self._report(
                    located.locate(reference), "'input' exists only if the pipeline has exactly one input", hint
                )
            case "env" if path and path[0] not in scope.environment:
                hint = did_you_mean(
                    str(path[0]), scope.environment, otherwise="list it under 'env' in the configuration"
                )
                self._report(
                    located.locate(reference), f"the configuration does not list the variable {path[0]!r}", hint
                )
            case "prev" if scope.previous is None:
                hint = _listed("read an input instead:", [f"inputs.{name}" for name in scope.inputs])
                self._report(located.locate(reference), "'prev' is empty here: no step has run before", hint)
            case root if root in _PLACES and root not in scope.extra:
                self._report(located.locate(reference), _PLACES[root], None)
            case _:
                self._check_members(reference, located, scope)

    def _check_step(self, reference: "Reference", located: LocatedExpression, scope: Scope) -> None:
        if not reference.path:
            return
        name, *rest = reference.path
        place = located.locate(reference)
        if name in scope.steps:
            if rest and rest[0] not in RECORD:
                hint = did_you_mean(str(rest[0]), RECORD, otherwise=f"a step has {', '.join(RECORD)}")
                self._report(place, f"a step has no {str(rest[0])!r}", hint)
            else:
                self._check_members(reference, located, scope)
        elif name in scope.beside:
            self._report(place, f"step {name!r} runs at the same time, in another branch", "read it after the branches")
        elif name in scope.later:
            self._report(place, f"step {name!r} has not run yet here", "a step reads only what ran before it")
        else:
            listed = _listed("the steps before this are", scope.steps) or "set this 'id' on the step you mean"
            hint = did_you_mean(str(name), scope.steps, otherwise=listed)
            self._report(place, f"there is no step with the id {str(name)!r}", hint)

    def _check_members(self, reference: "Reference", located: LocatedExpression, scope: Scope) -> None:
        """Report a member that is known not to exist."""
        schema, path = _beginning(reference, scope)
        for key in path:
            state, inner = member(schema, key)
            if state == "missing":
                names = names_of(schema)
                hint = did_you_mean(str(key), names, otherwise=_listed("it has", names))
                source = located.expression.source[reference.offset : reference.offset + reference.length]
                self._report(located.locate(reference), f"{source!r} does not exist: there is no {str(key)!r}", hint)
            if state != "known":
                return
            schema = inner

    def _report(self, place: Location, message: str, hint: str | None) -> None:
        self.problems.append(Problem(UNKNOWN_REFERENCE, message, place, hint=hint))


def _listed(words: str, names: Iterable[str]) -> str | None:
    names = sorted(names)
    return f"{words} {', '.join(names)}" if names else None


def _beginning(reference: "Reference", scope: Scope) -> tuple[Schema | None, tuple[str | int, ...]]:
    """Return the schema for the first part of a reference, if it is known, and the rest of the path."""
    path = reference.path
    match reference.root:
        case "steps" if len(path) > 1 and path[1] == "output":
            return scope.steps.get(str(path[0])), path[2:]
        case "steps" if len(path) > 1:
            return (ERROR_SCHEMA if path[1] == "error" else RECORD.get(str(path[1]))), path[2:]
        case "inputs" if path:
            return scope.inputs.get(str(path[0])), path[1:]
        case "input":
            return next(iter(scope.inputs.values()), None), path
        case "prev":
            return (scope.previous.schema if scope.previous else None), path
        case "env" if path:
            return {"type": "string"}, path[1:]
        case root if root in scope.extra:
            return scope.extra[root], path
        case _:
            return None, ()


def schema_of_value(value: Value, scope: Scope) -> Schema | None:
    """Return the schema of a value as far as it is known before the run."""
    match value:
        case ConstantValue():
            return schema_of_data(value.data)
        case TemplateValue():
            if not value.template.single:
                return {"type": "string"}
            return _schema_of_expression(value.template.expressions[0][0], scope)
        case ListValue():
            parts = [schema_of_value(item, scope) for item in value.items]
            known = [part for part in parts if part is not None]
            return {"type": "array", "items": {"anyOf": known}} if len(known) == len(parts) else {"type": "array"}
        case MappingValue():
            properties = {name: schema_of_value(entry, scope) or {} for name, entry in value.entries.items()}
            return {"type": "object", "properties": properties, "required": list(properties)}
        case _:
            return None


_RESULTS = {
    "str": "string", "join": "string", "lower": "string", "upper": "string", "strip": "string", "replace": "string",
    "json": "string", "int": "integer", "len": "integer", "float": "number", "bool": "boolean", "any": "boolean",
    "all": "boolean", "startswith": "boolean", "endswith": "boolean", "contains": "boolean", "split": "array",
    "lines": "array", "keys": "array", "values": "array", "sorted": "array", "unique": "array",
}  # fmt: skip
"""The return types of functions in expressions, where only one type is possible."""


def _schema_of_expression(expression: "Expression", scope: Scope) -> Schema | None:
    match expression.tree:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _schema_of_reference(expression, scope)
        case ast.Call(func=ast.Name(id=name)) if name in _RESULTS:
            return {"type": _RESULTS[name]}
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return {"type": "boolean"}
        case ast.List() | ast.ListComp():
            return {"type": "array"}
        case ast.Dict() | ast.DictComp():
            return {"type": "object"}
        case ast.Constant(value=data):
            return schema_of_data(data)
        case _:
            return None


def _schema_of_reference(expression: "Expression", scope: Scope) -> Schema | None:
    """Return the schema of an expression that consists of a single reference."""
    if len(expression.references) != 1:
        return None
    [reference] = expression.references
    if reference.length != len(expression.source.strip()):
        return None
    schema, path = _beginning(reference, scope)
    for key in path:
        state, schema = member(schema, key)
        if state != "known":
            return None
    return schema


def scope_after(step: PlannedStep, scope: Scope, inside: Mapping[str, Schema | None], schema: Schema | None) -> Scope:
    """Return the scope after a step, which adds its output and the outputs of the steps inside it."""
    definition = step.definition
    certain = bounded(schema) if step.on_error == "fail" else None
    own = {} if definition.id is None else {definition.id.text: certain}
    previous = scope.previous
    if step.kind != "approve":
        previous = Previous(certain, (Carrier(step.label, frozenset([*own, *inside]), acts=_acts(step)),))
        if definition.when is not None:
            previous = _either(previous, scope.previous)
    steps = {**scope.steps, **inside, **own}
    return scope._replace(steps=steps, previous=previous, later=scope.later - steps.keys())


def _acts(step: PlannedStep) -> bool:
    """Return whether a step changes something, as far as its tool says."""
    spec = None if step.tool is None else step.tool.spec
    return spec is not None and bool(spec.destructive or spec.requires_approval or spec.read_only is False)


def _either(one: Previous, other: Previous | None) -> Previous:
    """Return the previous output after a step that may be skipped."""
    if other is None:
        return Previous(None, one.carriers)
    carriers = (*one.carriers, *other.carriers)
    if one.schema is None or other.schema is None:
        return Previous(None, carriers)
    return Previous(bounded({"anyOf": [one.schema, *other.schema.get("anyOf", [other.schema])]}), carriers)
