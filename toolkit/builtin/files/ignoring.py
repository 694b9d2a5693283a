"""Decides which files the `.gitignore` files of a project exclude, by git's rules."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.builtin.files.patterns import MalformedPatternError, translate

IGNORE_FILE = ".gitignore"


class Rule(NamedTuple):
    """One line of an ignore file.

    Attributes:
        matches: Matches a path relative to the ignore file's folder, or only a name.
        includes_again: Whether the rule re-includes what it matches.
        only_folders: Whether the rule applies only to folders.
        by_name: Whether the rule is matched against the name rather than the path.
    """

    matches: re.Pattern[str]
    includes_again: bool
    only_folders: bool
    by_name: bool


class IgnoreFile(NamedTuple):
    """The rules of one ignore file, the last one first, and the path of its folder, with a slash at its end."""

    folder: str
    rules: tuple[Rule, ...]


def read_ignore_file(folder: str, content: bytes) -> IgnoreFile:
    """Parse an ignore file; lines that cannot match anything are left out.

    Args:
        folder: The path of the file's folder, with a slash at its end; empty for the top folder.
        content: The content of the file.
    """
    text = content.decode(errors="surrogateescape").removeprefix("\ufeff")
    return IgnoreFile(folder, tuple(_rules(text))[::-1])


def is_ignored(path: str, files: tuple[IgnoreFile, ...], *, is_folder: bool) -> bool:
    """Return whether a path is ignored, provided that none of its parent folders is.

    Args:
        path: A path relative to the top folder.
        files: The ignore files from the top folder down to the path's folder. The last pattern that matches decides.
        is_folder: Whether the path is a folder.
    """
    name = path[path.rfind("/") + 1 :]
    for file in reversed(files):
        inside = path[len(file.folder) :]
        for rule in file.rules:
            if rule.matches.match(name if rule.by_name else inside) and (is_folder or not rule.only_folders):
                return not rule.includes_again
    return False


def _rules(text: str) -> Iterator[Rule]:
    for whole_line in text.split("\n"):
        line = _without_trailing_blanks(whole_line.removesuffix("\r"))
        if not line or line.startswith("#"):
            continue
        includes_again = line.startswith("!")
        pattern = line[includes_again:]
        only_folders = pattern.endswith("/")
        pattern = pattern[: -1 if only_folders else None]
        by_name = "/" not in pattern
        try:
            matches = re.compile(translate(pattern.removeprefix("/")))
        except MalformedPatternError:
            continue
        yield Rule(matches, includes_again, only_folders, by_name)


def _without_trailing_blanks(line: str) -> str:
    """Remove the spaces at the end of a line, except for one that is escaped by a backslash."""
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if backslashes % 2 and len(kept) < len(line) else kept
