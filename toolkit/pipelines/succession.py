"""Computes the scope after a step."""

from collections.abc import Mapping

from toolkit.pipelines.plans import PlannedStep
from toolkit.pipelines.schema_types import Schema, bounded
from toolkit.pipelines.scopes import Carrier, Previous, Scope


def scope_after(step: PlannedStep, scope: Scope, inside: Mapping[str, Schema | None], schema: Schema | None) -> Scope:
    """Return the scope after a step, which adds its output and the outputs of the steps inside it."""
    definition = step.definition
    certain = bounded(schema) if step.on_error == "fail" else None
    own = {} if definition.id is None else {definition.id.text: certain}
    previous = scope.previous
    if step.kind != "approve":
        previous = Previous(certain, (Carrier(step.label, frozenset([*own, *inside])),))
        if definition.when is not None:
            previous = _either(previous, scope.previous)
    steps = {**scope.steps, **inside, **own}
    return scope._replace(steps=steps, previous=previous, later=scope.later - steps.keys())


def _either(one: Previous, other: Previous | None) -> Previous:
    """Return the previous output after a step that may be skipped."""
    if other is None:
        return Previous(None, one.carriers)
    carriers = (*one.carriers, *other.carriers)
    if one.schema is None or other.schema is None:
        return Previous(None, carriers)
    return Previous(bounded({"anyOf": [one.schema, *other.schema.get("anyOf", [other.schema])]}), carriers)
