"""Caches the parts of a tool's schema that belong to each value in its arguments, for all calls."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

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
