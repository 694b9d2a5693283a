"""The keys of a table in a file, declared once: reading, problems, editors' schemas and the docs follow from them.

The kinds of values are in `kinds`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Self

from toolkit.codes import BAD_CONFIGURATION
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
    """

    folder: Path
    place: Callable[[Sequence[str]], Location | None]
    problems: list[Problem]
    owner: Owner = "project"
    is_editors: bool = False
    assigns: str = " = "


class Spot(NamedTuple):
    """The position of a value: the path of keys to it, the file, and the table that contains it.

    Attributes:
        path: The keys that lead to the value.
        origin: The file.
        beside: The table that contains the value.
        words: What messages call the value; by default, its path.
    """

    path: tuple[str, ...]
    origin: Origin
    beside: Mapping[str, Any] = MappingProxyType({})
    words: str = ""

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

    def item(self, index: int) -> Self:
        """Return the position of an item of this list."""
        return self._replace(path=(*self.path, str(index)), words=f"an item of {self.called}")

    def report(self, message: str, hint: str | None = None, severity: Severity = "error") -> None:
        """Report a problem at this position."""
        self.origin.problems.append(Problem(BAD_CONFIGURATION, message, self.origin.place(self.path), severity, hint))

    def wrong(self, words: str, hint: str | None = None) -> None:
        """Report that the value must be something else, which `words` describe."""
        self.report(f"{self.called} must be {words}", hint)


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
        if value is None:
            advice = self.advice(written, spot) if self.advice else None
            spot.wrong(
                self.words,
                advice or (f"write {spot.path[-1]}{spot.origin.assigns}{self.example}" if self.example else None),
            )
        return None if value is REPORTED else value


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
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = None
    required: bool = False
    widens: Widening | None = None
    take: Callable[[Any, Any], Any] | None = None

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the value."""
        schema = self.kind.schema() if callable(self.kind.schema) else self.kind.schema
        schema = {**schema, "description": f"{self.meaning[:1].upper()}{self.meaning[1:]}."}
        return schema if self.default is None else schema | {"default": self.default}

    def read(self, written: Any, spot: Spot) -> Any:
        """Return the value, or report problems and return `None`."""
        value = self.kind.read_or_report(written, spot)
        return value if value is None or self.take is None else self.take(value, spot)


def near_key(name: str, keys: Sequence[Key], each: str = "key") -> str:
    """Return a hint for an unknown key, with the most similar keys, or all keys."""
    names = names_of(keys)
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
        here = spot.below(name)._replace(beside=table)
        if (key := known.get(name)) is None:
            hint = advice(name) if advice else near_key(name, keys, each)
            here.report(f"unknown {each} '{here.name}'", hint)
        elif (value := key.read(written, here)) is not None:
            values[name] = value
    for key in keys:
        if key.required and key.name not in table:
            here = spot.below(key.name)
            hint = f"write {key.name}{spot.origin.assigns}{key.kind.example}: {key.meaning}"
            here.report(f"the {each} '{here.name}' is missing", hint)
    return values


def schema_of(keys: Iterable[Key], **more: Any) -> Schema:
    """Return the JSON Schema of a table with these keys and no others."""
    rows = tuple(keys)
    required = [key.name for key in rows if key.required]
    schema = {"type": "object", "properties": {key.name: key.schema for key in rows}, "additionalProperties": False}
    return schema | ({"required": required} if required else {}) | more
