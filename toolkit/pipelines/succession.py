"""Succession: what can be read after a step, and what it hands on."""

from collections.abc import Mapping

from toolkit.pipelines.plans import PlannedStep
from toolkit.pipelines.schema_types import Schema
from toolkit.pipelines.scopes import Carrier, Previous, Scope


def scope_after(step: PlannedStep, scope: Scope, inside: Mapping[str, Schema | None], schema: Schema | None) -> Scope:
    """Return what can be read after a step: its output, and that of the steps inside it."""
    definition = step.definition
    certain = schema if step.on_error == "fail" else None
    own = {} if definition.id is None else {definition.id.text: certain}
    previous = scope.previous
    if step.kind != "approve":
        previous = Previous(certain, (Carrier(step.label, frozenset([*own, *inside])),))
        if definition.when is not None:
            previous = _either(previous, scope.previous)
    steps = {**scope.steps, **inside, **own}
    return scope._replace(steps=steps, previous=previous, later=scope.later - steps.keys())


def _either(one: Previous, other: Previous | None) -> Previous:
    """Return what is handed on by a step that may be skipped."""
    if other is None:
        return Previous(None, one.carriers)
    known = one.schema is not None and other.schema is not None
    schema: Schema | None = {"anyOf": [one.schema, other.schema]} if known else None
    return Previous(schema, (*one.carriers, *other.carriers))
