"""Finds out which versions of a package the project of a Python file, or the file itself, allows."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.python_sources import PythonSource

_FILES = ("pyproject.toml", "requirements.txt")
_SCRIPT = re.compile(r"^# /// script$(.*?)^# ///$", re.MULTILINE | re.DOTALL)
_MOST_FOLDERS = 12
_LARGEST = 1024 * 1024


class Requirement(NamedTuple):
    """A requirement, and the name of the file that contains it."""

    text: str
    file: str


def unbounded_requirement(module: PythonSource, package: str) -> Requirement | None:
    """Return the requirement of a package without an upper bound; None if it has one, or if none is found.

    It is read from the script itself, or from the nearest `pyproject.toml` or `requirements.txt` above the file.
    """
    script = _SCRIPT.search(module.text)
    texts = [(module.text[script.start() : script.end()], Path(module.file).name)] if script else []
    for text, name in [*texts, *_requirement_files_above(Path(module.file).parent)]:
        found = list(_requirements(text, package))
        if found:
            unbounded = [one for one in found if not re.search(r"<|==|~=|@", one)]
            return Requirement(unbounded[0], name) if unbounded and len(unbounded) == len(found) else None
    return None


def _requirements(text: str, package: str) -> Iterator[str]:
    pattern = rf"""(?:^|["'])({re.escape(package)}(?![\w.-])(?:\[[^\]\n]*\])?[^"'\n;#]*)"""
    for match in re.finditer(pattern, text, re.MULTILINE | re.IGNORECASE):
        rest = match[1][len(package) :].strip()
        if not rest or rest[0] in "[<>=!~@":
            yield match[1].strip()


@cache
def _requirement_files_above(folder: Path) -> tuple[tuple[str, str], ...]:
    """Return the contents of the nearest files with requirements, the nearest first."""
    found = []
    for parent in [folder.absolute(), *folder.absolute().parents][:_MOST_FOLDERS]:
        for name in _FILES:
            try:
                found.append((bounded_bytes(parent / name, most=_LARGEST).decode("utf-8"), name))
            except (OSError, UnicodeDecodeError):
                continue
        if found or (parent / ".git").exists():
            break
    return tuple(found)
