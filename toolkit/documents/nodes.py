"""Nodes: what a document is made of, each with the place where it stands.

Two nodes are the same only if they are one: what they stand for is compared as `plain` data.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, NamedTuple

from toolkit.documents.locating import locate
from toolkit.documents.sources import Written
from toolkit.problems import Location


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One value: text, a number, true, false or null.

    Attributes:
        value: The value that the text stands for. In YAML, by the core rules of its version 1.2: `on`, `no` and `12:30`
            are text. In TOML, dates and times too.
        text: The value as text, without quotes and escapes: `1.10` keeps its last digit here.
        plain: Whether it was written without quotes.
        location: The place of the whole value, its quotes included.
        written: How it was written, for the places of its characters; None for a value made by hand.
    """

    value: str | int | float | bool | date | time | None
    text: str
    plain: bool
    location: Location
    written: Written | None = field(default=None, repr=False)

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the place of some characters of `text`, through quotes, escapes and folded lines.

        Args:
            offset: The index of the first character in `text`; its length means the end.
            length: How many characters.

        Returns:
            The place in the file; the place of the whole value if it is not known how that was written.
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
    """Entries by the text of their keys, in the order they were written."""

    entries: dict[str, Entry]
    location: Location

    def get(self, name: str) -> "Node | None":
        """Return the value under a key, or None if there is no such key."""
        entry = self.entries.get(name)
        return None if entry is None else entry.value


Node = Scalar | Sequence | Mapping
"""A part of a document, with the place where it stands."""


def is_agent(root: "Node | None") -> bool:
    """Return whether a document describes an agent: it has `agent` among its top-level keys."""
    return isinstance(root, Mapping) and "agent" in root.entries


def place_of(root: "Node | None", path: Iterable[str]) -> Location | None:
    """Return the place of what keys, and positions in lists, lead to, or of the last one on the way that there is."""
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


def plain(node: Node) -> Any:
    """Return the plain data a node stands for: what JSON could hold."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {name: plain(entry.value) for name, entry in node.entries.items()}
