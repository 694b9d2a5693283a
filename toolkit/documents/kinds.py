"""Common kinds of settings' values, each with its words, its check and its JSON Schema."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from toolkit.documents.tables import Kind, Schema
from toolkit.durations import parse_duration

DURATION_WORDS: Final = "a duration such as '500ms', '30s' or '5m', above zero and at most 720h"
DURATION_SCHEMA: Final = {
    "type": "string",
    "pattern": r"^\s*(?=[0-9.]*[1-9])[0-9]+(\.[0-9]+)?\s*(ms|s|m|h)\s*$",
}
NAMED_TEXTS_SCHEMA: Final = {"type": "object", "additionalProperties": {"type": "string"}}
TEXT_SCHEMA: Final = {"type": "string", "pattern": r"\S"}
TEXTS_SCHEMA: Final = {"type": "array", "items": TEXT_SCHEMA}


def as_written(name: str, words: str, schema: Schema, test: Callable[[Any], bool], example: str = "") -> Kind:
    """Return the kind of values that pass a test and are used as they are written."""
    return Kind(name, words, lambda written, _: written if test(written) else None, example, schema)


def is_text(written: Any) -> bool:
    """Return whether a value is a string that is not blank."""
    return isinstance(written, str) and bool(written.strip())


def in_seconds(_: object, written: Any) -> str | None:
    """Return a hint on how to write a number as a duration."""
    return f"write '{written}s' for seconds" if is_number(written) else None


def is_number(written: Any) -> bool:
    """Return whether a value is a number, but not a boolean."""
    return isinstance(written, int | float) and not isinstance(written, bool)


def duration(written: Any, _: Path) -> float | None:
    """Parse a duration to seconds, or return `None` if it is invalid or zero."""
    return (parse_duration(written) or None) if isinstance(written, str) else None


def texts(written: Any, _: Path) -> tuple[str, ...] | None:
    """Return a list of strings that are not blank as a tuple, or `None` for any other value."""
    return tuple(written) if isinstance(written, list | tuple) and all(map(is_text, written)) else None


def table(written: Any, _: Path) -> Mapping[str, Any] | None:
    return written if isinstance(written, Mapping) else None


def table_of_tables(written: Any, folder: Path) -> Mapping[str, Any] | None:
    """Return a table whose values are all tables, or `None` for any other value."""
    found = table(written, folder)
    return found if found is not None and all(isinstance(each, Mapping) for each in found.values()) else None


FLAG: Final = as_written(
    "true or false", "true or false", {"type": "boolean"}, lambda written: isinstance(written, bool), "true"
)
SWITCH: Final = replace(FLAG, name="true | false", example="")
