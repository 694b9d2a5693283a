"""Lists the files of a folder and its subfolders in a fixed order, without following symbolic links.

Each folder is opened relative to the handle of its parent. Symbolic links are neither followed nor listed. Files that
`.gitignore` files exclude are skipped, and so is the `.git` folder.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from toolkit.builtin.files.patterns import IGNORE_FILE, IgnoreFile, is_ignored, read_ignore_file
from toolkit.builtin.files.sandbox import read_entry
from toolkit.walking import DIRECTORY, Entry, MissingError, SandboxError, parts_of, walk, walk_into

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
