"""The keys of a table in a file, declared once: reading, problems, editors' schemas and the tables of the docs follow.

Tables are read from plain data, such as that of TOML, or from the nodes of a document (`node_keys`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Self

from toolkit.amounts import parse_duration
from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.nodes import FORMAT_VERSION, UNKNOWN_VERSION, Node, Scalar, is_known_version
from toolkit.problems import Location, Problem, Severity, did_you_mean

Owner = Literal["user", "project"]
"""Who controls a file: the user (their own configuration or code), or a project."""

Schema = dict[str, Any]

Widening = Callable[[Any, Path], str | None]
"""Describes what a value gives access to beyond the project's folder and the public web; `None` if to nothing more."""


class Origin(NamedTuple):
    """The file in which tables are written.

    Attributes:
        folder: The folder that relative paths start from.
        place: Returns the location of the key at a path.
        problems: Receives problems.
        owner: Whether the file belongs to the user or to a project.
        is_editors: Whether the file belongs to an editor, so that unsupported settings in it are only warnings.
        assigns: The text between a key and its value, for hints.
        code: The code of the problems.
    """

    folder: Path
    place: Callable[[Sequence[str]], Location | None]
    problems: list[Problem]
    owner: Owner = "project"
    is_editors: bool = False
    assigns: str = " = "
    code: str = BAD_CONFIGURATION


class Spot(NamedTuple):
    """The position of a value: the path of keys to it, the file, and the table that contains it.

    Attributes:
        path: The keys that lead to the value.
        origin: The file.
        beside: The table that contains the value.
        words: What messages call the value; by default, its path.
        node: The node of the value, if the nodes of a document are read (`NodeSpot`).
        key: The node of the value's own key.
    """

    path: tuple[str, ...]
    origin: Origin
    beside: Mapping[str, Any] = MappingProxyType({})
    words: str = ""
    node: Node | None = None
    key: Scalar | None = None

    @property
    def name(self) -> str:
        """The path as keys separated by dots."""
        return ".".join(self.path)

    @property
    def called(self) -> str:
        """What messages call the value."""
        return self.words or f"'{self.name}'"

    def below(self, *names: str) -> Self:
        """Return the position of a key inside this value."""
        return self._replace(path=(*self.path, *names), words="")

    def member(self, name: str, table: Mapping[str, Any]) -> Self:
        """Return the position of a key inside this value, which is a table."""
        return self.below(name)._replace(beside=table)

    def item(self, index: int) -> Self:
        """Return the position of an item of this list."""
        return self._replace(path=(*self.path, str(index)), words=f"an item of {self.called}")

    @property
    def location(self) -> Location | None:
        """The location for problems with the value."""
        return self.origin.place(self.path)

    def report(self, message: str, hint: str | None = None, severity: Severity = "error") -> None:
        """Report a problem at this position."""
        self.origin.problems.append(Problem(self.origin.code, message, self.location, severity, hint))

    def wrong(self, words: str, hint: str | None = None) -> None:
        """Report that the value must be something else, which `words` describe."""
        self.report(f"{self.called} must be {words}", hint)

    def unknown(self, name: str, keys: "Sequence[Key]", each: str, hint: str | None) -> None:
        """Report an unknown key of this table."""
        here = self.below(name)
        here.report(f"unknown {each} '{here.name}'", hint)

    def missing(self, key: "Key", each: str) -> None:
        """Report that this table lacks a key."""
        here = self.below(key.name)
        here.report(f"the {each} '{here.name}' is missing", f"{here.shown(key.kind)}: {key.meaning}")

    def shown(self, kind: "Kind") -> str:
        """Return a hint with an example of a kind of value at this position."""
        return f"write {self.path[-1]}{self.origin.assigns}{kind.example}"


REPORTED: Final = object()
"""What a kind returns for an invalid value that it has reported itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """The kind of a value.

    Attributes:
        name: The name of the kind in one or two words, for tables.
        words: The description of valid values, to follow "must be".
        read: Converts a written value, given its position; returns `None` if the value is invalid, or `REPORTED`.
        example: An example of a valid value; empty if `words` are enough.
        schema: The JSON Schema of valid values, or a function that returns it if it needs late imports.
        advice: Returns a hint for an invalid value, given the value and its position; without one, the hint is the
            example.
    """

    name: str
    words: str
    read: Callable[[Any, Any], Any]
    example: str
    schema: Schema | Callable[[], Schema]
    advice: Callable[[Any, Any], str | None] | None = None

    def read_or_report(self, written: Any, spot: Spot) -> Any:
        """Return the value, or report that it is invalid and return `None`."""
        value = self.read(written, spot)
        return self.reported(value, written, spot) if value is None or value is REPORTED else value

    def reported(self, value: Any, written: Any, spot: Spot) -> None:
        """Report that a value is invalid, unless it has been reported already."""
        if value is None:
            advice = self.advice(written, spot) if self.advice else None
            spot.wrong(self.words, advice or (spot.shown(self) if self.example else None))


class Key(NamedTuple):
    """One key of a table.

    Attributes:
        name: The key.
        kind: The kind of its value.
        meaning: The meaning of the value, for the documentation and for editors.
        default: The default value, as it would be written; `None` if there is none.
        required: Whether the key must be given.
        widens: Describes what a value gives access to that needs the user's consent in a project's file.
        take: Processes a value of the right kind further. It reports problems, and returns `None` if no value remains.
        field: The name that the value gets among those that are read; by default, the key.
        also: Names that other programs have for the key, for suggestions.
        beside: If not every table of its kind can have the key, the keys of which one must be next to it.
    """

    name: str
    kind: Kind
    meaning: str = ""
    default: Any = None
    required: bool = False
    widens: Widening | None = None
    take: Callable[[Any, Any], Any] | None = None
    field: str = ""
    also: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the value. In draft-07, nothing next to a `$ref` counts, so that is put inside `allOf`."""
        schema = self.kind.schema() if callable(self.kind.schema) else self.kind.schema
        if self.meaning:
            schema = {"allOf": [schema]} if "$ref" in schema else schema
            schema = {**schema, "description": f"{self.meaning[:1].upper()}{self.meaning[1:]}."}
        return schema if self.default is None else schema | {"default": self.default}

    def read(self, written: Any, spot: Spot) -> Any:
        """Return the value, or report problems and return `None`."""
        value = self.kind.read(written, spot)
        if value is None or value is REPORTED:
            return self.kind.reported(value, written, spot)
        return value if self.take is None else self.take(value, spot)


def near_key(name: str, keys: Sequence[Key], each: str = "key") -> str:
    """Return a hint for an unknown key, with the most similar keys, or all keys."""
    names = names_of(keys)
    if meant := next((key.name for key in keys if name in key.also), None):
        return f"did you mean {meant!r}?"
    return did_you_mean(name, names) or (keys_listed(keys, each) if names else f"it has no {each}s")


def keys_listed(keys: Iterable[Key], each: str = "key") -> str:
    """Return a hint that lists all keys."""
    return f"the {each}s are {', '.join(names_of(keys))}"


def names_of(keys: Iterable[Key]) -> tuple[str, ...]:
    """Return the names of keys."""
    return tuple(key.name for key in keys)


def read_table(
    table: Mapping[str, Any],
    keys: Sequence[Key],
    spot: Spot,
    *,
    each: str = "key",
    advice: Callable[[str], str | None] | None = None,
) -> dict[str, Any]:
    """Return the valid values of a table, and report invalid values, unknown keys and missing keys.

    Args:
        table: The written values, by key. Values that were already read can be read again.
        keys: All keys that the table can have.
        spot: The position of the table.
        each: The word for a key in messages.
        advice: Returns a hint for an unknown key; by default, the most similar key, or all of them.
    """
    known = {key.name: key for key in keys}
    values = {}
    for name, written in table.items():
        if (key := known.get(name)) is None:
            spot.unknown(name, keys, each, advice(name) if advice else near_key(name, keys, each))
        elif (value := key.read(written, spot.member(name, table))) is not None:
            values[key.field or name] = value
    for key in keys:
        if key.required and key.name not in table:
            spot.missing(key, each)
    return values


def schema_of(keys: Iterable[Key], **more: Any) -> Schema:
    """Return the JSON Schema of a table with these keys and no others."""
    rows = tuple(keys)
    required = [key.name for key in rows if key.required]
    schema = {"type": "object", "properties": {key.name: key.schema for key in rows}, "additionalProperties": False}
    return schema | ({"required": required} if required else {}) | more


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


def _version(written: Any, spot: Spot) -> Any:
    if is_known_version(written):
        return written
    spot.report(UNKNOWN_VERSION)
    return REPORTED


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
VERSION: Final = Kind("number", "1", _version, "1", {"const": FORMAT_VERSION})
TEXTS: Final = Kind("list of strings", "a list of strings", texts, "", TEXTS_SCHEMA, advice=_in_a_list)
