"""Creates edits that remove, add or replace parts of a JSON document and preserve the rest."""

import json
from typing import Any

from toolkit.documents.nodes import Mapping, Node, Scalar, Sequence
from toolkit.problems import Edit, Location


def without_item(node: Sequence, index: int) -> Edit:
    """Return the edit that removes an item from a list, including its comma."""
    return Edit(_gap([item.location for item in node.items], [item.location for item in node.items], index), "")


def without_entry(node: Mapping, key: str) -> Edit:
    """Return the edit that removes an entry from an object, including its comma."""
    entries = list(node.entries.values())
    index = list(node.entries).index(key)
    return Edit(_gap([one.key.location for one in entries], [one.value.location for one in entries], index), "")


def with_entry(node: Mapping, key: str, value: Any) -> Edit:
    """Return the edit that sets an entry of an object; a new entry is added at the end."""
    written = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
    if (entry := node.entries.get(key)) is not None:
        return Edit(_between(entry.key.location, entry.value.location), written)
    if not node.entries:
        return Edit(node.location, f"{{{written}}}")
    return Edit(_end(list(node.entries.values())[-1].value.location), f", {written}")


def instead_of_entry(node: Mapping, key: str, other: str, value: Any) -> Edit:
    """Return the edit that replaces an entry by another one."""
    entry = node.entries[key]
    place = _between(entry.key.location, entry.value.location)
    return Edit(place, f"{json.dumps(other)}: {json.dumps(value, ensure_ascii=False)}")


def with_item(node: Sequence, value: Any) -> Edit:
    """Return the edit that appends an item to a list."""
    written = json.dumps(value, ensure_ascii=False)
    if not node.items:
        return Edit(node.location, f"[{written}]")
    return Edit(_end(node.items[-1].location), f", {written}")


def replacing(node: Node, value: Any) -> Edit:
    """Return the edit that replaces a value."""
    return Edit(node.location, json.dumps(value, ensure_ascii=False))


def appending(node: Scalar, text: str) -> Edit:
    """Return the edit that appends text to a string."""
    place = node.location
    column = None if place.end_column is None else place.end_column - 1
    return Edit(Location(place.file, place.end_line, column, place.end_line, column), json.dumps(text)[1:-1])


def _end(place: Location) -> Location:
    return Location(place.file, *place[3:], *place[3:])


def _between(first: Location, last: Location) -> Location:
    return Location(first.file, first.line, first.column, *last[3:])


def _gap(starts: list[Location], ends: list[Location], index: int) -> Location:
    if index > 0:
        return Location(starts[index].file, *ends[index - 1][3:], *ends[index][3:])
    if len(starts) > 1:
        return Location(starts[0].file, starts[0].line, starts[0].column, starts[1].line, starts[1].column)
    return _between(starts[0], ends[0])
