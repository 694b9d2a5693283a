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
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents import keys
from toolkit.documents.keys import (
    FLAG,
    NAMED_TEXTS_SCHEMA,
    TEXT_SCHEMA,
    TEXTS_SCHEMA,
    Key,
    Kind,
    Origin,
    Spot,
    duration,
    is_text,
    read_table,
    texts,
)
from toolkit.errors import ConfigurationError, not_installed, raise_errors
from toolkit.problems import Problem
from toolkit.variables import in_words, variables_in


class Option(Key):
    """One option of a ready tool: a key of its table in the configuration, and a parameter of its class."""

    __slots__ = ()


def read_options(known: Sequence[Option], given: Mapping[str, Any], spot: Spot) -> dict[str, Any]:
    """Return the valid values that are given, and report every invalid value and missing option."""
    return read_table(given, known, spot, each="option")


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
    values = read_options(known, given, Spot((), Origin(folder, lambda _: None, problems)))
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
    return replace(keys.one_of(*words, name=" | ".join(words)), example=f"'{words[0]}'")


class _Seconds(float):
    """Seconds that were parsed from a duration, unlike a bare number, which has no unit."""


def _duration(written: Any, _: Spot) -> float | None:
    """Return a duration in seconds, accepting one that was parsed before."""
    if isinstance(written, _Seconds):
        return written
    seconds = duration(written)
    return None if seconds is None else _Seconds(seconds)


def _folder(written: Any, spot: Spot) -> Path | None:
    if not (isinstance(written, Path) or (is_text(written) and "\0" not in written)):
        return None
    try:
        return spot.origin.folder / Path(written).expanduser()
    except RuntimeError:  # `~name` of an unknown user
        return None


def _table(written: Any, _: Spot) -> dict[str, str] | None:
    if isinstance(written, Mapping) and all(isinstance(value, str) for value in written.values()):
        return dict(written)
    return None


TEXT: Final = keys.text("a string that is not blank", TEXT_SCHEMA, example="'…'")
SWITCH: Final = replace(FLAG, name="true | false")
COUNT: Final = replace(
    keys.whole_number(1, words="a whole number above zero", schema={"type": "integer", "exclusiveMinimum": 0}),
    example="1000",
)
DURATION: Final = replace(keys.DURATION, read=_duration, example="'30s'")
FOLDER: Final = Kind("folder", "a path to a folder", _folder, "'docs'", TEXT_SCHEMA)
TEXTS: Final = replace(
    keys.TEXTS,
    read=lambda written, _: texts(written) or None,
    example="['…']",
    schema={**TEXTS_SCHEMA, "minItems": 1},
    advice=None,
)
TABLE: Final = Kind("table of strings", "a table of strings", _table, "{ name = '…' }", NAMED_TEXTS_SCHEMA)


def need(tool: str, extra: str, *packages: str) -> None:
    """Check that packages are installed, without importing them.

    Args:
        tool: The name of the tool that needs them.
        extra: The extra of this project that installs them.
        packages: The names under which they are imported.

    Raises:
        ConfigurationError: If a package is missing; the message explains how to install it.
    """
    if any(find_spec(package) is None for package in packages):
        raise not_installed(f"the tool '{tool}' needs", f"toolkit-cli[{extra}]")


def outside_project(value: Path, project: Path) -> str | None:
    """Judge a folder by its resolved path, so that `..`, `~` and symbolic links count."""
    try:
        is_inside = value.resolve().is_relative_to(project.resolve())
    except (OSError, RuntimeError, ValueError):
        is_inside = False
    return None if is_inside else "files outside the project's folder"


def private_addresses(value: Any, project: Path) -> str | None:  # noqa: ARG001 - addresses have no folder
    """Judge a switch, or a list of hosts, that lets requests go to this machine or its network."""
    return "addresses of this machine or its network" if value else None


def environment_variables(value: str | Mapping[str, str], project: Path) -> str | None:  # noqa: ARG001 - nor have texts
    """Judge strings in which `${NAME}` stands for an environment variable or an entry of the keyring."""
    texts = [value] if isinstance(value, str) else value.values()
    names = list(dict.fromkeys(name for text in texts for name in variables_in(text)))
    return f"the {in_words(*names)}" if names else None


def own_command(value: Any, project: Path) -> str | None:  # noqa: ARG001 - a command can do anything
    """Judge a command, which can do whatever a program can do."""
    return "everything that a program can" if value else None


def search_service(value: Any, project: Path) -> str | None:  # noqa: ARG001 - any address counts
    """Judge the address of a search service, which receives every query and the user's key, if there is one."""
    return "a search service of the project's choice, with your key" if value else None
