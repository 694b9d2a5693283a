"""The parts of a tool's schema that belong to each value in its arguments, and the error for those that do not fit."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from toolkit.errors import MISSING, ToolArgumentsError
from toolkit.json_texts import WrittenNumber
from toolkit.problems import did_you_mean
from toolkit.schemas.places import Pointer
from toolkit.schemas.schema import Schema


class ArgumentSchema:
    """A part of a schema with cached properties, since every call needs the same ones.

    Attributes:
        part: The part of the schema.
    """

    def __init__(self, part: Schema, known: "dict[Pointer, ArgumentSchema] | None" = None) -> None:
        """Create the cache for a part; `known` has the other parts of the same schema by their pointers."""
        self.part = part
        self._known = {part.pointer: self} if known is None else known
        self._members: dict[str, ArgumentSchema] = {}
        self._items: dict[int, ArgumentSchema] = {}

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "ArgumentSchema":
        """Return the cached form of a whole schema."""
        return cls(Schema.of(parameters))

    @cached_property
    def alternatives(self) -> "list[ArgumentSchema]":
        """The schemas of which one must match, with references resolved."""
        return [self._cached(part) for part in self.part.alternatives()]

    @cached_property
    def as_object(self) -> "ArgumentSchema":
        """The only alternative that allows an object; an empty schema if there are none or several."""
        return self._only("object")

    @cached_property
    def as_list(self) -> "ArgumentSchema":
        """The only alternative that allows an array; an empty schema if there are none or several."""
        return self._only("array")

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The JSON types that a value may have."""
        return self.part.kinds()

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """The members that the schema declares in `properties`."""
        properties: Mapping[str, Any] = self.part.keywords.get("properties", {})
        return properties

    @cached_property
    def is_closed(self) -> bool:
        """Whether only the declared members are expected."""
        keywords = self.part.keywords
        return (
            "properties" in keywords
            and not keywords.get("additionalProperties")
            and not self.part.is_described_elsewhere
        )

    @cached_property
    def takes_any_text(self) -> bool:
        """Whether one of the alternatives accepts any string."""
        return any("string" in one.kinds and not one.part.choices() for one in self.alternatives)

    def member(self, name: str) -> "ArgumentSchema":
        found = self._members.get(name)
        if found is None:
            found = self._cached(self.part.member(name))
            if name in self.names:
                self._members[name] = found
        return found

    def item(self, index: int) -> "ArgumentSchema":
        index = min(index, self._positions)
        if index not in self._items:
            self._items[index] = self._cached(self.part.item(index))
        return self._items[index]

    @cached_property
    def _positions(self) -> int:
        return self.part.positions

    def _only(self, kind: str) -> "ArgumentSchema":
        found = [one for one in self.alternatives if kind in one.kinds]
        return found[0] if len(found) == 1 else _ANY

    def _cached(self, part: Schema) -> "ArgumentSchema":
        if part.pointer not in self._known:
            self._known[part.pointer] = ArgumentSchema(part, self._known)
        return self._known[part.pointer]


_ANY = ArgumentSchema(Schema.of(True))


_HOLDING = (dict, list, tuple, Mapping)


class UnknownMember(NamedTuple):
    """A member that the schema of its object does not declare.

    Attributes:
        around: The path of the object, such as `orders[0]`; empty for the arguments themselves.
        name: The name of the member.
        known: The declared names.
        given: The names in the arguments.
    """

    around: str
    name: str
    known: tuple[str, ...]
    given: frozenset[str]

    @property
    def path(self) -> str:
        """The path of the member, such as `orders[0].price`."""
        return f"{self.around}.{self.name}" if self.around else self.name

    @property
    def meant(self) -> str | None:
        """A hint with the most similar names that are declared but missing, if there are any."""
        return did_you_mean(self.name, [one for one in self.known if one not in self.given])


def unknown_members(parameters: ArgumentSchema | Mapping[str, Any], data: Any) -> Iterator[UnknownMember]:
    """Yield the members of arguments, at any depth, that their schema does not declare."""
    schema = parameters if isinstance(parameters, ArgumentSchema) else ArgumentSchema.of(parameters)
    yield from _unknown(schema, data, "")


def _unknown(schema: ArgumentSchema, data: Any, path: str) -> Iterator[UnknownMember]:
    if isinstance(data, Mapping):
        part = schema.as_object
        for name, value in data.items():
            if name not in part.names and part.is_closed:
                yield UnknownMember(path, str(name), tuple(part.names), frozenset(map(str, data)))
            elif isinstance(value, _HOLDING):
                yield from _unknown(part.member(name), value, f"{path}.{name}" if path else str(name))
    elif isinstance(data, list | tuple):
        part = schema.as_list
        for index, item in enumerate(data):
            yield from _unknown(part.item(index), item, f"{path}[{index}]")


_SHOWN_LENGTH = 60


def refusal(
    missing: Iterable[str], wrong: Mapping[str, Sequence[str]], schema: Mapping[str, Any], data: Any
) -> ToolArgumentsError:
    """Return one error from the paths of missing members, and the reasons for each path at fault."""
    faults = {path: " or ".join(dict.fromkeys(reasons)) for path, reasons in wrong.items()}
    parts = [f"Missing required parameter(s): {', '.join(missing)}"] if missing else []
    parts += [(f"Invalid parameter {path!r}" if path else "Invalid arguments") + f": {faults[path]}" for path in faults]
    for one in unknown_members(schema, data) if missing else ():  # it may be a misspelled required member
        parts.append(f"Unknown parameter {one.path!r}" + (f": {one.meant}" if one.meant else ""))
    return ToolArgumentsError("; ".join(parts), faults=dict.fromkeys(missing, MISSING) | faults)


_KINDS = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "an array", dict: "an object"}


def kind_in_words(value: object) -> str:
    """Return the JSON type of a value in words."""
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


def value_in_words(value: object) -> str:
    """Return a value as shortened JSON, or only the type of a container."""
    if isinstance(value, dict | list | tuple | set):
        return kind_in_words(value)
    try:
        text = str(value) if isinstance(value, WrittenNumber) else json.dumps(value)
    except (TypeError, ValueError):
        return f"a value of type '{type(value).__name__}'"
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}…"
