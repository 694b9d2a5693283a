"""Walks from a directory's handle to a file in it, one path component at a time, and never outside.

Each component is opened relative to the handle of the one before it. The operating system never follows a symbolic
link: its target is read and walked in the same way, and must not lead outside. So a path is never checked separately
from its use, and swapping a component between a check and a use cannot lead outside.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags to open anything relative to a handle."""

DIRECTORY = NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
"""Flags to open a directory."""

# Passing through a directory does not need the permission to list it.
_PASSAGE = DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
_MAX_STEPS = 200
_NEEDED: tuple[Callable[..., Any], ...] = (os.open, os.mkdir, os.stat, os.readlink, os.rename, os.unlink)


class SandboxError(Exception):
    """A path cannot be used; the message explains why to the caller, and `code` is the kind of error."""

    code = "error"


class OutsideError(SandboxError):
    """The path leads, or could lead, outside the directory."""

    code = "access_denied"


class MissingError(SandboxError):
    """The file does not exist."""

    code = "not_found"


class UnfitError(SandboxError):
    """The path is not a regular file, or the file is too large or not text."""


class ConflictError(SandboxError):
    """The file is not in the expected state; nothing was written."""

    code = "conflict"


class Entry(NamedTuple):
    """The end of a walk: an open directory, a name in it, and the status of what has this name, if anything."""

    directory: int
    name: str
    found: os.stat_result | None


@contextmanager
def walk(base: Path, path: str, *, create: bool = False, follow: bool = True) -> Iterator[Entry]:
    """Yield the entry to which a path in a directory leads; its parent directory stays open in the meantime.

    Args:
        base: The absolute path of the directory.
        path: A path relative to it, or an absolute one inside it. `..` removes the component before it, even if that is
            a symbolic link.
        create: Whether to create missing directories on the way.
        follow: Whether to follow symbolic links that stay inside.

    Raises:
        SandboxError: If the path leads outside, a component on the way is not a directory, or a link is not followed.
        OSError: If the system refuses access.
    """
    parts = parts_of(base, path)
    current = _Walk(base, path, create=create, follow=follow)
    try:
        yield current.to(parts)
    finally:
        current.close()


@contextmanager
def walk_into(base: Path, path: str) -> Iterator[int]:
    """Yield an open handle of the directory to which a path leads; the handle can be listed.

    Raises:
        SandboxError: If the path leads outside, or is not a directory.
        OSError: If the system refuses access.
    """
    parts = parts_of(base, path)
    current = _Walk(base, path, create=False)
    try:
        here = current.to([*parts, "."])
        handle = os.open(".", os.O_RDONLY | DIRECTORY, dir_fd=here.directory)
    finally:
        current.close()
    try:
        yield handle
    finally:
        os.close(handle)


def can_walk(supported: Collection[Callable[..., Any]]) -> bool:
    """Return whether this system can open files relative to a directory handle, given `os.supports_dir_fd`."""
    return hasattr(os, "O_NOFOLLOW") and all(function in supported for function in _NEEDED)


def parts_of(base: Path, path: str) -> list[str]:
    """Return the components of a path relative to the base.

    Raises:
        OutsideError: If they lead outside, or the string cannot be a path.
    """
    if "\0" in path or not _encodable(path):
        raise _outside()
    parts: list[str] = []
    for part in _relative(base, path) if path.startswith("/") else path.split("/"):
        if part == "..":
            if not parts:
                raise _outside()
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return parts


def _relative(base: Path, path: str) -> tuple[str, ...]:
    """Return the components of an absolute path relative to the base, as it was given or with its links resolved."""
    whole = Path(os.path.normpath(path)).parts
    for name in (Path(os.path.normpath(base)), base.resolve()):
        if whole[: len(name.parts)] == name.parts:
            return whole[len(name.parts) :]
    raise _outside()


class _Walk:
    """One walk, with the open handles from the base to the current directory."""

    def __init__(self, base: Path, path: str, *, create: bool, follow: bool = True) -> None:
        self.base = base
        self.path = path
        self.create = create
        self.follow = follow
        self.steps = 0
        # The user chose the base directory, so its own path may contain links.
        self.handles = [os.open(base, _PASSAGE & ~getattr(os, "O_NOFOLLOW", 0))]

    def to(self, parts: list[str]) -> Entry:
        """Walk to the last component, which is not entered."""
        ahead = parts[::-1]
        while ahead:
            self.count_step()
            name = ahead.pop()
            if name == "..":
                self.leave()
                continue
            if not ahead:
                found = self.look_at(name)
                if found is None or not stat.S_ISLNK(found.st_mode):
                    return Entry(self.handles[-1], name, found)
                ahead = self.target_of(name)
            elif not self.enter(name):
                ahead += self.target_of(name)
        raise UnfitError(f"Not a regular file: {self.path}")

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise unresolved()

    def leave(self) -> None:
        """Go back to the previous directory, which is safer than opening `..`."""
        if len(self.handles) == 1:
            raise _outside_link()
        os.close(self.handles.pop())

    def look_at(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self.handles[-1], follow_symlinks=False)
        except FileNotFoundError:
            return None

    def enter(self, name: str) -> bool:
        """Enter a directory; return `False` if the name is a link or a file instead."""
        try:
            self.handles.append(self.open_directory(name))
        except FileNotFoundError:
            raise MissingError(f"File not found: {self.path}") from None
        except OSError as error:
            if error.errno in {errno.ENOTDIR, errno.ELOOP, errno.EMLINK}:
                return False
            raise
        return True

    def open_directory(self, name: str) -> int:
        try:
            return os.open(name, _PASSAGE, dir_fd=self.handles[-1])
        except FileNotFoundError:
            if not self.create:
                raise
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=self.handles[-1])
        return os.open(name, _PASSAGE, dir_fd=self.handles[-1])

    def target_of(self, name: str) -> list[str]:
        """Return the components of a link's target in reverse order; for an absolute target, go back to the base."""
        try:
            target = os.readlink(name, dir_fd=self.handles[-1])
        except OSError as error:
            if error.errno == errno.EINVAL:  # neither a link nor a directory
                kind = UnfitError(f"Not a directory: '{name}'") if self.create else None
                raise kind or MissingError(f"File not found: {self.path}") from None
            raise
        if not self.follow:
            raise OutsideError(f"'{name}' is a symbolic link, which is not followed")
        parts = target.split("/")
        if target.startswith("/"):
            try:
                parts = list(_relative(self.base, target))
            except OutsideError:
                raise _outside_link() from None
            while len(self.handles) > 1:
                os.close(self.handles.pop())
        return [part for part in reversed(parts) if part not in {"", "."}]

    def close(self) -> None:
        while self.handles:
            os.close(self.handles.pop())


def _encodable(path: str) -> bool:
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def _outside() -> OutsideError:
    return OutsideError("Access denied: path is outside the sandbox directory")


def _outside_link() -> OutsideError:
    return OutsideError("Access denied: path resolves outside the sandbox directory")


def unresolved() -> OutsideError:
    """Return the error for a path that changes during the walk, or that has too many links."""
    return OutsideError("Access denied: cannot resolve file path")
