"""Tables of the keys of a pipeline's file: each row holds the reader, the schema for editors and the documentation."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from toolkit.documents.nodes import Entry, Mapping
from toolkit.documents.schemas import Schema


class Row(NamedTuple):
    """One key of a mapping.

    Attributes:
        name: The key.
        meaning: The meaning of the key, for the docs and for editors.
        schema: The JSON Schema of its value.
        field: The field that receives the value in the definition; empty if there is none.
        read: Reads the value and reports problems through the reader that it is given.
        beside: For keys of steps, the kinds of steps that can have the key.
    """

    name: str
    meaning: str
    schema: Schema
    field: str = ""
    read: Callable[[Any, Entry], Any] | None = None
    beside: frozenset[str] = frozenset()

    @property
    def described(self) -> Schema:
        """The schema with the meaning as its description.

        Draft-07 ignores everything next to a `$ref`, so a reference is put inside `allOf`.
        """
        schema = {"allOf": [self.schema]} if "$ref" in self.schema else self.schema
        return {**schema, "description": f"{self.meaning[:1].upper()}{self.meaning[1:]}."}


def names_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the keys of the rows."""
    return tuple(row.name for row in rows)


def read_rows(reader: Any, node: Mapping, rows: Iterable[Row]) -> dict[str, Any]:
    """Read the keys that a mapping has, and return their values by field; an invalid value becomes `None`."""
    given = ((row, node.entries[row.name]) for row in rows if row.name in node.entries)
    return {row.field: row.read(reader, entry) for row, entry in given if row.read is not None}
