"""Read a TOML file as a configuration, and report all problems in it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from toolkit.documents.tables import Key, Owner, Setting, Spot
from toolkit.problems import Problem
from toolkit.sources.configuration import Configuration, keys_before
from toolkit.sources.setting_keys import KEYS, USERS_OWN, read_settings_table
from toolkit.sources.toml_files import TomlDocument, document_in, text_of

_OWN_TABLE = re.compile(r"^\s*\[\s*tool\s*\.\s*toolkit\b", re.MULTILINE)


def read_settings(file: Path) -> tuple[Configuration, list[Problem]] | None:
    """Return the settings in a file and their problems, or `None` if a `pyproject.toml` has no settings for us."""
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
    return None if table is None else _configuration(table, KEYS, file, document, "project")


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
    setting = Setting(file.parent, lambda path: document.place([*prefix, *path]), problems.append, owner)
    found = read_settings_table(table, keys, Spot((), setting))
    defaults = found.pop("defaults", {})
    return Configuration(directory=file.parent, file=file, **found, **defaults), problems
