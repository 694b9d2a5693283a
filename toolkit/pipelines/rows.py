"""Rows: each key of a pipeline's file, defined once: how it is read, its schema for editors, its text for the docs."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from toolkit.documents.nodes import Entry, Mapping
from toolkit.documents.schemas import Schema


class Row(NamedTuple):
    """One key of a mapping.

    Attributes:
        name: The key.
        meaning: Its meaning, for the docs and for editors.
        schema: What its value has to be, as JSON Schema.
        field: What its value is called in the value that is made of the mapping; nothing where it is not part of that.
        read: Makes the value, given the reader that reports what is wrong.
        beside: The kinds of step that it may stand in; for keys of steps.
    """

    name: str
    meaning: str
    schema: Schema
    field: str = ""
    read: Callable[[Any, Entry], Any] | None = None
    beside: frozenset[str] = frozenset()

    @property
    def described(self) -> Schema:
        """The schema with the meaning; beside a reference draft-07 reads nothing else, so it goes round that."""
        schema = {"allOf": [self.schema]} if "$ref" in self.schema else self.schema
        return {**schema, "description": f"{self.meaning[:1].upper()}{self.meaning[1:]}."}


def names_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the keys."""
    return tuple(row.name for row in rows)


def read_rows(reader: Any, node: Mapping, rows: Iterable[Row]) -> dict[str, Any]:
    """Return the values of the keys that a mapping has, by their fields; None where one was wrong."""
    given = ((row, node.entries[row.name]) for row in rows if row.name in node.entries)
    return {row.field: row.read(reader, entry) for row, entry in given if row.read is not None}
