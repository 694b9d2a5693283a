"""The sandbox: files beneath one directory, reached by no other way.

A path is walked one component at a time, each opened beneath the handle of the one before and never through a symbolic
link; links are read and walked the same way, and may not lead out. So neither a link, nor one that is swapped in
between a check and its use, reaches a file outside: there is no check on a path and no use of one.

A hard link cannot be told from the file itself: one that lies inside can be read. Replacing it changes the entry
inside and leaves the other name alone, and nothing is ever appended to it.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.errors import ConfigurationError

DEFAULT_LIMIT = 10 * 1024 * 1024
"""Bytes that a file may have unless a tool is made with another limit."""

_MAX_STEPS = 200
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = _NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
# To pass through a directory one need not be allowed to list it.
_PASSAGE = _DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
# A FIFO without a partner would block, and a terminal would become ours.
_FILE = _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NEEDED: tuple[Callable[..., Any], ...] = (os.open, os.mkdir, os.stat, os.readlink, os.rename, os.unlink)


class SandboxError(Exception):
    """A path cannot be had: the message says why, in words for whoever chose the path, and `code` of what kind."""

    code = "error"


class OutsideError(SandboxError):
    """The path leads, or may lead, out of the directory."""

    code = "access_denied"


class MissingError(SandboxError):
    """There is no such file."""

    code = "not_found"


class UnfitError(SandboxError):
    """There is something at the path that is no regular file, or too large a one."""


class _Entry(NamedTuple):
    """The end of a walk: an open directory, a name in it, and what was there."""

    directory: int
    name: str
    found: os.stat_result | None


class Sandbox:
    """The files beneath one directory, which must exist. Every path is relative to it, or absolute and inside."""

    def __init__(self, base: str | Path) -> None:
        """Keep the directory.

        Raises:
            ConfigurationError: If it is no existing directory, or the system cannot open files beneath a handle.
        """
        problem = missing_support(os.supports_dir_fd)
        if problem:
            raise ConfigurationError(problem)
        if not Path(base).is_dir():
            what = "is not a directory" if Path(base).exists() else "does not exist"
            raise ConfigurationError(f"the base directory '{base}' {what}")
        self.base = Path(base).absolute()

    def read(self, path: str, limit: int = DEFAULT_LIMIT) -> bytes:
        """Return what a file holds.

        Raises:
            SandboxError: If it is outside, missing, no regular file, or has more than `limit` bytes.
            OSError: If the system cannot read it.
        """
        with self._walk(path) as entry:
            if entry.found is None:
                raise MissingError(f"File not found: {path}")
            with _opened(entry, path, os.O_RDONLY) as file:
                return _read_all(file, limit)

    def holds(self, path: str, limit: int = DEFAULT_LIMIT) -> bool:
        """Return whether there is such a file; anything else in its place raises as `read` does."""
        try:
            with self._walk(path) as entry:
                if entry.found is None:
                    return False
                _refuse_unless_file(entry.found, path)
                _refuse_above(limit, entry.found.st_size)
                return True
        except MissingError:
            return False

    def replace(self, path: str, content: bytes) -> None:
        """Write a file whole or not at all, with the directories it needs; an existing one keeps its permissions.

        Raises:
            SandboxError: If it is outside, or something other than a regular file is there.
            OSError: If the system cannot write it; then nothing has changed.
        """
        with self._walk(path, create=True) as entry:
            permissions = None
            if entry.found is not None:
                # Opening it proves that it may be written, though renaming would not ask.
                with _opened(entry, path, os.O_WRONLY) as file:
                    permissions = os.fstat(file)
            _replace(entry, content, permissions)

    def append(self, path: str, content: bytes, limit: int = DEFAULT_LIMIT) -> None:
        """Write to the end of a file, which is created if it is not there; those that append at once lose nothing.

        Raises:
            SandboxError: If it is outside, no regular file, has another name too, or would grow beyond `limit` bytes.
            OSError: If the system cannot write it.
        """
        with (
            self._walk(path, create=True) as entry,
            _opened(entry, path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as file,
        ):
            before = os.fstat(file)
            if before.st_nlink > 1:
                raise OutsideError(
                    f"Access denied: another name of this file may be outside the sandbox directory: {path}"
                )
            _refuse_above(limit, before.st_size + len(content))
            _write_all(file, content)
            os.fsync(file)

    @contextmanager
    def _walk(self, path: str, *, create: bool = False) -> Iterator[_Entry]:
        """Yield where a path leads; its directory stays open as long."""
        parts = self._parts(path)
        walk = _Walk(self, path, create=create)
        try:
            yield walk.to(parts)
        finally:
            walk.close()

    def _parts(self, path: str) -> list[str]:
        """Return the components of a path relative to the base, with `..` taken as text."""
        if "\0" in path or not _encodable(path):
            raise _outside()
        parts: list[str] = []
        for part in self.relative(path) if path.startswith("/") else path.split("/"):
            if part == "..":
                if not parts:
                    raise _outside()
                parts.pop()
            elif part not in {"", "."}:
                parts.append(part)
        return parts

    def relative(self, path: str) -> tuple[str, ...]:
        """Return the components of an absolute path below the base, by either of the base's names.

        Raises:
            OutsideError: If it lies elsewhere.
        """
        whole = Path(os.path.normpath(path)).parts
        for base in (Path(os.path.normpath(self.base)), self.base.resolve()):
            if whole[: len(base.parts)] == base.parts:
                return whole[len(base.parts) :]
        raise _outside()


class _Walk:
    """One walk: the handles from the base to where it stands."""

    def __init__(self, sandbox: Sandbox, path: str, *, create: bool) -> None:
        self.sandbox = sandbox
        self.path = path
        self.create = create
        self.steps = 0
        # The base itself was named by the user, so its own path may hold links.
        self.handles = [os.open(sandbox.base, _PASSAGE & ~getattr(os, "O_NOFOLLOW", 0))]

    def to(self, parts: list[str]) -> _Entry:
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
                    return _Entry(self.handles[-1], name, found)
                ahead = self.target_of(name)
            elif not self.enter(name):
                ahead += self.target_of(name)
        raise UnfitError(f"Not a regular file: {self.path}")

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise _unresolved()

    def leave(self) -> None:
        """Go back to where the walk came from, which is surer than opening `..`."""
        if len(self.handles) == 1:
            raise _outside_link()
        os.close(self.handles.pop())

    def look_at(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self.handles[-1], follow_symlinks=False)
        except FileNotFoundError:
            return None

    def enter(self, name: str) -> bool:
        """Enter a directory, and return whether it was one and not a link."""
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
        """Return the components of a link's target, the first last; an absolute one starts again at the base."""
        try:
            target = os.readlink(name, dir_fd=self.handles[-1])
        except OSError as error:
            if error.errno == errno.EINVAL:  # it is no link, and no directory either
                kind = UnfitError(f"Not a directory: '{name}'") if self.create else None
                raise kind or MissingError(f"File not found: {self.path}") from None
            raise
        parts = target.split("/")
        if target.startswith("/"):
            try:
                parts = list(self.sandbox.relative(target))
            except OutsideError:
                raise _outside_link() from None
            while len(self.handles) > 1:
                os.close(self.handles.pop())
        return [part for part in reversed(parts) if part not in {"", "."}]

    def close(self) -> None:
        while self.handles:
            os.close(self.handles.pop())


def missing_support(supported: Collection[Callable[..., Any]]) -> str | None:
    """Return why files cannot be opened beneath a directory handle here, or `None` if they can."""
    if _NOFOLLOW and all(function in supported for function in _NEEDED):
        return None
    return (
        "this system cannot open files beneath a directory handle, so the file tools could not be kept inside"
        " their directory; they need Linux, macOS or another Unix"
    )


@contextmanager
def _opened(entry: _Entry, path: str, flags: int) -> Iterator[int]:
    """Open the end of a walk if it is a regular file, looking before and after."""
    if entry.found is not None:
        _refuse_unless_file(entry.found, path)
    try:
        file = os.open(entry.name, flags | _FILE, 0o666, dir_fd=entry.directory)
    except FileNotFoundError:
        raise MissingError(f"File not found: {path}") from None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:  # a link has taken its place
            raise _unresolved() from None
        raise
    try:
        _refuse_unless_file(os.fstat(file), path)
        yield file
    finally:
        os.close(file)


def _refuse_unless_file(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnfitError(f"Not a regular file: {path}")


def _read_all(file: int, limit: int) -> bytes:
    _refuse_above(limit, os.fstat(file).st_size)
    chunks: list[bytes] = []
    size = 0
    while chunk := os.read(file, 1024 * 1024):
        chunks.append(chunk)
        size += len(chunk)
        _refuse_above(limit, size)
    return b"".join(chunks)


def _refuse_above(limit: int, size: int) -> None:
    if size > limit:
        raise UnfitError(f"File too large: {size} bytes, at most {limit}")


def _replace(entry: _Entry, content: bytes, permissions: os.stat_result | None) -> None:
    """Put a new file in the place of a name, in one step that happens or does not."""
    temporary = f".toolkit-{os.urandom(8).hex()}.tmp"
    mode = 0o666 if permissions is None else 0o600
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW, mode, dir_fd=entry.directory)
    try:
        try:
            if permissions is not None:
                _copy_permissions(file, permissions)
            _write_all(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        os.rename(temporary, entry.name, src_dir_fd=entry.directory, dst_dir_fd=entry.directory)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=entry.directory)
        raise
    _sync_directory(entry.directory)


def _copy_permissions(file: int, permissions: os.stat_result) -> None:
    with suppress(OSError):  # who is not the owner may write the file, but not give it back
        os.fchown(file, permissions.st_uid, permissions.st_gid)
    os.fchmod(file, stat.S_IMODE(permissions.st_mode) & 0o777)


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_directory(directory: int) -> None:
    """Make a new name survive a power cut, where the file system can."""
    with suppress(OSError):
        handle = os.open(".", os.O_RDONLY | _DIRECTORY, dir_fd=directory)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _encodable(path: str) -> bool:
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def _outside() -> OutsideError:
    return OutsideError("Access denied: path is outside the sandbox directory")


def _outside_link() -> OutsideError:
    return OutsideError("Access denied: path resolves outside the sandbox directory")


def _unresolved() -> OutsideError:
    return OutsideError("Access denied: cannot resolve file path")
