"""Tables of settings: one row per key, and the kinds of values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from toolkit.amounts import parse_duration
from toolkit.codes import BAD_CONFIGURATION
from toolkit.problems import Location, Problem, Severity, did_you_mean

Owner = Literal["user", "project"]
"""Who controls a file: the user (their own configuration or code), or a project."""

Schema = dict[str, Any]

Widening = Callable[[Any, Path], str | None]
"""Describes what a value gives access to beyond the project's folder and the public web; `None` if to nothing more."""


class Setting(NamedTuple):
    """The file in which tables are written.

    Attributes:
        folder: The folder that relative paths start from.
        place: Returns the location of the key at a path.
        take: Receives problems.
        owner: Whether the file belongs to the user or to a project.
        is_editors: Whether the file belongs to an editor, so that unsupported settings in it are only warnings.
        assigns: The text between a key and its value, for hints.
    """

    folder: Path
    place: Callable[[Sequence[str]], Location | None]
    take: Callable[[Problem], None]
    owner: Owner = "project"
    is_editors: bool = False
    assigns: str = " = "


class Spot(NamedTuple):
    """The position of a value: the path of keys to it, the file, and the table that contains it."""

    path: tuple[str, ...]
    setting: Setting
    beside: Mapping[str, Any] = MappingProxyType({})

    @property
    def name(self) -> str:
        """The path as keys separated by dots."""
        return ".".join(self.path)

    def below(self, *keys: str) -> "Spot":
        """Return the position of a key inside this value."""
        return self._replace(path=(*self.path, *keys))

    def report(self, message: str, hint: str | None = None, severity: Severity = "error") -> None:
        """Report a problem at this position."""
        self.setting.take(Problem(BAD_CONFIGURATION, message, self.setting.place(self.path), severity, hint))

    def wrong(self, words: str, hint: str | None = None) -> None:
        """Report that the value must be something else, which `words` describe."""
        self.report(f"'{self.name}' must be {words}", hint)


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """The kind of a value.

    Attributes:
        name: The name of the kind in one or two words, for tables.
        words: The description of valid values, to follow "must be".
        read: Converts a written value, given the folder for relative paths; returns `None` if the value is invalid.
        example: An example of a valid value; empty if `words` are enough.
        schema: The JSON Schema of valid values, or a function that returns it if it needs late imports.
        advice: Returns a hint for an invalid value, given the key and the value; by default, the hint is the example.
    """

    name: str
    words: str
    read: Callable[[Any, Path], Any]
    example: str
    schema: Schema | Callable[[], Schema]
    advice: Callable[["Key", Any], str | None] | None = None


class Key(NamedTuple):
    """One key of a table.

    Attributes:
        name: The key.
        kind: The kind of its value.
        meaning: The meaning of the value, for the documentation.
        default: The default value, as it would be written; `None` if there is none.
        required: Whether the key must be given.
        widens: Describes what a value gives access to that needs the user's consent in a project's file.
        take: Processes a value of the right kind further, for example to read a nested table. It reports problems, and
            returns `None` if no value remains.
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = None
    required: bool = False
    widens: Widening | None = None
    take: Callable[[Any, Spot], Any] | None = None


def by_example(key: Key, assigns: str = " = ") -> str | None:
    """Return a hint with an example of a valid value, or `None` if its kind has no example."""
    return f"write {key.name}{assigns}{key.kind.example}" if key.kind.example else None


def keys_listed(names: Iterable[str]) -> str:
    """Return a hint that lists all keys."""
    return f"the keys are {', '.join(names)}"


def near_key(name: str, known: Sequence[str]) -> str | None:
    """Return a hint for an unknown key, with the most similar keys, or all keys."""
    return did_you_mean(name, known, otherwise=keys_listed(known))


def read_table(
    table: Mapping[str, Any],
    keys: Sequence[Key],
    spot: Spot,
    *,
    each: str = "key",
    advice: Callable[[str, Sequence[str]], str | None] = near_key,
) -> dict[str, Any]:
    """Return the valid values of a table, and report invalid values, unknown keys and missing keys.

    Args:
        table: The written values, by key. Values that were already read can be read again.
        keys: All keys that the table can have.
        spot: The position of the table.
        each: The word for a key in messages.
        advice: Returns a hint for an unknown key, given that key and the known ones.
    """
    known = {key.name: key for key in keys}
    values = {}
    for name, written in table.items():
        here = spot.below(name)._replace(beside=table)
        if name not in known:
            here.report(f"unknown {each} '{here.name}'", advice(name, list(known)))
        elif (value := _read(known[name], written, here)) is not None:
            values[name] = value
    for key in keys:
        if key.required and key.name not in table:
            here = spot.below(key.name)
            hint = f"write {key.name}{spot.setting.assigns}{key.kind.example}: {key.meaning}"
            here.report(f"the {each} '{here.name}' is missing", hint)
    return values


def _read(key: Key, written: Any, spot: Spot) -> Any:
    value = key.kind.read(written, spot.setting.folder)
    if value is None:
        advice = key.kind.advice
        spot.wrong(key.kind.words, advice(key, written) if advice else by_example(key, spot.setting.assigns))
        return None
    return value if key.take is None else key.take(value, spot)


def schema_of(keys: Iterable[Key], **more: Any) -> Schema:
    """Return the JSON Schema of a table with these keys and no others."""
    rows = tuple(keys)
    required = [key.name for key in rows if key.required]
    properties = {key.name: _schema_of(key) for key in rows}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {}) | more


def _schema_of(key: Key) -> Schema:
    kind = key.kind.schema
    schema = {**(kind() if callable(kind) else kind), "description": f"{key.meaning[:1].upper()}{key.meaning[1:]}."}
    return schema if key.default is None else schema | {"default": key.default}


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
