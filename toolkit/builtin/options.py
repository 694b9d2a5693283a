"""Describes the options of ready tools and checks their values.

The module of a ready tool defines a tuple of options, which its class, or its function `build`, takes as keyword
arguments:

    OPTIONS = (
        Option("base", FOLDER, "the directory to read from", default="."),
        Option("max_bytes", COUNT, "maximum file size in bytes", default=DEFAULT_LIMIT),
    )
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.kinds import (
    DURATION_SCHEMA,
    DURATION_WORDS,
    FLAG,
    NAMED_TEXTS_SCHEMA,
    TEXT_SCHEMA,
    TEXTS_SCHEMA,
    as_written,
    duration,
    is_number,
    is_text,
    texts,
)
from toolkit.documents.tables import Key, Kind, Setting, Spot, by_example, read_table
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem, did_you_mean


class Option(Key):
    """One option of a ready tool: a key of its table in the configuration, and a parameter of its class."""

    __slots__ = ()


def read_options(known: Sequence[Option], given: Mapping[str, Any], spot: Spot) -> dict[str, Any]:
    """Return the valid values that are given, and report every invalid value and missing option."""
    return read_table(given, known, spot, each="option", advice=_near_option)


def take_options(known: Sequence[Option], given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of the options that are given.

    Args:
        known: All options of the tool.
        given: The given values, by name. Values that this function returned earlier are accepted unchanged.
        folder: The folder that relative paths start from.

    Raises:
        ConfigurationError: If any value is invalid; the error lists all of them (`TK005`).
    """
    problems: list[Problem] = []
    values = read_options(known, given, Spot((), Setting(folder, lambda _: None, problems.append)))
    raise_errors(ConfigurationError, problems)
    return values


def raise_faults(faults: Iterable[tuple[str, str | None]]) -> None:
    """Raise a ConfigurationError (`TK005`) with all faults and their hints, if there are any."""
    raise_errors(ConfigurationError, [Problem(BAD_CONFIGURATION, message, hint=hint) for message, hint in faults])


def not_above_zero(**limits: float) -> list[tuple[str, str | None]]:
    """Return a fault for each limit that is not above zero."""
    return [(f"'{name}' must be above zero", None) for name, limit in limits.items() if limit <= 0]


def one_of(*words: str) -> Kind:
    """Return the kind of an option whose value is one of a few words."""
    quoted = [f"'{word}'" for word in words]
    return as_written(
        " | ".join(words),
        " or ".join(quoted),
        {"enum": [*words]},
        lambda written: isinstance(written, str) and written in words,
        quoted[0],
    )


class _Seconds(float):
    """Seconds that were parsed from a duration, unlike a bare number, which has no unit."""


def _duration(written: Any, folder: Path) -> float | None:
    """Return a duration in seconds, accepting one that was parsed before."""
    if isinstance(written, _Seconds):
        return written
    seconds = duration(written, folder)
    return None if seconds is None else _Seconds(seconds)


def _folder(written: Any, folder: Path) -> Path | None:
    if not (isinstance(written, Path) or (is_text(written) and "\0" not in written)):
        return None
    try:
        return folder / Path(written).expanduser()
    except RuntimeError:  # `~name` of an unknown user
        return None


def _table(written: Any, _: Path) -> dict[str, str] | None:
    if isinstance(written, Mapping) and all(isinstance(value, str) for value in written.values()):
        return dict(written)
    return None


def _in_seconds(option: Key, written: Any) -> str | None:
    if is_number(written) and written > 0:
        return f"write {option.name} = '{written}s' for seconds"
    return by_example(option)


TEXT: Final = as_written("string", "a string that is not blank", TEXT_SCHEMA, is_text, "'…'")
SWITCH: Final = replace(FLAG, name="true | false")
COUNT: Final = as_written(
    "whole number",
    "a whole number above zero",
    {"type": "integer", "exclusiveMinimum": 0},
    lambda written: type(written) is int and written > 0,
    "1000",
)
DURATION: Final = Kind(
    "duration", DURATION_WORDS, read=_duration, example="'30s'", schema=DURATION_SCHEMA, advice=_in_seconds
)
FOLDER: Final = Kind("folder", "a path to a folder", _folder, "'docs'", TEXT_SCHEMA)
TEXTS: Final = Kind(
    "list of strings",
    "a list of strings",
    lambda written, folder: texts(written, folder) or None,
    "['…']",
    {**TEXTS_SCHEMA, "minItems": 1},
)
TABLE: Final = Kind("table of strings", "a table of strings", _table, "{ name = '…' }", NAMED_TEXTS_SCHEMA)


def _near_option(name: str, known: Sequence[str]) -> str | None:
    listed = ", ".join(f"'{each}'" for each in known)
    return did_you_mean(name, known, otherwise=f"the options are {listed}" if listed else "it has no options")
