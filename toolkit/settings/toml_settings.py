"""Read a TOML file as a configuration, and report all problems in it."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from toolkit.codes import BAD_CONFIGURATION
from toolkit.disclosure.groups import PERMISSIONS, unknown_permission
from toolkit.documents.keys import (
    DURATION,
    Key,
    Origin,
    Owner,
    Schema,
    Spot,
    duration,
    keys_listed,
    names_of,
    read_table,
    schema_of,
)
from toolkit.problems import Location, Problem, nearest
from toolkit.settings.configuration import Configuration, TomlDocument, document_in, keys_before, text_of
from toolkit.settings.setting_keys import DEFINITION, KEYS, USERS_OWN, any_ready_schema, unknown_dialect

_RESEMBLES = 0.7
"""How similar a key has to be to one of ours to count as misspelled; `mcp_servers` and `serve` are less similar."""
_OWN_TABLE = re.compile(r"^\s*\[\s*tool\s*\.\s*toolkit\b", re.MULTILINE)


def read_settings(file: Path, notes: list[Problem]) -> tuple[Configuration, list[Problem]] | None:
    """Return the settings in a file and their problems, or `None` if it has no settings for us.

    Args:
        file: A `pyproject.toml`, or a `toolkit.toml`, which may be that of another program.
        notes: Receives a warning about a file of another program.
    """
    prefix = keys_before(file)
    empty = Configuration(file.parent, file)
    text = text_of(file)
    if isinstance(text, Problem):
        return None if prefix else (empty, [text])
    if prefix and "toolkit" not in text:
        return None
    document = document_in(text, file)
    if isinstance(document, Problem):
        return (empty, [document]) if not prefix or _OWN_TABLE.search(text) else None
    table = _table(document.data, prefix)
    if table is not None and not prefix and _is_of_other_program(table):
        notes.append(_of_other_program(file))
        return None
    return None if table is None else _configuration(table, KEYS, file, document, "project")


def _is_of_other_program(table: Mapping[str, Any]) -> bool:
    """Return whether the file with these keys has another purpose than ours.

    A key that resembles one of ours may be misspelled, and settings may be in the table where `pyproject.toml` has
    them. Such mistakes are reported, because rules would not apply otherwise.
    """
    inner = table.get("toolkit")
    names = [*table, *(inner if isinstance(inner, dict) else ())]
    is_ours = "tool" in table or any(nearest(name.lower(), names_of(KEYS), cutoff=_RESEMBLES) for name in names)
    return bool(names) and not is_ours


def _of_other_program(file: Path) -> Problem:
    message = f"this {file.name} is not read: no key in it is a setting of toolkit, so it is that of another program"
    return Problem(BAD_CONFIGURATION, message, Location(str(file)), "warning", keys_listed(KEYS))


def read_own_settings(file: Path) -> tuple[Configuration, list[Problem]]:
    """Return a user's own configuration, which can only have the keys in `USERS_OWN`, and its problems."""
    text = text_of(file)
    document = text if isinstance(text, Problem) else document_in(text, file)
    if isinstance(document, Problem):
        return Configuration(file.parent, file), [document]
    own = [key for name in USERS_OWN for key in KEYS if key.name == name]
    return _configuration(document.data, own, file, document, "user")


def _table(document: dict[str, Any], prefix: Sequence[str]) -> dict[str, Any] | None:
    """Return the table at a path of keys, or `None`."""
    found: Any = document
    for name in prefix:
        found = found.get(name)
        if not isinstance(found, dict):
            return None
    return cast("dict[str, Any]", found)


def _configuration(
    table: Mapping[str, Any], keys: Sequence[Key], file: Path, document: TomlDocument, owner: Owner
) -> tuple[Configuration, list[Problem]]:
    prefix = keys_before(file) if owner == "project" else ()
    problems: list[Problem] = []
    origin = Origin(file.parent, lambda path: document.place([*prefix, *path]), problems, owner)
    found = read_table(table, keys, Spot((), origin))
    defaults = found.pop("defaults", {})
    return Configuration(directory=file.parent, file=file, **found, **defaults), problems


_LISTS = {"TOOLKIT_ENV": "own_env", "TOOLKIT_MCP_START": "start", "TOOLKIT_CONSENT": "consented"}
"""The variables with comma-separated lists of names, and the settings that they set."""


def override(
    configuration: Configuration, variables: Mapping[str, str], directory: Path, problems: list[Problem]
) -> Configuration:
    """Return the configuration with the settings of environment variables.

    Args:
        configuration: The settings from files.
        variables: `TOOLKIT_SOURCES` (targets, separated as in `PATH`, relative to the working directory),
            `TOOLKIT_TIMEOUT`, `TOOLKIT_APPROVAL_TIMEOUT`, `TOOLKIT_MODEL_TIMEOUT` (durations), `TOOLKIT_DIALECT`,
            `TOOLKIT_MODEL` (names), `TOOLKIT_MODEL_URL`, `TOOLKIT_ENV` (names, separated by commas) and
            `TOOLKIT_GRANT` (permissions, separated by commas), `TOOLKIT_MCP_START` and `TOOLKIT_CONSENT` (names of
            servers and of settings, likewise), `TOOLKIT_POLICY` (a policy file), `TOOLKIT_AUDIT` (0 or 1); other
            variables are ignored.
        directory: The working directory.
        problems: Receives the problems.
    """
    changes = _named(variables)
    if targets := variables.get("TOOLKIT_SOURCES"):
        named = _split_targets(targets)
        changes |= {"sources": named, "user_sources": named, "directory": directory}
    if policy := variables.get("TOOLKIT_POLICY"):
        changes["named_policy"] = directory / policy
    if audit := variables.get("TOOLKIT_AUDIT"):
        changes["audit"] = audit.strip().lower() not in {"0", "false", "no"}
    if permissions := variables.get("TOOLKIT_GRANT"):
        changes["granted"] = granted_permissions(permissions.split(","), problems)
    if dialect := variables.get("TOOLKIT_DIALECT"):
        if hint := unknown_dialect(dialect):
            message = f"the variable 'TOOLKIT_DIALECT' must name a dialect, not {dialect!r}"
            problems.append(Problem(BAD_CONFIGURATION, message, hint=hint))
        else:
            changes["dialect"] = dialect
    changes |= {key: text for key in ("model", "model_url") if (text := variables.get(f"TOOLKIT_{key.upper()}"))}
    for key in ("timeout", "approval_timeout", "model_timeout"):
        if text := variables.get(name := f"TOOLKIT_{key.upper()}"):
            if seconds := duration(text):
                changes[key] = seconds
            else:
                problems.append(Problem(BAD_CONFIGURATION, f"the variable '{name}' must be {DURATION.words}"))
    return configuration._replace(**changes)


def granted_permissions(names: Sequence[str], problems: list[Problem]) -> frozenset[str]:
    """Return the granted permissions; `problems` receives a problem for each unknown one."""
    wanted = [name.strip() for name in names if name.strip()]
    problems += [unknown_permission(name) for name in wanted if name not in PERMISSIONS]
    return frozenset(wanted).intersection(PERMISSIONS)


def _named(variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings from variables with lists of names."""
    lists = {
        key: [name.strip() for name in text.split(",") if name.strip()]
        for variable, key in _LISTS.items()
        if (text := variables.get(variable))
    }
    changes: dict[str, Any] = {key: frozenset(names) for key, names in lists.items()}
    return {**changes, "env": tuple(lists["own_env"])} if "own_env" in lists else changes


def _split_targets(text: str) -> tuple[str, ...]:
    """Split targets like `PATH`; with a colon as separator, a bare name after a Python file belongs to the file."""
    targets: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(os.pathsep))):
        if os.pathsep == ":" and targets and targets[-1].endswith(".py") and part.isidentifier():
            targets[-1] += f":{part}"
        else:
            targets.append(part)
    return tuple(targets)


DRAFT = "https://json-schema.org/draft/2020-12/schema"


def configuration_schema(lint: Schema) -> Schema:
    """Return the JSON Schema of `toolkit.toml`, which is also that of `tool.toolkit` in `pyproject.toml`.

    Args:
        lint: The JSON Schema of the `lint` table.
    """
    schema = schema_of(KEYS)
    schema["properties"]["lint"] = schema["properties"]["lint"] | lint
    return {
        "$schema": DRAFT,
        "title": "toolkit.toml",
        "description": "The settings of a project; in pyproject.toml, under tool.toolkit.",
        **schema,
        "$defs": {DEFINITION: any_ready_schema()},
    }
