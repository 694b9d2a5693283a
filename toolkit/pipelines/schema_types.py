"""Schema types: what a JSON Schema demands of a value, as far as a plan needs to know.

A schema that is `None` demands nothing. Whatever cannot be decided is left to the run.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from toolkit.schemas.keywords import DEFINITIONS
from toolkit.schemas.kinds import declared_kinds, kind_of_data
from toolkit.schemas.places import Pointer, definitions_in, reference_in
from toolkit.schemas.schema import DEEPEST, Schema as Part

Schema = Mapping[str, Any]

_MOST_PARTS = 5_000
"""How large a schema may grow that is put together from others."""

_ACCEPTS = {"number": {"integer"}, "integer": {"number"}, "string": {"integer", "number"}}
"""What a tool takes besides: numbers may be written with or without a point, and be read as text."""

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
    """Why a value does not fit, in words, and whether that is certain."""

    reason: str
    is_certain: bool = True


def resolve(schema: Schema | None) -> Schema | None:
    """Return what a schema refers to, keeping the definitions that it may refer to further on."""
    if schema is None or (reference := reference_in(schema)) is None:
        return schema
    # What was taken out of a whole keeps its definitions alone: what leads elsewhere in it is not known any more.
    found = Part.of(schema).resolved() if reference.startswith(_DEFINED) else None
    return None if found is None or not isinstance(found.node, Mapping) else _with_definitions(found.node, schema)


def part_of(schema: Schema, part: Any) -> Schema | None:
    """Return a schema that stands inside another one, with the definitions that it may refer to."""
    return resolve(_with_definitions(part, schema)) if isinstance(part, Mapping) else None


def _with_definitions(part: Schema, whole: Schema) -> Schema:
    return {**part, **definitions_in(whole)}


def alternatives(schema: Schema | None) -> list[Schema] | None:
    """Return the schemas of which one must hold, or `None` if that is not known."""
    if resolve(schema) is None or schema is None:
        return None
    found = _alternatives(Part.of(schema))
    return None if found is None else [_with_definitions(part.keywords, schema) for part in found]


def _alternatives(whole: Part) -> list[Part] | None:
    """Return the parts of which one must hold, or `None` if that is not known."""
    if (reference := reference_in(whole.node)) is not None and not reference.startswith(_DEFINED):
        return None  # what was taken out of a whole keeps its definitions alone
    parts = whole.alternatives()
    is_known = all(
        reference_in(one.node) is None and "allOf" not in one.keywords and declared_kinds(one.node) for one in parts
    )
    return parts if is_known else None


def kinds_of(schema: Schema | None) -> set[str] | None:
    """Return the types that a value may have, or `None` if that is not known."""
    parts = alternatives(schema)
    return None if parts is None else {kind for part in parts for kind in declared_kinds(part)}


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
    """Return the schema of one member of a value, and whether there is such a member at all."""
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
        return ("known", part.at("items")) if "array" in kinds else ("unknown", None)
    if kinds != {"object"}:
        # A list's or a number's members: the run will say so, since `null` and the like may be meant to be checked.
        return "unknown", None
    properties = keywords.get("properties")
    if properties is None:
        return "known", part.at("additionalProperties")
    if key in properties:
        return "known", part.at("properties", key)
    is_open = bool(keywords.get("additionalProperties")) or "patternProperties" in keywords
    return ("unknown", None) if is_open else ("missing", None)


def names_of(schema: Schema | None) -> list[str]:
    """Return the names of the members that a schema declares."""
    return [name for part in alternatives(schema) or () for name in part.get("properties", ())]


def misfit(given: Schema | None, wanted: Schema | None) -> Misfit | None:
    """Return why a value of one schema does not fit another one, or `None` if it may fit."""
    return None if given is None or wanted is None else _misfit(Part.of(given), Part.of(wanted), {})


_Known = dict[tuple[Pointer, Pointer], Misfit | None]
"""What is known of pairs of parts; one that is being looked at may fit, since schemas refer to themselves."""


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
    """Return the least bad of several misfits: none, then one that is not certain."""
    if any(one is None for one in found):
        return None
    return min((one for one in found if one is not None), key=lambda one: one.is_certain)


def _misfit_of_one(given: Part, wanted: Part, known: _Known) -> Misfit | None:
    offers, demands = declared_kinds(given.node), declared_kinds(wanted.node)
    taken = demands | {kind for demand in demands for kind in _ACCEPTS.get(demand, ())}
    if not offers & taken:
        is_number_in_text = "string" in offers and bool(demands & {"integer", "number"})
        return Misfit(f"{in_words(offers)} where {in_words(demands)} is wanted", not is_number_in_text)
    if offers == {"array"}:
        return _within("an item is", _misfit(given.at("items"), wanted.at("items"), known))
    if offers == {"object"}:
        return _misfit_of_objects(given, wanted, known)
    return None


def _misfit_of_objects(given: Part, wanted: Part, known: _Known) -> Misfit | None:
    for name in wanted.keywords.get("required", ()):
        if _member_of_any([given], name)[0] == "missing":
            return Misfit(f"a mapping without {name!r}, which is wanted")
    for name in wanted.keywords.get("properties", {}):
        _, offer = _member_of_any([given], name)
        if offer is not None and (found := _misfit(offer, wanted.at("properties", name), known)):
            return _within(f"{name!r} is", found)
    return None


def _within(where: str, found: Misfit | None) -> Misfit | None:
    return None if found is None else found._replace(reason=f"{where} {found.reason}")
