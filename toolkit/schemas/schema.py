"""Represents a JSON Schema, or a part of one with its location, and what it means for values; tidies generated ones."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from toolkit.redactors.secret_names import names_secret
from toolkit.schemas.keywords import HOLDERS, MAPS, holders_about
from toolkit.schemas.places import (
    ANYTHING,
    MAPPINGS,
    REFERENCES,
    Pointer,
    declared_kinds,
    in_both,
    name_at,
    place_of,
    places_in,
    places_within,
    reference_in,
    steps_of,
)

_ONE_VALUE = frozenset({"const", "default", "title", "$comment"})
_VALUES = frozenset({"enum", "examples"})


class SchemaText(NamedTuple):
    """A text in a schema.

    Attributes:
        kind: The kind of text; a `value` is an enum value, a constant, a default or an example.
        value: The text.
        parameter: The outermost name that it belongs to: a parameter of the tool.
        pointer: Its location; that of a member's name is the location of its schema.
    """

    kind: Literal["description", "parameter name", "parameter", "value"]
    value: str
    parameter: str | None
    pointer: Pointer


def own_texts(node: Mapping[str, Any], pointer: Pointer, parameter: str | None) -> Iterator[SchemaText]:
    """Yield the texts of a schema itself, without those of schemas inside it."""
    for key, value in node.items():
        if key == "description" and isinstance(value, str):
            yield SchemaText("parameter" if parameter else "description", value, parameter, (*pointer, key))
        elif key in _ONE_VALUE and isinstance(value, str):
            yield SchemaText("value", value, parameter, (*pointer, key))
        elif key in _VALUES and isinstance(value, list | tuple):
            for index, one in enumerate(value):
                if isinstance(one, str):
                    yield SchemaText("value", one, parameter, (*pointer, key, index))


DEEPEST = 100
"""Maximum depth of nested schemas that is searched when the result depends on all of them."""

_DATA = ("default", "const", "enum", "examples", "example")
_OF_SAME_VALUE = holders_about("itself").union(REFERENCES)
_DESCRIBING = _OF_SAME_VALUE - {"not"} | {"patternProperties"}
_OF_OTHER_MEMBERS = holders_about("member") - {"properties"}
_OF_ITEMS = holders_about("item")
_APPLYING = holders_about("itself", "member", "item", "name", "content")
_EITHER = frozenset({"anyOf", "oneOf"})
_BRANCHING = _EITHER.union(REFERENCES, ("allOf",))
_OTHERS = "additionalProperties"
_POSITIONS = (("prefixItems", "items"), ("items", "additionalItems"))  # since 2020, and before

is_secret_name = lru_cache(maxsize=1024)(names_secret)


class Schema(NamedTuple):
    """A schema with its location. It is immutable, and may be any data: what is not a schema has no parts or keywords.

    Attributes:
        root: The whole schema, with the definitions that it may refer to.
        node: The schema itself: an object, true or false.
        pointer: The keys and indexes that lead to it from the root.
    """

    root: Any
    node: Any
    pointer: Pointer = ()

    @classmethod
    def of(cls, root: Any) -> "Schema":
        """Return the `Schema` of a whole schema."""
        return cls(root, root)

    @property
    def keywords(self) -> Mapping[str, Any]:
        """Its keywords; true and false have none."""
        return self.node if isinstance(self.node, MAPPINGS) else {}

    def held(self, keywords: Container[str] = HOLDERS) -> "list[tuple[str, Schema]]":
        """Return the schemas directly inside, each with the keyword that contains it."""
        return [(str(steps[0]), self.part(steps, node)) for steps, node in places_in(self.node, keywords)]

    def part(self, steps: Pointer, node: Any) -> "Schema":
        """Return a part of this schema with its location."""
        return Schema(self.root, node, self.pointer + steps)

    def parts(self) -> "Iterator[Schema]":
        """Yield this schema and every schema inside it, outer ones first, in order; references are not followed."""
        return (self.part(steps, node) for steps, node in places_within(self.node))

    def at(self, *steps: str | int) -> "Schema":
        """Return the schema at keys and indexes; one without keywords if there is none."""
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
        """Return the target of its reference in a list; empty if it has no reference, or the target does not exist.

        A schema that was composed of several schemas contains the definitions of each next to it. So if the root has no
        definition of a name, the one in the closest enclosing schema is used.
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
        """Return the final target of its references, or itself; None if there is no target, or only a circle."""
        part, seen = self, set()
        while reference_in(part.node) is not None:
            seen.add(part.pointer)
            found = [one for one in part.targets() if one.pointer not in seen]
            if not found:
                return None
            part = found[0]
        return part

    def applied(self) -> "list[Schema]":
        """Return every schema that applies to the same value: itself, reference targets, branches and conditions."""
        return [self] if _OF_SAME_VALUE.isdisjoint(self.keywords) else _closed_over(self, Schema.applied_directly)

    def applied_directly(self) -> "list[Schema]":
        """Return the schemas directly inside, or referred to, that apply to the same value."""
        return [] if _OF_SAME_VALUE.isdisjoint(self.keywords) else [*self.inner(_OF_SAME_VALUE), *self.targets()]

    def reached(self) -> "list[Schema]":
        """Return every schema that applies to the value or to something in it, following references."""
        return _closed_over(self, lambda part: [*part.inner(_APPLYING), *part.targets()])

    def members(self, name: str) -> "list[Schema]":
        """Return the schemas that apply to a member of the value; patterns of names are assumed to match every name."""
        properties = self.keywords.get("properties")
        if not isinstance(properties, Mapping) or name not in properties:
            return self.inner(_OF_OTHER_MEMBERS)
        return [self.part(("properties", name), properties[name]), *self.inner(("patternProperties",))]

    def items(self, index: int) -> "list[Schema]":
        """Return the schemas that apply to an item of the value."""
        held = self.held(_OF_ITEMS)
        positioned = [one for _, one in held if one.pointer[-1] == index]
        anywhere = [one for key, one in held if key == "contains"]
        others = [one for key, one in held if key != "contains" and not isinstance(one.pointer[-1], int)]
        return [*positioned, *anywhere, *([] if positioned else others)]

    def member(self, name: str) -> "Schema":
        """Return the schema of a member of the value: that of its property, or of additional properties."""
        return self.at("properties", name) if name in self.keywords.get("properties", ()) else self.at(_OTHERS)

    @property
    def is_described_elsewhere(self) -> bool:
        """Whether members of the value may also be described by a branch, a reference or a pattern of names."""
        return not _DESCRIBING.isdisjoint(self.keywords)

    def item(self, index: int) -> "Schema":
        """Return the schema of an item of the value: that of its position, or of all further items."""
        for keyword, others in _POSITIONS:
            if isinstance(positioned := self.keywords.get(keyword), list | tuple):
                return self.at(keyword, index) if index < len(positioned) else self.at(others)
        return self.at("items")

    @property
    def positions(self) -> int:
        """The number of items of the value with a separate schema."""
        return sum(isinstance(one.pointer[-1], int) for one in self.inner(_OF_ITEMS))

    def inner(self, keywords: Container[str] = HOLDERS) -> "list[Schema]":
        """Return the schemas directly inside, or only those in certain keywords."""
        root, _, pointer = self
        return [Schema(root, node, pointer + steps) for steps, node in places_in(self.node, keywords)]

    def alternatives(self) -> "list[Schema]":
        """Return the schemas of which one must match, following references; itself if it has no branches."""
        if _BRANCHING.isdisjoint(self.keywords):
            return [self]
        return [part for part in _closed_over(self, _branches_of) if not _branches_of(part)]

    def kinds(self) -> frozenset[str]:
        """Return the JSON types that a value may have; all of them if the schema does not restrict them."""
        found = declared_kinds(self.node) if _BRANCHING.isdisjoint(self.keywords) else _kinds_of(self, {}, 0)
        return found or ANYTHING

    def depth(self, *, across_references: bool = True) -> int:
        """Return the depth of nested objects with members; recursive schemas count once."""
        return _depth_of(self, {}, 0, across_references=across_references)

    def texts(self, parameter: str | None = None) -> Iterator[SchemaText]:
        """Yield every text that a model reads, outer ones first, in order.

        Args:
            parameter: The name of the parameter, if this is the schema of a single one.
        """
        for part in self.parts():
            steps = steps_of(part.pointer[len(self.pointer) :])
            names = [str(name) for keyword, name in steps if keyword in MAPS]
            owner = parameter or (names[0] if names else None)
            if steps and steps[-1][0] in MAPS:
                yield SchemaText("parameter name", names[-1], owner, part.pointer)
            yield from own_texts(part.keywords, part.pointer, owner)

    def secrets(self) -> "Iterator[Schema]":
        """Yield every part whose value is a secret, following references."""
        return (part for part in self.reached() if part.is_secret)

    @property
    def is_secret(self) -> bool:
        """Whether the value is a secret: marked as write-only or a password, or a string with the name of a secret."""
        return self.is_marked_secret or (
            self.pointer[-2:-1] == ("properties",)
            and is_secret_name(name_at(self.pointer) or "")
            and "string" in self.kinds()
        )

    @property
    def is_marked_secret(self) -> bool:
        """Whether it marks the value as a secret."""
        keywords = self.keywords
        return keywords.get("writeOnly") is True or keywords.get("format") == "password"

    def choices(self) -> Sequence[Any]:
        """Return the only values that it allows itself, by `const` or `enum`; empty if it has neither."""
        return (self.keywords["const"],) if "const" in self.keywords else self.keywords.get("enum", ())

    def values(self) -> list[Any]:
        """Return the data in it: a default, a constant, choices and examples."""
        return [self.keywords[key] for key in _DATA if key in self.keywords]


def _closed_over(part: Schema, leads: Callable[[Schema], list[Schema]]) -> list[Schema]:
    """Return a part and all parts that can be reached from it, each once."""
    found: dict[Pointer, Schema] = {}
    waiting = [part]
    while waiting:
        current = waiting.pop()
        if current.pointer not in found:
            found[current.pointer] = current
            waiting += reversed(leads(current))
    return list(found.values())


def _branches_of(part: Schema) -> list[Schema]:
    """Return the schemas of which one must match instead: its target, its branches, or the only one in `allOf`."""
    if _BRANCHING.isdisjoint(part.keywords):
        return []
    whole = part.inner(("allOf",))
    return part.targets() or part.inner(_EITHER) or (whole if len(whole) == 1 else [])


def _kinds_of(part: Schema, known: dict[Pointer, frozenset[str]], level: int) -> frozenset[str]:
    """Return the types that a value may have; empty while they are still being determined."""
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
    """Return the schemas that must match too, in groups of which one must match."""
    alone = [*part.targets(), *part.inner(("allOf",))]
    unions = [part.inner((union,)) for union in _EITHER]
    return [*([one] for one in alone), *filter(None, unions)]


def _depth_of(part: Schema, known: dict[Pointer, int], level: int, *, across_references: bool) -> int:
    if part.pointer in known or level > DEEPEST:
        return known.get(part.pointer, 0)
    known[part.pointer] = 0  # until it is known, so that recursive schemas count once
    inner = [*part.inner(_APPLYING), *(part.targets() if across_references else ())]
    below = max((_depth_of(one, known, level + 1, across_references=across_references) for one in inner), default=0)
    known[part.pointer] = below + bool(part.keywords.get("properties"))
    return known[part.pointer]


REFERENCE = "#/$defs/"


def tidied(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a generated schema without titles and needless definitions.

    A definition that is used once is moved to its use. One that is used more often, or by itself, is kept.
    """
    definitions: dict[str, dict[str, Any]] = schema.get("$defs", {})
    if "$ref" in schema:  # a recursive type, whose schema is copied to the root
        schema |= deepcopy(definitions[schema.pop("$ref").removeprefix(REFERENCE)])
    for part in parts_of(schema):
        if isinstance(tags := part.get("discriminator"), dict):
            _require_tag(str(tags.get("propertyName")), Schema(schema, part).alternatives())
    _each(schema, _without_needless_keys)
    for name in list(definitions):
        users = [part for part in parts_of(schema) if part.get("$ref") == REFERENCE + name]
        inside = any(part is user for part in parts_of(definitions[name]) for user in users)
        if len(users) == 1 and not inside:
            user, definition = users[0], definitions.pop(name)
            del user["$ref"]
            result = dict(user)
            user.clear()
            user.update(definition | result)
    if not definitions:
        schema.pop("$defs", None)
    _each(schema, put_in_order)
    return schema


def _require_tag(tag: str, branches: Iterable[Schema]) -> None:
    """Require the member that selects a branch of a union, although it has a default: calls fail without it."""
    for branch in branches:
        if tag in (members := branch.keywords.get("properties", {})):
            members[tag].pop("default", None)
            branch.node["required"] = list(dict.fromkeys([*branch.keywords.get("required", ()), tag]))


def _without_needless_keys(schema: dict[str, Any]) -> None:
    """Drop titles, which repeat names, discriminators, which repeat constants, and descriptions that say nothing."""
    schema.pop("title", None)
    if schema.get("description") == "":
        del schema["description"]
    schema.pop("discriminator", None)


def parts_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a schema and every schema inside it."""
    return [part for _, part in places_within(schema) if isinstance(part, dict)]


def joined_sentences(first: str, second: str) -> str:
    """Join two texts, with a full stop after the first one unless it ends with punctuation."""
    first, second = first.rstrip(), second.strip()
    if not (first and second):
        return first or second
    is_ended = first.rstrip(_CLOSING).endswith(_ENDS)
    return f"{first}{'' if is_ended else '.'} {second}"


_ENDS = tuple(".!?:;…\u3002\uff01\uff1f")  # the last three are those of Chinese and Japanese
_CLOSING = "\"')]»”"


def _each(schema: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> None:
    for part in parts_of(schema):
        change(part)


_FIRST = ("$ref", "type", "description", "properties", "required")


def put_in_order(schema: dict[str, Any]) -> None:
    """Move the most important keywords to the front, and the definitions to the end."""
    keys = [key for key in _FIRST if key in schema]
    keys += [key for key in schema if key not in keys and key != "$defs"]
    keys += ["$defs"] if "$defs" in schema else []
    copy = dict(schema)
    schema.clear()
    schema.update((key, copy[key]) for key in keys)
