"""Compares JSON Schemas, to check before a run whether the data of a pipeline fits.

A schema that is `None` allows any value. Whatever cannot be decided before the run is checked during it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from toolkit.schemas.keywords import DEFINITIONS
from toolkit.schemas.places import Pointer, declared_kinds, definitions_in, kind_of_data, reference_in
from toolkit.schemas.schema import DEEPEST, Schema as Part

Schema = Mapping[str, Any]

_MOST_PARTS = 5_000
"""Maximum number of values in a schema that is combined from others."""

_ACCEPTS = {"number": {"integer"}, "integer": {"number"}, "string": {"integer", "number", "boolean"}}
"""Additional types that a tool accepts: numbers with or without a decimal point, and numbers and booleans as text."""

_DEFINED = tuple(f"#/{room}/" for room in DEFINITIONS)

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
    """The reason why a value does not fit, and whether that is certain."""

    reason: str
    is_certain: bool = True


def resolve(schema: Schema | None) -> Schema | None:
    """Resolve a schema's reference, keeping the definitions that further references may need."""
    if schema is None or (reference := reference_in(schema)) is None:
        return schema
    # A part keeps only the definitions of the schema that it was taken from, so no other reference can be resolved.
    found = Part.of(schema).resolved() if reference.startswith(_DEFINED) else None
    return None if found is None or not isinstance(found.node, Mapping) else _with_definitions(found.node, schema)


def part_of(schema: Schema, part: Any) -> Schema | None:
    """Return a schema from inside another one, with the definitions that it may refer to."""
    return resolve(_with_definitions(part, schema)) if isinstance(part, Mapping) else None


def _with_definitions(part: Schema, whole: Schema) -> Schema:
    return {**part, **definitions_in(whole)}


def alternatives(schema: Schema | None) -> list[Schema] | None:
    """Return the schemas of which one must match, or `None` if they are unknown."""
    if resolve(schema) is None or schema is None:
        return None
    found = _alternatives(Part.of(schema))
    return None if found is None else [_with_definitions(part.keywords, schema) for part in found]


def _alternatives(whole: Part) -> list[Part] | None:
    """Return the parts of which one must match, or `None` if they are unknown."""
    if (reference := reference_in(whole.node)) is not None and not reference.startswith(_DEFINED):
        return None  # a part keeps only the definitions of the schema that it was taken from
    parts = whole.alternatives()
    is_known = all(
        reference_in(one.node) is None and "allOf" not in one.keywords and declared_kinds(one.node) for one in parts
    )
    return parts if is_known else None


def kinds_of(schema: Schema | None) -> set[str] | None:
    """Return the types that a value can have, or `None` if they are unknown."""
    parts = alternatives(schema)
    return None if parts is None else {kind for part in parts for kind in declared_kinds(part)}


def schema_of_data(value: Any) -> Schema:
    """Return a schema that describes the given plain data."""
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
    """Return whether a schema allows strings and nothing else except null."""
    kinds = kinds_of(schema)
    return kinds is not None and "string" in kinds and kinds <= {"string", "null"}


def in_words(kinds: Iterable[str]) -> str:
    """Return types in words: `text or nothing`."""
    return " or ".join(_ARTICLES.get(kind, kind) for kind in sorted(kinds))


def bounded(schema: Schema | None) -> Schema | None:
    """Return a combined schema unchanged, or `None` if it is too large to be checked.

    The schemas of steps that include the previous output grow with every step, and double where they include it twice.
    """
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return schema
        part, depth = waiting.pop()
        if depth > DEEPEST:
            return None
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
        waiting.extend((one, depth + 1) for one in inner)
    return None


Step = str | int
_State = Literal["known", "unknown", "missing"]


def member(schema: Schema | None, key: Step) -> tuple[_State, Schema | None]:
    """Return whether a value has a member, and the member's schema if it is known."""
    parts = alternatives(schema)
    state, found = _member_of_any(None if parts is None else [Part.of(part) for part in parts], key)
    return state, None if found is None else part_of(found.root, found.node)


def _member_of_any(parts: list[Part] | None, key: Step) -> tuple[_State, Part | None]:
    if parts is None:
        return "unknown", None
    found = [_member_of_one(part, key) for part in parts if declared_kinds(part.node) != {"null"}]
    if found and all(state == "missing" for state, _ in found):
        return "missing", None
    known = [part for state, part in found if state == "known" and part is not None]
    if len(known) == 1 and len(found) == 1:
        return "known", known[0]
    return "unknown", None


def _member_of_one(part: Part, key: Step) -> tuple[_State, Part | None]:
    kinds, keywords = declared_kinds(part.node), part.keywords
    if isinstance(key, int):
        return _item_at(part, key) if "array" in kinds else ("unknown", None)
    if kinds != {"object"}:
        # This may be the member of a list or a number. The run reports it, since the author may check for null first.
        return "unknown", None
    properties = keywords.get("properties")
    if properties is None:
        return "known", part.at("additionalProperties")
    if key in properties:
        return "known", part.at("properties", key)
    is_open = bool(keywords.get("additionalProperties")) or "patternProperties" in keywords
    return ("unknown", None) if is_open else ("missing", None)


def _item_at(part: Part, index: int) -> tuple[_State, Part | None]:
    return ("unknown", None) if part.positions and index < 0 else ("known", part.item(max(index, 0)))


def names_of(schema: Schema | None) -> list[str]:
    """Return the names of the members that a schema declares."""
    return [name for part in alternatives(schema) or () for name in part.get("properties", ())]


def misfit(given: Schema | None, wanted: Schema | None) -> Misfit | None:
    """Return why a value of schema `given` does not fit schema `wanted`, or `None` if it may fit."""
    return None if given is None or wanted is None else _misfit(Part.of(given), Part.of(wanted), {})


_Known = dict[tuple[Pointer, Pointer], Misfit | None]
"""Results for pairs of parts. A pair that is still being compared counts as fitting, since schemas can be recursive."""


def _misfit(given: Part, wanted: Part, known: _Known) -> Misfit | None:
    pair = (given.pointer, wanted.pointer)
    if pair in known or max(map(len, pair)) > DEEPEST:
        return known.get(pair)
    known[pair] = None
    offers, demands = _alternatives(given), _alternatives(wanted)
    if not offers or not demands:
        return None
    found = [_best([_misfit_of_one(offer, demand, known) for demand in demands]) for offer in offers]
    known[pair] = None if any(one is None for one in found) else found[0]
    return known[pair]


def _best(found: list[Misfit | None]) -> Misfit | None:
    """Return the mildest of several misfits: none if there is one, else one that is not certain."""
    if any(one is None for one in found):
        return None
    return min((one for one in found if one is not None), key=lambda one: one.is_certain)


def _misfit_of_one(given: Part, wanted: Part, known: _Known) -> Misfit | None:
    offers, demands = declared_kinds(given.node), declared_kinds(wanted.node)
    taken = demands | {kind for demand in demands for kind in _ACCEPTS.get(demand, ())}
    if not offers & taken:
        is_number_in_text = "string" in offers and bool(demands & {"integer", "number"})
        return Misfit(f"{in_words(offers)} instead of {in_words(demands)}", not is_number_in_text)
    if offers == {"array"}:
        if given.positions or wanted.positions:
            return None  # the run checks each item of a tuple
        return _within("an item is", _misfit(given.at("items"), wanted.at("items"), known))
    if offers == {"object"}:
        return _misfit_of_objects(given, wanted, known)
    return None


def _misfit_of_objects(given: Part, wanted: Part, known: _Known) -> Misfit | None:
    for name in wanted.keywords.get("required", ()):
        if _member_of_any([given], name)[0] == "missing":
            return Misfit(f"a mapping without the required {name!r}")
    for name in wanted.keywords.get("properties", {}):
        _, offer = _member_of_any([given], name)
        if offer is not None and (found := _misfit(offer, wanted.at("properties", name), known)):
            return _within(f"{name!r} is", found)
    return None


def _within(where: str, found: Misfit | None) -> Misfit | None:
    return None if found is None else found._replace(reason=f"{where} {found.reason}")
