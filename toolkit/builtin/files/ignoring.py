"""Ignoring: which files a project's `.gitignore` files exclude, by git's own rules."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.builtin.files.patterns import MalformedPatternError, translate

IGNORE_FILE = ".gitignore"


class Rule(NamedTuple):
    """One line of an ignore file.

    Attributes:
        matches: Matches a path relative to the file's folder, or a bare name.
        takes_back: Whether what it matches is not ignored after all.
        only_folders: Whether it is about folders alone.
        by_name: Whether it is matched against the bare name.
    """

    matches: re.Pattern[str]
    takes_back: bool
    only_folders: bool
    by_name: bool


class IgnoreFile(NamedTuple):
    """The rules of one ignore file, the last first, and the folder that it lies in, with a slash at its end."""

    folder: str
    rules: tuple[Rule, ...]


def read_ignore_file(folder: str, content: bytes) -> IgnoreFile:
    """Return the rules of an ignore file; lines that can match nothing are left out.

    Args:
        folder: The path of the folder that it lies in, with a slash at its end; empty for the topmost.
        content: What the file holds.
    """
    text = content.decode(errors="surrogateescape").removeprefix("\ufeff")
    return IgnoreFile(folder, tuple(_rules(text))[::-1])


def is_ignored(path: str, files: tuple[IgnoreFile, ...], *, is_folder: bool) -> bool:
    """Return whether a path is ignored, its folders not being ignored.

    Args:
        path: Relative to the topmost folder.
        files: The ignore files from the topmost folder down to the path's own; the last pattern that matches decides.
        is_folder: Whether there is a folder.
    """
    name = path[path.rfind("/") + 1 :]
    for file in reversed(files):
        inside = path[len(file.folder) :]
        for rule in file.rules:
            if rule.matches.match(name if rule.by_name else inside) and (is_folder or not rule.only_folders):
                return not rule.takes_back
    return False


def _rules(text: str) -> Iterator[Rule]:
    for whole_line in text.split("\n"):
        line = _without_trailing_blanks(whole_line.removesuffix("\r"))
        if not line or line.startswith("#"):
            continue
        takes_back = line.startswith("!")
        pattern = line[takes_back:]
        only_folders = pattern.endswith("/")
        pattern = pattern[: -1 if only_folders else None]
        by_name = "/" not in pattern
        try:
            matches = re.compile(translate(pattern.removeprefix("/")))
        except MalformedPatternError:
            continue
        yield Rule(matches, takes_back, only_folders, by_name)


def _without_trailing_blanks(line: str) -> str:
    """Return a line without the blanks at its end, but for one behind a backslash."""
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if backslashes % 2 and len(kept) < len(line) else kept
