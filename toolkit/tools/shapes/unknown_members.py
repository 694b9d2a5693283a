"""Unknown members: what arguments hold, at any depth, under names that their schema does not have."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.problems import did_you_mean
from toolkit.tools.shapes.argument_schemas import ArgumentSchema

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


def unknown_members(parameters: ArgumentSchema | Mapping[str, Any], data: Any) -> Iterator[UnknownMember]:
    """Yield the members of arguments, at any depth, that their schema has no name for."""
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
