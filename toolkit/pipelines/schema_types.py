"""Schema types: what a JSON Schema says about a value, as far as a plan needs to know.

A schema that is `None` says nothing. Whatever cannot be decided is left to the run.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from toolkit.schemas.kinds import kind_of_data, kinds_said
from toolkit.schemas.places import reference_in
from toolkit.schemas.schema import Schema as Whole

Schema = Mapping[str, Any]

MAX_DEPTH = 8
"""Levels down to which two schemas are held against one another; they may refer to themselves."""

MAX_PARTS = 5_000
MAX_LEVELS = 60
"""How large, and how deep, a schema may grow that is put together from others."""

_ACCEPTS = {"number": {"integer"}, "integer": {"number"}, "string": {"integer", "number"}}
"""What a tool takes besides: numbers may be written with or without a point, and be read as text."""

_ROOMS = ("$defs", "definitions")
_DEFINED = tuple(f"#/{room}/" for room in _ROOMS)

_ARTICLES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


class Misfit(NamedTuple):
    """Why a value does not fit, in words, and whether that is certain."""

    reason: str
    is_certain: bool = True


def resolve(schema: Schema | None) -> Schema | None:
    """Return what a schema refers to, keeping the definitions that it may refer to further on."""
    if schema is None or (reference := reference_in(schema)) is None:
        return schema
    # What was taken out of a whole keeps its definitions alone: what leads elsewhere in it is not known any more.
    found = Whole.of(schema).resolved() if reference.startswith(_DEFINED) else None
    return None if found is None or not isinstance(found.node, Mapping) else _with_definitions(found.node, schema)


def part_of(schema: Schema, part: Any) -> Schema | None:
    """Return a schema that stands inside another one, with the definitions that it may refer to."""
    return resolve(_with_definitions(part, schema)) if isinstance(part, Mapping) else None


def _with_definitions(part: Schema, whole: Schema) -> Schema:
    return {**part, **{room: whole[room] for room in _ROOMS if room in whole}}


def alternatives(schema: Schema | None) -> list[Schema] | None:
    """Return the schemas of which one must hold, or `None` if that is not known."""
    if resolve(schema) is None or schema is None:
        return None
    parts = [part_of(schema, part.node) for part in Whole.of(schema).alternatives()]
    found = [part for part in parts if part is not None and "allOf" not in part and kinds_said(part)]
    return found if found and len(found) == len(parts) else None


def kinds_of(schema: Schema | None) -> set[str] | None:
    """Return the types that a value may have, or `None` if that is not known."""
    parts = alternatives(schema)
    return None if parts is None else {kind for part in parts for kind in kinds_said(part)}


def schema_of_data(value: Any) -> Schema:
    """Return the schema of plain data that is known."""
    kind = kind_of_data(value)
    if kind == "object":
        return {
            "type": kind,
            "properties": {name: schema_of_data(part) for name, part in value.items()},
            "required": list(value),
        }
    if kind == "array" and value:
        return {"type": kind, "items": {"anyOf": [schema_of_data(item) for item in value]}}
    return {"type": kind}


def is_text_only(schema: Schema | None) -> bool:
    """Return whether nothing but text, or nothing at all, fits."""
    kinds = kinds_of(schema)
    return kinds is not None and "string" in kinds and kinds <= {"string", "null"}


def in_words(kinds: Iterable[str]) -> str:
    """Return types in words: `text or nothing`."""
    return " or ".join(_ARTICLES.get(kind, kind) for kind in sorted(kinds))


def bounded(schema: Schema | None) -> Schema | None:
    """Return a schema that was put together, or `None` where it grew so large that nobody could look at it.

    Schemas of steps that repeat what came before grow from step to step, and twofold where they repeat it twice.
    """
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    for _ in range(MAX_PARTS):
        if not waiting:
            return schema
        part, depth = waiting.pop()
        if depth > MAX_LEVELS:
            return None
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
        waiting.extend((one, depth + 1) for one in inner)
    return None


Step = str | int


def member(schema: Schema | None, key: Step) -> tuple[Literal["known", "unknown", "missing"], Schema | None]:
    """Return the schema of one member of a value, and whether there is such a member at all."""
    parts = alternatives(schema)
    if parts is None:
        return "unknown", None
    found = [_member_of_one(part, key) for part in parts if kinds_said(part) != {"null"}]
    if found and all(state == "missing" for state, _ in found):
        return "missing", None
    known = [part for state, part in found if state == "known" and part is not None]
    if len(known) == 1 and len(found) == 1:
        return "known", known[0]
    return "unknown", None


def _member_of_one(schema: Schema, key: Step) -> tuple[Literal["known", "unknown", "missing"], Schema | None]:
    kinds = kinds_said(schema)
    if isinstance(key, int):
        return ("known", part_of(schema, schema.get("items"))) if "array" in kinds else ("unknown", None)
    if kinds != {"object"}:
        # A list's or a number's members: the run will say so, since `null` and the like may be meant to be checked.
        return "unknown", None
    properties = schema.get("properties")
    if properties is None:
        return "known", part_of(schema, schema.get("additionalProperties"))
    if key in properties:
        return "known", part_of(schema, properties[key])
    is_open = bool(schema.get("additionalProperties")) or "patternProperties" in schema
    return ("unknown", None) if is_open else ("missing", None)


def names_of(schema: Schema | None) -> list[str]:
    """Return the names of the members that a schema declares."""
    return [name for part in alternatives(schema) or () for name in part.get("properties", ())]


def misfit(given: Schema | None, wanted: Schema | None, depth: int = 0) -> Misfit | None:
    """Return why a value of one schema does not fit another one, or `None` if it may fit."""
    offers, demands = alternatives(given), alternatives(wanted)
    if not offers or not demands or depth > MAX_DEPTH:
        return None
    found = [_best([_misfit_of_one(offer, demand, depth) for demand in demands]) for offer in offers]
    return None if any(one is None for one in found) else found[0]


def _best(found: list[Misfit | None]) -> Misfit | None:
    """Return the least bad of several misfits: none, then one that is not certain."""
    if any(one is None for one in found):
        return None
    return min((one for one in found if one is not None), key=lambda one: one.is_certain)


def _misfit_of_one(given: Schema, wanted: Schema, depth: int) -> Misfit | None:
    offers, demands = kinds_said(given), kinds_said(wanted)
    taken = demands | {kind for demand in demands for kind in _ACCEPTS.get(demand, ())}
    if not offers & taken:
        is_number_in_text = "string" in offers and bool(demands & {"integer", "number"})
        return Misfit(f"{in_words(offers)} where {in_words(demands)} is wanted", not is_number_in_text)
    if offers == {"array"}:
        return _within(
            "an item is", misfit(part_of(given, given.get("items")), part_of(wanted, wanted.get("items")), depth + 1)
        )
    if offers == {"object"}:
        return _misfit_of_objects(given, wanted, depth)
    return None


def _misfit_of_objects(given: Schema, wanted: Schema, depth: int) -> Misfit | None:
    for name in wanted.get("required", ()):
        if member(given, name)[0] == "missing":
            return Misfit(f"a mapping without {name!r}, which is wanted")
    for name, part in wanted.get("properties", {}).items():
        state, offer = member(given, name)
        if state == "known" and (found := misfit(offer, part_of(wanted, part), depth + 1)):
            return _within(f"{name!r} is", found)
    return None


def _within(where: str, found: Misfit | None) -> Misfit | None:
    return None if found is None else found._replace(reason=f"{where} {found.reason}")
