"""Finds members of arguments, at any depth, that their schema does not declare."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.problems import did_you_mean
from toolkit.tools.shapes.argument_schemas import ArgumentSchema

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
