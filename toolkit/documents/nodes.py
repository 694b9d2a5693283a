"""The nodes of a document, each with its location.

Nodes are compared by identity; to compare their values, use `plain`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, NamedTuple

from toolkit.documents.locating import locate
from toolkit.documents.sources import Written
from toolkit.problems import Location


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A single value: a string, a number, true, false or null.

    Attributes:
        value: The parsed value. YAML follows the core schema of version 1.2, in which `on`, `no` and `12:30` are
            strings. TOML also has dates and times.
        text: The value as text, without quotes and escapes; `1.10` keeps its last digit here.
        plain: Whether the value was written without quotes.
        location: The location of the whole value, including its quotes.
        written: How the value was written, to locate its characters; `None` for a value created in code.
    """

    value: str | int | float | bool | date | time | None
    text: str
    plain: bool
    location: Location
    written: Written | None = field(default=None, repr=False)

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the location of some characters of `text`, taking quotes, escapes and folded lines into account.

        Args:
            offset: The index of the first character in `text`, or its length for the end.
            length: The number of characters.

        Returns:
            The location in the file, or the location of the whole value if `written` is `None`.
        """
        if self.written is None:
            return self.location

        return locate(self.written, self.location.file, self.text, offset, length)


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A list of nodes."""

    items: "tuple[Node, ...]"
    location: Location


class Entry(NamedTuple):
    """One key of a mapping with its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Entries by the text of their keys, in the order of the document."""

    entries: dict[str, Entry]
    location: Location

    def get(self, name: str) -> "Node | None":
        """Return the value of a key, or `None` if there is no such key."""
        entry = self.entries.get(name)
        return None if entry is None else entry.value


Node = Scalar | Sequence | Mapping
"""A part of a document, with its location."""


def is_agent(root: "Node | None") -> bool:
    """Return whether a document describes an agent, by its top-level key `agent`."""
    return isinstance(root, Mapping) and "agent" in root.entries


def place_of(root: "Node | None", path: Iterable[str]) -> Location | None:
    """Return the location at a path of keys and list indexes, or of the last part of the path that exists."""
    node, place = root, None
    for name in path:
        if isinstance(node, Sequence) and name.isdecimal() and int(name) < len(node.items):
            node = node.items[int(name)]
            place = node.location
            continue
        entry = node.entries.get(name) if isinstance(node, Mapping) else None
        if entry is None:
            break
        node, place = entry.value, entry.key.location
    return place


def scalars_in(node: Node) -> Iterator[Scalar]:
    """Yield every value in a node, in the order of the document; a value that aliases repeat occurs repeatedly."""
    match node:
        case Scalar():
            yield node
        case Sequence():
            for item in node.items:
                yield from scalars_in(item)
        case Mapping():
            for entry in node.entries.values():
                yield from scalars_in(entry.value)


def plain(node: Node) -> Any:
    """Return the plain data of a node, as in JSON (and the dates and times of TOML)."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {name: plain(entry.value) for name, entry in node.entries.items()}
