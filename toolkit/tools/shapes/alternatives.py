"""Alternatives: the schemas of which one must hold for a value, with everything that they refer to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_MOST_REFERENCES = 20
"""How many references are followed from one place; a schema may refer to itself."""


def alternatives(schema: Any, root: Schema, followed: int = 0) -> Iterator[Schema]:
    """Yield the alternatives of a schema; one that cannot be told from others is an alternative without a type.

    Args:
        schema: The schema.
        root: The schema that holds the definitions.
        followed: How many references led here.
    """
    if not isinstance(schema, Mapping) or followed > _MOST_REFERENCES:
        yield {}
    elif isinstance(reference := schema.get("$ref"), str):
        yield from alternatives(_definition(reference, root), root, followed + 1)
    elif parts := schema.get("anyOf") or schema.get("oneOf"):
        for part in parts:
            yield from alternatives(part, root, followed + 1)
    else:
        yield {} if "allOf" in schema else schema


def _definition(reference: str, root: Schema) -> Any:
    found: Any = root
    for name in reference.removeprefix("#/").split("/"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def kinds_of(schema: Schema) -> Sequence[str]:
    """Return the types that a single schema names."""
    said = schema.get("type", ())
    return (said,) if isinstance(said, str) else said


def choices_of(schema: Schema) -> Sequence[Any]:
    """Return the values that a single schema lists; none where it lists none."""
    return (schema["const"],) if "const" in schema else schema.get("enum", ())
