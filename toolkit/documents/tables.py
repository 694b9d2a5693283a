"""Tables of settings: a row for each key, and the one way to read them.

A row has the name of a key, what its value has to be, and what it is for. What is wrong, the reference in the docs and
the JSON Schema all come from the rows:

    KEYS = (
        Key("base", FOLDER, "the folder that it reads beneath", default="."),
        Key("timeout", DURATION, "how long it may take", default="30s"),
    )
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.problems import Location, Problem, Severity, did_you_mean

Owner = Literal["user", "project"]
"""Whose file it is: the user's own configuration (or code), or a file of a project."""

Schema = dict[str, Any]

Widening = Callable[[Any, Path], str | None]
"""Describes what a value reaches, given the project's folder; None if it stays within bounds."""


class Setting(NamedTuple):
    """Where tables stand, and who answers for them.

    Attributes:
        folder: What relative paths start from.
        place: Returns where the key is that a path leads to.
        take: Takes what is wrong.
        owner: Whose file it is.
        is_editors: Whether it is the file of an editor, which others write too.
        assigns: What stands between a key and its value.
    """

    folder: Path
    place: Callable[[Sequence[str]], Location | None]
    take: Callable[[Problem], None]
    owner: Owner = "project"
    is_editors: bool = False
    assigns: str = " = "


class Spot(NamedTuple):
    """Where a value stands: the keys that lead to it, in which setting, and the whole table that it is in."""

    path: tuple[str, ...]
    setting: Setting
    beside: Mapping[str, Any] = MappingProxyType({})

    @property
    def name(self) -> str:
        """The keys with dots between them."""
        return ".".join(self.path)

    def below(self, *keys: str) -> "Spot":
        """Return where a key of this value stands."""
        return self._replace(path=(*self.path, *keys))

    def report(self, message: str, hint: str | None = None, severity: Severity = "error") -> None:
        """Report what is wrong here."""
        self.setting.take(Problem(BAD_CONFIGURATION, message, self.setting.place(self.path), severity, hint))

    def wrong(self, words: str, hint: str | None = None) -> None:
        """Report what the value must be."""
        self.report(f"'{self.name}' must be {words}", hint)


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What a value has to be.

    Attributes:
        name: The same in a word or two, for a table.
        words: The same in words, which go after "must be".
        read: Makes the value of what was written, beneath a folder; None if it is invalid.
        example: How a right one is written; nothing where the words say it.
        schema: The same as JSON Schema; a function where making it costs imports.
        advice: Returns how to write it right, given the key and what was written; otherwise the example is shown.
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
        kind: What its value has to be.
        meaning: What it does, for the documentation.
        default: What holds unless it is given, as it would be written; None if nothing does.
        required: Whether the table is of no use without it.
        widens: Describes what a value of it reaches that a project's file cannot open without its user's consent.
        take: Makes more of a value of the right kind: reads the table that it is, or checks what its kind cannot; it
            reports what is wrong, and returns None where nothing is left.
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = None
    required: bool = False
    widens: Widening | None = None
    take: Callable[[Any, Spot], Any] | None = None


def by_example(key: Key, assigns: str = " = ") -> str | None:
    """Return the hint that shows how a right value is written; none where the words say it."""
    return f"write {key.name}{assigns}{key.kind.example}" if key.kind.example else None


def keys_listed(names: Iterable[str]) -> str:
    """Return the hint that lists all keys."""
    return f"the keys are {', '.join(names)}"


def near_key(name: str, known: Sequence[str]) -> str | None:
    """Return the hint for an unknown key: the nearest ones, or all."""
    return did_you_mean(name, known, otherwise=keys_listed(known))


def read_table(
    table: Mapping[str, Any],
    keys: Sequence[Key],
    spot: Spot,
    *,
    each: str = "key",
    advice: Callable[[str, Sequence[str]], str | None] = near_key,
) -> dict[str, Any]:
    """Return the values of the keys that are given and good; everything else is reported.

    Args:
        table: What is given, by key; values that were read once may be read again.
        keys: The keys that there are.
        spot: Where the table stands.
        each: What one of the keys is called.
        advice: Returns what to do about an unknown key, given it and the known ones.
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
