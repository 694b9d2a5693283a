"""Unknown members: what arguments hold, at any depth, under names that their schema does not have."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.problems import did_you_mean
from toolkit.schemas.schema import Schema

_ANY = Schema.of(True)
_HOLDING = (dict, list, tuple, Mapping)


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


def unknown_members(parameters: Mapping[str, Any], data: Any) -> Iterator[UnknownMember]:
    """Yield the members of arguments, at any depth, that their schema has no name for."""
    yield from _unknown(Schema.of(parameters), data, "")


def _unknown(schema: Schema, data: Any, path: str) -> Iterator[UnknownMember]:
    if isinstance(data, Mapping):
        part = only_alternative(schema, "object")
        for name, value in data.items():
            if name not in part.keywords.get("properties", ()) and _is_closed(part):
                yield UnknownMember(path, str(name), tuple(part.keywords["properties"]), frozenset(map(str, data)))
            elif isinstance(value, _HOLDING):
                yield from _unknown(part.member(name), value, f"{path}.{name}" if path else str(name))
    elif isinstance(data, list | tuple):
        part = only_alternative(schema, "array")
        for index, item in enumerate(data):
            yield from _unknown(part.item(index), item, f"{path}[{index}]")


def only_alternative(schema: Schema, kind: str) -> Schema:
    """Return the one alternative that a value of a kind may be; one that says nothing where that may be several."""
    found = [part for part in schema.alternatives() if kind in part.kinds()]
    return found[0] if len(found) == 1 else _ANY


def _is_closed(part: Schema) -> bool:
    """Whether no more members belong there than those which it names."""
    said = part.keywords
    return "properties" in said and not said.get("additionalProperties") and not part.is_described_elsewhere
