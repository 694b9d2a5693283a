"""Schemas: a JSON Schema, or a part of one in its place, and everything that can be asked of it."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from toolkit.redactors.secret_names import names_secret
from toolkit.schemas.keywords import HOLDERS, MAPS, holders_about
from toolkit.schemas.kinds import ANYTHING, declared_kinds, in_both
from toolkit.schemas.places import (
    MAPPINGS,
    REFERENCES,
    Pointer,
    name_at,
    place_of,
    places_in,
    places_within,
    reference_in,
    steps_of,
)
from toolkit.schemas.texts import SchemaText, own_texts

DEEPEST = 100
"""How many schemas inside one another are looked into where what is found depends on all of them."""

_DATA = ("default", "const", "enum", "examples", "example")
_OF_ITSELF = holders_about("itself").union(REFERENCES)
_DESCRIBING = _OF_ITSELF - {"not"} | {"patternProperties"}
_OF_OTHER_MEMBERS = holders_about("member") - {"properties"}
_OF_ITEMS = holders_about("item")
_SPEAKING = holders_about("itself", "member", "item", "name", "content")
_EITHER = frozenset({"anyOf", "oneOf"})
_BRANCHING = _EITHER.union(REFERENCES, ("allOf",))
_OTHERS = "additionalProperties"
_POSITIONS = (("prefixItems", "items"), ("items", "additionalItems"))  # since 2020, and before

is_secret_name = lru_cache(maxsize=1024)(names_secret)


class Schema(NamedTuple):
    """A schema in its place. It never changes, and may be any data: data that is not a schema has no parts or keywords.

    Attributes:
        root: The whole, whose definitions it may refer to.
        node: What stands there: an object, true or false.
        pointer: The keys and positions that lead there from the root.
    """

    root: Any
    node: Any
    pointer: Pointer = ()

    @classmethod
    def of(cls, root: Any) -> "Schema":
        """Return a whole schema."""
        return cls(root, root)

    @property
    def keywords(self) -> Mapping[str, Any]:
        """Its keywords; true and false have none."""
        return self.node if isinstance(self.node, MAPPINGS) else {}

    def held(self, keywords: Container[str] = HOLDERS) -> "list[tuple[str, Schema]]":
        """Return the schemas directly inside, each with the keyword that holds it."""
        return [(str(steps[0]), self.part(steps, node)) for steps, node in places_in(self.node, keywords)]

    def part(self, steps: Pointer, node: Any) -> "Schema":
        """Return what stands somewhere inside."""
        return Schema(self.root, node, self.pointer + steps)

    def parts(self) -> "Iterator[Schema]":
        """Yield it and every schema inside it, outer ones first, in their order; references are not followed."""
        return (self.part(steps, node) for steps, node in places_within(self.node))

    def at(self, *steps: str | int) -> "Schema":
        """Return the schema at keys and positions; empty if there is none."""
        found: Any = self.node
        for step in steps:
            if isinstance(found, MAPPINGS):
                found = found.get(step)
            elif isinstance(found, list | tuple) and isinstance(step, int) and 0 <= step < len(found):
                found = found[step]
            else:
                found = None
        return self.part(steps, found)

    def targets(self) -> "list[Schema]":
        """Return the one schema that it refers to; none where it refers to nothing, or to what is not there.

        What was put together from several schemas keeps the definitions of each beside it: where the root has none of
        the name, the nearest schema around it that has one is meant.
        """
        reference = reference_in(self.node)
        if reference is None:
            return []
        for end in (0, *range(len(self.pointer), 0, -1)):
            around = Schema.of(self.root).at(*self.pointer[:end])
            if found := place_of(around.node, reference):
                return [Schema(self.root, found[1], (*around.pointer, *found[0]))]
        return []

    def resolved(self) -> "Schema | None":
        """Return what it refers to in the end, or itself; None where that leads nowhere, or in a circle."""
        part, seen = self, set()
        while reference_in(part.node) is not None:
            seen.add(part.pointer)
            found = [one for one in part.targets() if one.pointer not in seen]
            if not found:
                return None
            part = found[0]
        return part

    def applied(self) -> "list[Schema]":
        """Return every schema that speaks of the same value: itself, what it refers to, branches and conditions."""
        return [self] if _OF_ITSELF.isdisjoint(self.keywords) else _closed_over(self, _more_of_the_same)

    def reached(self) -> "list[Schema]":
        """Return every schema that speaks of the value or of something in it, references followed."""
        return _closed_over(self, lambda part: [*part.inner(_SPEAKING), *part.targets()])

    def members(self, name: str) -> "list[Schema]":
        """Return the schemas that speak of a member of the value; patterns of names are taken to fit every name."""
        properties = self.keywords.get("properties")
        if not isinstance(properties, Mapping) or name not in properties:
            return self.inner(_OF_OTHER_MEMBERS)
        return [self.part(("properties", name), properties[name]), *self.inner(("patternProperties",))]

    def items(self, index: int) -> "list[Schema]":
        """Return the schemas that speak of an item of the value."""
        held = self.held(_OF_ITEMS)
        positioned = [one for _, one in held if one.pointer[-1] == index]
        anywhere = [one for key, one in held if key == "contains"]
        others = [one for key, one in held if key != "contains" and not isinstance(one.pointer[-1], int)]
        return [*positioned, *anywhere, *([] if positioned else others)]

    def member(self, name: str) -> "Schema":
        """Return the schema of a member of the value: of its own property, or of all others."""
        return self.at("properties", name) if name in self.keywords.get("properties", ()) else self.at(_OTHERS)

    @property
    def is_described_elsewhere(self) -> bool:
        """Whether something else may describe members of the value: a branch, a reference, a pattern of names."""
        return not _DESCRIBING.isdisjoint(self.keywords)

    def item(self, index: int) -> "Schema":
        """Return its own schema of an item of the value: at its position, or behind all positions."""
        for keyword, others in _POSITIONS:
            if isinstance(positioned := self.keywords.get(keyword), list | tuple):
                return self.at(keyword, index) if index < len(positioned) else self.at(others)
        return self.at("items")

    @property
    def positions(self) -> int:
        """How many items of the value have a schema of their own."""
        return sum(isinstance(one.pointer[-1], int) for one in self.inner(_OF_ITEMS))

    def inner(self, keywords: Container[str] = HOLDERS) -> "list[Schema]":
        """Return the schemas directly inside; if that is asked, those alone that certain keywords hold."""
        root, _, pointer = self
        return [Schema(root, node, pointer + steps) for steps, node in places_in(self.node, keywords)]

    def alternatives(self) -> "list[Schema]":
        """Return the schemas of which one must hold, references followed; itself where it has no branches."""
        if _BRANCHING.isdisjoint(self.keywords):
            return [self]
        return [part for part in _closed_over(self, _branches_of) if not _branches_of(part)]

    def kinds(self) -> frozenset[str]:
        """Return the JSON types that a value may have; all of them unless restricted."""
        found = declared_kinds(self.node) if _BRANCHING.isdisjoint(self.keywords) else _kinds_of(self, {}, 0)
        return found or ANYTHING

    def depth(self, *, across_references: bool = True) -> int:
        """Return how many objects with members lie inside one another; what refers to itself counts once."""
        return _depth_of(self, {}, 0, across_references=across_references)

    def texts(self, parameter: str | None = None) -> Iterator[SchemaText]:
        """Yield every text that a model reads, outer ones first, in their order.

        Args:
            parameter: The parameter that all of it belongs to, where it is the schema of one.
        """
        for part in self.parts():
            steps = steps_of(part.pointer[len(self.pointer) :])
            names = [str(name) for keyword, name in steps if keyword in MAPS]
            owner = parameter or (names[0] if names else None)
            if steps and steps[-1][0] in MAPS:
                yield SchemaText("parameter name", names[-1], owner, part.pointer)
            yield from own_texts(part.keywords, part.pointer, owner)

    def secrets(self) -> "Iterator[Schema]":
        """Yield every part, as far as references lead, of which the value is a secret."""
        return (part for part in self.reached() if part.is_secret)

    @property
    def is_secret(self) -> bool:
        """Whether the value is a secret: it is called write-only or a password, or is text under a secret's name."""
        return self.is_marked_secret or (
            self.pointer[-2:-1] == ("properties",)
            and is_secret_name(name_at(self.pointer) or "")
            and "string" in self.kinds()
        )

    @property
    def is_marked_secret(self) -> bool:
        """Whether it marks the value itself as a secret."""
        keywords = self.keywords
        return keywords.get("writeOnly") is True or keywords.get("format") == "password"

    def choices(self) -> Sequence[Any]:
        """Return the only values that it lists itself; none where it lists none."""
        return (self.keywords["const"],) if "const" in self.keywords else self.keywords.get("enum", ())

    def values(self) -> list[Any]:
        """Return the data that it gives itself: a default, a constant, choices and examples."""
        return [self.keywords[key] for key in _DATA if key in self.keywords]


def _closed_over(part: Schema, leads: Callable[[Schema], list[Schema]]) -> list[Schema]:
    """Return a part and all that it leads to, each once."""
    found: dict[Pointer, Schema] = {}
    waiting = [part]
    while waiting:
        current = waiting.pop()
        if current.pointer not in found:
            found[current.pointer] = current
            waiting += reversed(leads(current))
    return list(found.values())


def _more_of_the_same(part: Schema) -> list[Schema]:
    """Return the schemas directly inside, or referred to, that speak of the same value."""
    return [] if _OF_ITSELF.isdisjoint(part.keywords) else [*part.inner(_OF_ITSELF), *part.targets()]


def _branches_of(part: Schema) -> list[Schema]:
    """Return the schemas of which one holds instead: what it refers to, its branches, or all that it is made of."""
    if _BRANCHING.isdisjoint(part.keywords):
        return []
    whole = part.inner(("allOf",))
    return part.targets() or part.inner(_EITHER) or (whole if len(whole) == 1 else [])


def _kinds_of(part: Schema, known: dict[Pointer, frozenset[str]], level: int) -> frozenset[str]:
    """Return the types that a value may have; none while that is still being found out."""
    if part.pointer in known or level > DEEPEST:
        return known.get(part.pointer, frozenset())
    known[part.pointer] = frozenset()
    found = declared_kinds(part.node) or ANYTHING
    for demands in _demands_of(part):
        kinds = frozenset[str]().union(*(_kinds_of(one, known, level + 1) for one in demands))
        found = in_both(found, kinds) or found
    known[part.pointer] = found
    return found


def _demands_of(part: Schema) -> list[list[Schema]]:
    """Return the schemas that must hold too, in groups of which one must hold."""
    alone = [*part.targets(), *part.inner(("allOf",))]
    unions = [part.inner((union,)) for union in _EITHER]
    return [*([one] for one in alone), *filter(None, unions)]


def _depth_of(part: Schema, known: dict[Pointer, int], level: int, *, across_references: bool) -> int:
    if part.pointer in known or level > DEEPEST:
        return known.get(part.pointer, 0)
    known[part.pointer] = 0  # until it is known: what refers to itself counts once
    inner = [*part.inner(_SPEAKING), *(part.targets() if across_references else ())]
    below = max((_depth_of(one, known, level + 1, across_references=across_references) for one in inner), default=0)
    known[part.pointer] = below + bool(part.keywords.get("properties"))
    return known[part.pointer]
