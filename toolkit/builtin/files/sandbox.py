"""Reads and writes files in one directory, without access to anything outside it, and the base classes of such tools.

Symbolic links are followed only within the directory; see `walking`. A hard link looks like any other file, so a hard
link in the directory can be read. Replacing it changes only the entry in the directory and not the file's other names,
and appending to it is refused.
"""

import errno
import os
import stat
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

from toolkit.builtin.options import COUNT, SWITCH, Option
from toolkit.errors import ConfigurationError, ToolArgumentsError, ToolExecutionError
from toolkit.processes.watching import write_all
from toolkit.replacing import rename, replace_entry
from toolkit.tools.kinds.class_tools import Input, TypedTool
from toolkit.walking import (
    NOFOLLOW,
    ConflictError,
    Entry,
    MissingError,
    OutsideError,
    SandboxError,
    UnfitError,
    can_walk,
    parts_of,
    unresolved,
    walk,
)

__all__ = ["DEFAULT_LIMIT", "Sandbox", "SandboxError", "missing_support", "read_entry", "state_of"]

DEFAULT_LIMIT = 10 * 1024 * 1024
"""Default maximum size of a file, in bytes."""

_MISSING = "missing"
_CHANGING = threading.Lock()
"""Held while a file is compared with its expected state and written: two calls must not both find it unchanged."""

# Opening a FIFO without a writer would block, and a terminal would become our controlling terminal.
_FILE = NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class Sandbox:
    """The files in one directory, which must exist. Every path is relative to it, or absolute and inside it."""

    def __init__(self, base: str | Path) -> None:
        """Create the sandbox.

        Raises:
            ConfigurationError: If `base` is not an existing directory, or this system cannot open files relative to a
                directory handle.
        """
        problem = missing_support(os.supports_dir_fd)
        if problem:
            raise ConfigurationError(problem)
        if not Path(base).is_dir():
            what = "is not a directory" if Path(base).exists() else "does not exist"
            raise ConfigurationError(f"the base directory '{base}' {what}")
        self.base = Path(base).absolute()

    def read(self, path: str, limit: int = DEFAULT_LIMIT) -> bytes:
        """Return the content of a file.

        Raises:
            SandboxError: If the file is outside, missing or not a regular file, or has more than `limit` bytes.
            OSError: If the system cannot read the file.
        """
        with walk(self.base, path) as entry:
            if entry.found is None:
                raise MissingError(f"File not found: {path}")
            return read_entry(entry, path, limit)

    def holds(self, path: str, limit: int = DEFAULT_LIMIT) -> bool:
        """Return whether a file exists; if the path cannot be read as a file, raise the same errors as `read`."""
        try:
            with walk(self.base, path) as entry:
                if entry.found is None:
                    return False
                _refuse_unless_file(entry.found, path)
                _refuse_above(limit, entry.found.st_size)
                return True
        except MissingError:
            return False

    def name_of(self, path: str) -> str:
        """Return the normalized path of a file, relative to the directory.

        Raises:
            SandboxError: If the path is outside.
        """
        return "/".join(parts_of(self.base, path))

    def replace(self, path: str, content: bytes, limit: int = DEFAULT_LIMIT, *, expected: str | None = None) -> None:
        """Write a file completely or not at all, creating missing directories.

        An existing file keeps its permissions.

        Args:
            path: The path of the file.
            content: The new content of the file.
            limit: Maximum size in bytes of an existing file that is compared with `expected`.
            expected: The state that the file must have when it is replaced, as returned by `state_of`; by default, any.

        Raises:
            SandboxError: If the path is outside or not a regular file, or the file is not in the expected state.
            OSError: If the system cannot write the file, which is then unchanged.
        """
        with walk(self.base, path, create=True) as entry:
            permissions = None
            if entry.found is not None:
                # Opening the file checks that it is writable, which renaming would not.
                with _opened(entry, path, os.O_WRONLY) as file:
                    permissions = os.fstat(file)
            replace_entry(entry, content, permissions, lambda name: _put_in_place(name, entry, path, limit, expected))

    def append(self, path: str, content: bytes, limit: int = DEFAULT_LIMIT, *, expected: str | None = None) -> None:
        """Append to a file, which is created if it does not exist; concurrent appends do not overwrite one another.

        See `replace` for the arguments.

        Raises:
            SandboxError: If the path is outside or not a regular file, the file has more than one name, it would grow
                beyond `limit` bytes, or it is not in the expected state.
            OSError: If the system cannot write the file.
        """
        with (
            walk(self.base, path, create=True) as entry,
            nullcontext() if expected is None else _CHANGING,
            _refused_as_changed(path) if expected is not None else nullcontext(),
            _opened(entry, path, os.O_WRONLY | os.O_APPEND | _creation(expected)) as file,
        ):
            if expected not in {None, _MISSING}:
                _refuse_unless(expected, entry, path, limit)
            before = os.fstat(file)
            if before.st_nlink > 1:
                raise OutsideError(
                    f"Access denied: another name of this file may be outside the sandbox directory: {path}"
                )
            _refuse_above(limit, before.st_size + len(content))
            write_all(file, content)
            os.fsync(file)


def missing_support(supported: Collection[Callable[..., Any]]) -> str | None:
    """Return why this system cannot open files relative to a directory handle, or `None` if it can."""
    if can_walk(supported):
        return None
    return (
        "this system cannot open files relative to a directory handle, so the file tools could not be confined to"
        " their directory; they need Linux, macOS or another Unix"
    )


def read_entry(entry: Entry, path: str, limit: int) -> bytes:
    """Return the content of the file at the end of a walk.

    Raises:
        SandboxError: If the file is missing or not a regular file, or has more than `limit` bytes.
        OSError: If the system cannot read the file.
    """
    with _opened(entry, path, os.O_RDONLY) as file:
        return _read_all(file, limit)


@contextmanager
def _opened(entry: Entry, path: str, flags: int) -> Iterator[int]:
    """Open the file at the end of a walk, checking before and after opening that it is a regular file."""
    if entry.found is not None:
        _refuse_unless_file(entry.found, path)
    try:
        file = os.open(entry.name, flags | _FILE, 0o666, dir_fd=entry.directory)
    except FileNotFoundError:
        raise MissingError(f"File not found: {path}") from None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:  # it was replaced by a link
            raise unresolved() from None
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


def _put_in_place(temporary: str, entry: Entry, path: str, limit: int, expected: str | None) -> None:
    """Give a written file its name if the file that now has this name is in the expected state."""
    if expected is None:
        rename(temporary, entry)
        return
    with _CHANGING:
        _refuse_unless(expected, entry, path, limit)
        if expected == _MISSING:
            with _refused_as_changed(path):
                _name_new(temporary, entry)
        else:
            rename(temporary, entry)


def _name_new(temporary: str, entry: Entry) -> None:
    """Give a file a name that is not in use; renaming would overwrite a file created in the meantime."""
    try:
        os.link(temporary, entry.name, src_dir_fd=entry.directory, dst_dir_fd=entry.directory)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # the file system does not support hard links
        rename(temporary, entry)
    else:
        os.unlink(temporary, dir_fd=entry.directory)


def state_of(content: bytes | None) -> str:
    """Return a digest of the content of a file, or `missing` for a file that does not exist."""
    if content is None:
        return _MISSING
    from hashlib import sha256  # it loads OpenSSL, which reading does not need

    return sha256(content).hexdigest()


def _creation(expected: str | None) -> int:
    """Return the flags that create a file if it may be missing, or that require a new file if it should be missing."""
    if expected is None:
        return os.O_CREAT
    return os.O_CREAT | os.O_EXCL if expected == _MISSING else 0


def _refuse_unless(expected: str | None, entry: Entry, path: str, limit: int) -> None:
    """Refuse a file that is not in the expected state, or that changes while it is read."""
    try:
        with _opened(entry, path, os.O_RDONLY) as file:
            before = os.fstat(file)
            state = state_of(_read_all(file, limit))
            after = os.stat(entry.name, dir_fd=entry.directory, follow_symlinks=False)
    except (MissingError, FileNotFoundError):
        state, before, after = _MISSING, None, None
    except (UnfitError, OutsideError) as error:
        raise _changed(path) from error
    if state != expected or _stamp(before) != _stamp(after):
        raise _changed(path)


def _stamp(found: os.stat_result | None) -> tuple[int, ...] | None:
    return None if found is None else (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@contextmanager
def _refused_as_changed(path: str) -> Iterator[None]:
    """Report a file that exists or is missing unexpectedly as changed."""
    try:
        yield
    except (FileExistsError, MissingError) as error:
        raise _changed(path) from error


def _changed(path: str) -> ConflictError:
    return ConflictError(f"{path} has changed since it was shown; nothing was written")


class SandboxedTool(TypedTool[Input]):
    """A tool for the files in one directory, and nothing outside it."""

    open_world = False
    source = "builtin"

    def __init__(self, base: str | Path) -> None:
        """Create the tool.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__()
        self._sandbox = Sandbox(base)

    @property
    def uses(self) -> Mapping[str, str]:
        """The directory to which the tool is confined."""
        return {"base": str(self._sandbox.base)}


CHANGING_OPTIONS: Final = (
    Option("requires_approval", SWITCH, "whether a reviewer must approve every call", default=False),
    Option("max_bytes", COUNT, "maximum file size in bytes, before and after the change", default=DEFAULT_LIMIT),
)


class FileChangingTool(SandboxedTool[Input]):
    """A tool that changes text files in one directory, and nothing outside it."""

    read_only = False
    destructive = True
    idempotent = False

    def __init__(self, base: str | Path, *, requires_approval: bool = False, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Create the tool.

        Args:
            base: An existing directory. Symbolic links that lead out of it are refused.
            requires_approval: Whether a reviewer must approve every call. A call without a reviewer then fails.
            max_bytes: Maximum file size in bytes, before and after the change.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__(base)
        self.requires_approval = requires_approval
        self._max_bytes = max_bytes


def decode_text(content: bytes, path: str) -> str:
    """Return the text of a file.

    Raises:
        UnfitError: If the content is not UTF-8; the message contains the first invalid byte.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        byte = f"byte {content[error.start]:#04x} at {error.start}"
        raise UnfitError(f"Failed to read file: {path} is not UTF-8 text ({byte})") from error


def encode_text(text: str, limit: int) -> bytes:
    """Return a text as the content of a file.

    Raises:
        ToolArgumentsError: If the text cannot be encoded as UTF-8.
        ToolExecutionError: If the content would have more than `limit` bytes.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ToolArgumentsError(f"content cannot be encoded as UTF-8 (lone surrogate at {error.start})") from error
    if len(encoded) > limit:
        raise ToolExecutionError(f"Content too large: {len(encoded)} bytes, at most {limit}")
    return encoded
