"""Unknown members: what arguments hold, at any depth, under names that their schema does not have."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.problems import did_you_mean
from toolkit.tools.shapes.alternatives import Schema, alternatives, kinds_of


class UnknownMember(NamedTuple):
    """A member of a name that its object does not know.

    Attributes:
        around: The path of the object, `orders[0]`; empty for the arguments themselves.
        name: The name.
        known: The names that the object knows.
        given: The names that it was given.
    """

    around: str
    name: str
    known: tuple[str, ...]
    given: frozenset[str]

    @property
    def path(self) -> str:
        """Where it is, as people write it."""
        return f"{self.around}.{self.name}" if self.around else self.name

    @property
    def meant(self) -> str | None:
        """The question which name was meant, if one is near."""
        return did_you_mean(self.name, [one for one in self.known if one not in self.given])


def unknown_members(schema: Schema, data: Any) -> Iterator[UnknownMember]:
    """Yield the members of arguments, at any depth, that their schema has no name for."""
    yield from _unknown(schema, data, schema, "")


def _unknown(schema: Any, data: Any, root: Schema, path: str) -> Iterator[UnknownMember]:
    if isinstance(data, Mapping):
        part = _only(schema, "object", root)
        known: Schema = part.get("properties", {})
        more = part.get("additionalProperties")
        is_closed = "properties" in part and not more and "patternProperties" not in part
        for name, value in data.items():
            if name not in known and is_closed:
                yield UnknownMember(path, str(name), tuple(known), frozenset(map(str, data)))
            else:
                yield from _unknown(known.get(name, more), value, root, f"{path}.{name}" if path else str(name))
    elif isinstance(data, list | tuple):
        part = _only(schema, "array", root)
        for index, item in enumerate(data):
            yield from _unknown(part.get("items"), item, root, f"{path}[{index}]")


def _only(schema: Any, kind: str, root: Schema) -> Schema:
    """Return the one alternative of a kind, or one that says nothing."""
    found = [part for part in alternatives(schema, root) if kind in kinds_of(part) or not kinds_of(part)]
    return found[0] if len(found) == 1 else {}
