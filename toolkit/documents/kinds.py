"""The kinds of values in files, each with its reader, its description and its JSON Schema; they can be combined."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from toolkit.amounts import parse_duration
from toolkit.documents.keys import REPORTED, Key, Kind, Schema, Spot, read_table, schema_of
from toolkit.problems import did_you_mean

TEXT_SCHEMA: Final = {"type": "string", "pattern": r"\S"}
TEXTS_SCHEMA: Final = {"type": "array", "items": TEXT_SCHEMA}
NAMED_TEXTS_SCHEMA: Final = {"type": "object", "additionalProperties": {"type": "string"}}


def is_text(written: Any) -> bool:
    """Return whether a value is a string that is not blank."""
    return isinstance(written, str) and bool(written.strip())


def is_number(written: Any) -> bool:
    """Return whether a value is a number, but not a boolean."""
    return isinstance(written, int | float) and not isinstance(written, bool)


def as_written(name: str, words: str, schema: Schema, test: Callable[[Any], bool], example: str = "") -> Kind:
    """Return the kind of values that pass a test and are used as they are written."""
    return Kind(name, words, lambda written, _: written if test(written) else None, example, schema)


def text(
    words: str = "a string",
    schema: Schema | None = None,
    *,
    test: Callable[[str], bool] = is_text,
    example: str = "",
    name: str = "string",
) -> Kind:
    """Return the kind of strings that pass a test; by default, those that are not blank."""

    def read(written: Any, _: Spot) -> str | None:
        return written if isinstance(written, str) and test(written) else None

    return Kind(name, words, read, example, {"type": "string"} if schema is None else schema, advice=_in_quotes)


def one_of(*words: str, name: str = "word") -> Kind:
    """Return the kind of a value that is one of a few words."""
    *most, last = [f"'{word}'" for word in words]
    listed = f"{', '.join(most)} or {last}" if most else last

    def read(written: Any, _: Spot) -> str | None:
        return written if isinstance(written, str) and written in words else None

    def advice(written: Any, _: Spot) -> str | None:
        return did_you_mean(written, words) if isinstance(written, str) else None

    return Kind(name, listed, read, "", {"enum": [*words]}, advice=advice)


def one_or_more(item: Kind, name: str, *, example: str = "", least: int = 1) -> Kind:
    """Return the kind of a value of one kind, or a list of them, as a tuple; each invalid item is reported."""

    def read(written: Any, spot: Spot) -> Any:
        if not isinstance(written, list | tuple):
            value = item.read(written, spot)
            return value if value is None or value is REPORTED else (value,)
        values = [item.read_or_report(one, spot.item(index)) for index, one in enumerate(written)]
        return None if len(values) < least else REPORTED if None in values else tuple(values)

    one = item.schema
    several = {"type": "array", "items": one, "minItems": least}
    words = f"{item.words}, or a list of them"
    return Kind(name, words, read, example, {"anyOf": [one, several]}, advice=item.advice)


def whole_number(least: int, most: int | None = None, *, words: str = "", schema: Schema | None = None) -> Kind:
    """Return the kind of whole numbers within bounds."""
    bounds = {"minimum": least} if most is None else {"minimum": least, "maximum": most}

    def fits(written: Any) -> bool:
        return type(written) is int and least <= written and (most is None or written <= most)

    schema = {"type": "integer", **bounds} if schema is None else schema
    return as_written("whole number", words or f"a whole number from {least} to {most:,}", schema, fits)


def number(least: float, most: float) -> Kind:
    """Return the kind of numbers within bounds."""

    def read(written: Any, _: Spot) -> float | None:
        return float(written) if is_number(written) and least <= written <= most else None

    schema = {"type": "number", "minimum": least, "maximum": most}
    return Kind("number", f"a number from {least:g} to {most:g}", read, "", schema)


def table_of(
    keys: Sequence[Key],
    make: Callable[[dict[str, Any]], Any] = dict,
    *,
    example: str,
) -> Kind:
    """Return the kind of a table with these keys, whose valid values `make` receives."""

    def read(written: Any, spot: Spot) -> Any:
        return make(read_table(written, keys, spot)) if isinstance(written, Mapping) else None

    return Kind("table", "a table", read, example, lambda: schema_of(keys))


def tables_of(keys: Sequence[Key], make: Callable[[dict[str, Any]], Any], *, example: str) -> Kind:
    """Return the kind of a table that contains only tables with these keys."""

    def read(written: Any, spot: Spot) -> Any:
        if table_of_tables(written) is None:
            return None
        return {name: make(read_table(each, keys, spot.below(name))) for name, each in written.items()}

    return replace(tables_kind(example, lambda: schema_of(keys)), read=read)


def table_kind(example: str, schema: Schema | Callable[[], Schema]) -> Kind:
    """Return the kind of a table with any keys."""
    return Kind("table", "a table", table, example, schema)


def tables_kind(example: str, each: Callable[[], Schema]) -> Kind:
    """Return the kind of a table that contains only tables."""
    return Kind(
        "table of tables",
        "a table of tables",
        table_of_tables,
        example,
        lambda: {"type": "object", "additionalProperties": each()},
    )


def table(written: Any, _: Spot | None = None) -> Mapping[str, Any] | None:
    """Return a table, or `None` for any other value."""
    return written if isinstance(written, Mapping) else None


def table_of_tables(written: Any, _: Spot | None = None) -> Mapping[str, Any] | None:
    """Return a table whose values are all tables, or `None` for any other value."""
    is_valid = isinstance(written, Mapping) and all(isinstance(each, Mapping) for each in written.values())
    return written if is_valid else None


def list_of_tables(written: Any, _: Spot | None = None) -> tuple[Mapping[str, Any], ...] | None:
    """Return a list of tables as a tuple, or `None` for any other value."""
    is_valid = isinstance(written, list | tuple) and all(isinstance(one, Mapping) for one in written)
    return tuple(written) if is_valid else None


def texts(written: Any, _: Spot | None = None) -> tuple[str, ...] | None:
    """Return a list of strings that are not blank as a tuple, or `None` for any other value."""
    return tuple(written) if isinstance(written, list | tuple) and all(map(is_text, written)) else None


def duration(written: Any, _: Spot | None = None) -> float | None:
    """Parse a duration to seconds, or return `None` if it is invalid or zero."""
    return (parse_duration(written) or None) if isinstance(written, str) else None


def _in_quotes(written: Any, _: Spot) -> str | None:
    is_other = isinstance(written, str | Mapping | Sequence) or written is None
    return None if is_other else "put quotes around it"


def _in_seconds(written: Any, spot: Spot) -> str | None:
    quote = "'" if spot.origin.assigns == " = " else ""
    return f"write {quote}{written}s{quote} for seconds" if is_number(written) else None


def _in_a_list(written: Any, spot: Spot) -> str:
    meant = written if is_text(written) else "tools.py"
    return f"write {spot.path[-1]}{spot.origin.assigns}['{meant}']"


TEXT: Final = text()
FLAG: Final = as_written(
    "true or false", "true or false", {"type": "boolean"}, lambda written: isinstance(written, bool), "true"
)
SWITCH: Final = replace(FLAG, name="true | false", example="")
DURATION: Final = Kind(
    "duration",
    "a duration such as '500ms', '30s' or '5m', above zero and at most 720h",
    duration,
    "",
    {"type": "string", "pattern": r"^\s*(?=[0-9.]*[1-9])[0-9]+(\.[0-9]+)?\s*(ms|s|m|h)\s*$"},
    advice=_in_seconds,
)
TEXTS: Final = Kind("list of strings", "a list of strings", texts, "", TEXTS_SCHEMA, advice=_in_a_list)
