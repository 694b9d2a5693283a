"""Lists the files of a folder and its subfolders in a fixed order, and matches path patterns such as `src/**/*.py`.

Each folder is opened relative to the handle of its parent. Symbolic links are neither followed nor listed. Files that
`.gitignore` files exclude are skipped, and so is the `.git` folder.

In a pattern, `*` matches any part of a name, `?` one character, `[a-z]` one character of a class, and `**` any number
of folders, including none. A backslash escapes the next character. Stars and classes do not match a slash. Patterns
become regular expressions without exponential backtracking: the part between two stars is matched where it occurs
first, in an atomic group, so it is never tried again at a later position. A later position could not make a match
possible that the first one does not.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from toolkit.builtin.files.sandbox import read_entry
from toolkit.walking import DIRECTORY, Entry, MissingError, SandboxError, parts_of, walk, walk_into

_MAX_LENGTH = 1_000
_MAX_ALTERNATIVES = 100
# The innermost braces, which are expanded first. Braces without a comma, or after a backslash, are literal.
_BRACES = re.compile(r"(?<!\\)\{([^{},\\]*(?:,[^{},\\]*)+)\}")
_STAR: Final = ""
_ANY_FOLDERS: Final = None
_BETWEEN_SLASHES = "[^/]"
_NAMED_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class MalformedPatternError(ValueError):
    """A pattern is malformed; the message says why."""


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Compile a pattern for paths relative to a folder, in which `{a,b}` matches either `a` or `b`.

    Raises:
        MalformedPatternError: If the pattern is malformed or too large, or could not match any path in the folder.
    """
    if len(pattern) > _MAX_LENGTH:
        raise MalformedPatternError(f"it has {len(pattern)} characters, at most {_MAX_LENGTH}")
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise MalformedPatternError("it must be relative to the folder and stay inside")
    if pattern.endswith("/"):
        raise MalformedPatternError(f"it matches folders; write '{pattern}**' for the files in them")
    alternatives = [translate(alternative.removeprefix("./")) for alternative in _alternatives(pattern)]
    return re.compile("|".join(alternatives))


def translate(pattern: str) -> str:
    """Translate a pattern to a regular expression for whole paths.

    Args:
        pattern: A pattern whose parts between slashes are matched against the parts of a relative path.

    Raises:
        MalformedPatternError: If a class is not closed or has an unknown name, or a backslash ends the pattern.
    """
    groups: list[list[str]] = [[]]
    for component in _Parser(pattern).components():
        if component is _ANY_FOLDERS:
            groups.append([])
        else:
            groups[-1].append(_of_component(component))
    first, *others = groups
    if not others:
        return rf"(?s:{'/'.join(first)})\Z"
    parts = [f"{component}/" for component in first]
    parts += [f"(?>(?:[^/]+/)*?{'/'.join(group)}/)" for group in others[:-1] if group]
    parts.append(f"(?:[^/]+/)*{'/'.join(others[-1])}" if others[-1] else ".+")
    return rf"(?s:{''.join(parts)})\Z"


def _alternatives(pattern: str) -> list[str]:
    """Expand the braces of a pattern, and return all resulting patterns."""
    finished: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(finished) + len(waiting) > _MAX_ALTERNATIVES:
            raise MalformedPatternError(f"its braces expand to more than {_MAX_ALTERNATIVES} patterns")
        following = waiting.pop()
        if braces := _BRACES.search(following):
            before, after = following[: braces.start()], following[braces.end() :]
            waiting += [f"{before}{choice}{after}" for choice in reversed(braces[1].split(","))]
        else:
            finished.append(following)
    return finished


def _of_component(tokens: list[str]) -> str:
    chunks = [""]
    for token in tokens:
        if token == _STAR:
            chunks.append("")
        else:
            chunks[-1] += token
    first, *others = chunks
    if not others:
        return first
    between = "".join(f"(?>[^/]*?{chunk})" for chunk in others[:-1])
    return f"{first}{between}[^/]*{others[-1]}"


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0

    def components(self) -> list[list[str] | None]:
        """Return the parts between slashes, each as a list of regular expressions for its characters."""
        components: list[list[str] | None] = []
        tokens: list[str] = []
        while (character := self.take()) is not None:
            if character == "/":
                components.append(tokens)
                tokens = []
            elif character == "*":
                is_whole = self.take_stars() and not tokens and self.next() in {"/", ""}
                if is_whole:
                    components.append(_ANY_FOLDERS)
                    if self.take() is None:
                        return components
                else:
                    tokens.append(_STAR)
            elif character == "?":
                tokens.append(_BETWEEN_SLASHES)
            elif character == "[":
                tokens.append(self.take_class())
            else:
                tokens.append(re.escape(self.take_escaped() if character == "\\" else character))
        return [*components, tokens]

    def next(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def take(self) -> str | None:
        character = self.next()
        self.position += 1
        return character or None

    def take_stars(self) -> bool:
        """Consume the stars that follow a star, and return whether there are any."""
        start = self.position
        while self.next() == "*":
            self.position += 1
        return self.position > start

    def take_escaped(self) -> str:
        if (character := self.take()) is None:
            raise MalformedPatternError("a backslash at the end has nothing to escape")
        return character

    def take_in_class(self) -> str:
        if (character := self.take()) is None:
            raise MalformedPatternError("'[' is not closed by ']'")
        return character

    def take_class(self) -> str:
        negated = self.next() in {"!", "^"}
        self.position += negated
        items: list[str] = []
        before = ""  # the character that can start a range
        character = self.take_in_class()
        while True:
            if character == "[" and self.next() == ":" and (named := self.take_named()):
                items.append(named)
                before = ""
            elif character == "-" and before and self.next() not in {"]", ""}:
                end = self.take_in_class()
                end = self.take_in_class() if end == "\\" else end
                items.append(f"{re.escape(before)}-{re.escape(end)}" if before <= end else "")
                before = ""
            else:
                before = self.take_in_class() if character == "\\" else character
                items.append(re.escape(before))
            if (character := self.take_in_class()) == "]":
                break
        inside = "".join(items)
        if not inside:
            return _BETWEEN_SLASHES if negated else "(?!)"
        return f"(?!/)[{'^' if negated else ''}{inside}]"

    def take_named(self) -> str | None:
        """Consume a named class such as `[:alpha:]`, or return `None` if there is none here."""
        end = self.pattern.find("]", self.position + 1)
        if end < 0:
            raise MalformedPatternError("'[' is not closed by ']'")
        name = self.pattern[self.position + 1 : end]
        if not name.endswith(":"):
            return None
        if (named := _NAMED_CLASSES.get(name[:-1])) is None:
            raise MalformedPatternError(f"there is no class '[:{name}]'")
        self.position = end + 1
        return named


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


_MAX_ENTRIES = 200_000
_MAX_DEPTH = 100
_MAX_IGNORE_BYTES = 1024 * 1024
_GIT_FOLDER = ".git"


class Effort:
    """The remaining time and number of entries of one tool call, and why the call stopped early, if it did."""

    def __init__(self, seconds: float, entries: int = _MAX_ENTRIES) -> None:
        """Start the time limit.

        Args:
            seconds: Time limit in seconds.
            entries: Maximum number of files and folders to visit.
        """
        self.seconds = seconds
        self.stopped: str | None = None
        """Why the work stopped before everything was visited, or `None`."""
        self.unreadable = 0
        """Number of folders that could not be listed."""
        self._end = monotonic() + seconds
        self._entries = entries
        self._most = entries

    def may_continue(self, entries: int = 0) -> bool:
        """Count some more entries, and return whether the work may continue."""
        self._entries -= entries
        if self._entries < 0:
            self.stopped = self.stopped or f"after {self._most} files and folders"
        elif monotonic() > self._end:
            self.stopped = self.stopped or f"after {self.seconds:g} seconds"
        return self.stopped is None

    def remarks(self) -> list[str]:
        """Return notes on what was left out."""
        remarks = [f"stopped {self.stopped}: choose a smaller folder as path"] if self.stopped else []
        if self.unreadable:
            remarks.append(
                f"{self.unreadable} folders could not be read" if self.unreadable > 1 else "1 folder could not be read"
            )
        return remarks


def on_one_line(path: str) -> str:
    """Return a path with unprintable characters escaped, so that it stays on one line and is fully visible."""
    if path.isprintable():
        return path
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in path)


class Listed(NamedTuple):
    """One file of a listing, which can be read until the listing moves on.

    Attributes:
        entry: The open directory that contains the file, and the name of the file.
        path: The path relative to the base directory.
        inside: The path relative to the listed folder.
    """

    entry: Entry
    path: str
    inside: str

    def read(self, limit: int) -> bytes:
        """Return the content of the file.

        Raises:
            SandboxError: If the file was removed, is not a regular file any more, or has more than `limit` bytes.
            OSError: If the system cannot read the file.
        """
        return read_entry(self.entry, self.path, limit)


def list_files(base: Path, folder: str, effort: Effort) -> Iterator[Listed]:
    """Yield the files of a folder and its subfolders, sorted by name. For a path to a file, yield only that file.

    Args:
        base: The absolute path of the sandbox directory.
        folder: A path in that directory.
        effort: The limits of the listing; it records whether they were reached.

    Raises:
        SandboxError: If the path leads out of the directory, or is neither a folder nor a file.
        OSError: If the system refuses access.
    """
    parts = parts_of(base, folder)
    if parts:
        with walk(base, folder) as entry:
            if entry.found is None:
                raise MissingError(f"File or folder not found: {folder}")
            if stat.S_ISREG(entry.found.st_mode):
                path = "/".join(parts)
                yield Listed(entry, path, parts[-1])
                return
    with walk_into(base, folder) as handle:
        files = tuple(_ignore_files_above(base, parts))
        prefix = "".join(f"{part}/" for part in parts)
        yield from _Tree(prefix, effort).below(handle, prefix, files, 0)


class _Tree:
    """One listing, whose paths are relative to the base directory."""

    def __init__(self, root: str, effort: Effort) -> None:
        self.root = root
        self.effort = effort

    def below(self, handle: int, prefix: str, files: tuple[IgnoreFile, ...], depth: int) -> Iterator[Listed]:
        entries = self.entries_of(handle)
        if entries.get(IGNORE_FILE) is False:
            files = (*files, *_ignore_file_in(handle, prefix))
        for name, is_folder in sorted(entries.items()):
            path = f"{prefix}{name}"
            if not self.effort.may_continue():
                return
            if (is_folder and name == _GIT_FOLDER) or is_ignored(path, files, is_folder=is_folder):
                continue
            if not is_folder:
                yield Listed(Entry(handle, name, None), path, path[len(self.root) :])
                continue
            with self.opened(handle, name, depth) as inner:
                if inner is not None:
                    yield from self.below(inner, f"{path}/", files, depth + 1)

    def entries_of(self, handle: int) -> dict[str, bool]:
        """Return the files and folders of a directory, each name with whether it is a folder."""
        found: dict[str, bool] = {}
        try:
            with os.scandir(handle) as entries:
                for entry in entries:
                    if not self.effort.may_continue(1):
                        break
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if is_folder or entry.is_file(follow_symlinks=False):
                        found[entry.name] = is_folder
        except OSError:
            self.effort.unreadable += 1
        return found

    @contextmanager
    def opened(self, handle: int, name: str, depth: int) -> Iterator[int | None]:
        """Open a folder, or count it as unreadable and yield `None`."""
        try:
            inner = os.open(name, os.O_RDONLY | DIRECTORY, dir_fd=handle) if depth < _MAX_DEPTH else None
        except OSError:
            inner = None
        if inner is None:
            self.effort.unreadable += 1
            yield None
            return
        try:
            yield inner
        finally:
            os.close(inner)


def _ignore_files_above(base: Path, parts: list[str]) -> Iterator[IgnoreFile]:
    """Yield the ignore files of all parent folders of a path."""
    for count in range(len(parts)):
        folder = "/".join(parts[:count])
        with suppress(SandboxError, OSError), walk_into(base, folder or ".") as handle:
            yield from _ignore_file_in(handle, f"{folder}/" if folder else "")


def _ignore_file_in(handle: int, prefix: str) -> list[IgnoreFile]:
    try:
        return [read_ignore_file(prefix, read_entry(Entry(handle, IGNORE_FILE, None), prefix, _MAX_IGNORE_BYTES))]
    except (SandboxError, OSError):
        return []
