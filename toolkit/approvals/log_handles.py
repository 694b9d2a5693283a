"""The files of an audit log, kept open and locked against other processes, and the canonical JSON of their lines."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from toolkit.json_texts import as_plain

try:
    from fcntl import LOCK_EX, LOCK_UN, flock as _flock
except ImportError:  # not available on Windows
    flock: Callable[[int, int], None] | None = None
else:
    flock = _flock

_PRIVATE_FOLDER: Final = 0o700
_PRIVATE: Final = 0o600
_CLOSED: Final = -1


class LogHandle:
    """One file, which is opened on first use, and again if it was replaced.

    A forked process opens the file again, since otherwise it would share the locks of its parent.
    """

    def __init__(self, path: Path, *, appends: bool = False) -> None:
        """Create the handle; with `appends`, all writes go to the end of the file."""
        self._path = str(path)
        self._flags = os.O_RDWR | os.O_CREAT | (os.O_APPEND if appends else 0)
        self._number, self._process = _CLOSED, 0
        self._identity = (0, 0)

    @property
    def number(self) -> int:
        """The descriptor of the open file.

        Raises:
            OSError: If the file cannot be opened.
        """
        return self.opened()[0]

    def opened(self) -> tuple[int, os.stat_result]:
        """Open the file if necessary, and return its descriptor and its status.

        Raises:
            OSError: If the file cannot be opened.
        """
        if self._process == os.getpid() and self._number != _CLOSED and (state := self._state_there()) is not None:
            return self._number, state
        self.close()
        try:
            self._number = os.open(self._path, self._flags, _PRIVATE)
        except FileNotFoundError:
            Path(self._path).parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
            self._number = os.open(self._path, self._flags, _PRIVATE)
        self._process = os.getpid()
        state = os.fstat(self._number)
        self._identity = state.st_ino, state.st_dev
        return self._number, state

    def _state_there(self) -> os.stat_result | None:
        """Return the status of the file at the path, or `None` if it is not the open file."""
        try:
            state = os.stat(self._path)  # noqa: PTH116 - five times as fast
        except OSError:
            return None
        return state if (state.st_ino, state.st_dev) == self._identity else None

    def close(self) -> None:
        """Close the file so that it can be renamed."""
        if self._number != _CLOSED:
            with suppress(OSError):
                os.close(self._number)
            self._number = _CLOSED

    __del__ = close

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold an exclusive lock on the file, if the system supports it."""
        number = self.number
        if flock is None:
            yield
            return
        flock(number, LOCK_EX)
        try:
            yield
        finally:
            flock(number, LOCK_UN)


_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_NAMES: Final = frozenset({str})
_write: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def canonical_json(record: Mapping[str, Any]) -> str:
    """Encode a record as JSON with sorted members; values that JSON cannot represent become strings.

    Parsing the result and encoding it again returns the same string.

    Raises:
        RecursionError: If the record is nested too deeply.
        ValueError: If the record contains itself.
    """
    if not _is_plain(record):  # names that are not strings must be sorted by the strings that they become
        record = json.loads(json.dumps(record, default=as_plain))
    return _write(record)


def _is_plain(value: Any) -> bool:
    """Return whether encoding data as JSON and parsing it returns the same data."""
    kind = type(value)
    if kind is dict:
        return _NAMES.issuperset(map(type, value)) and _are_plain(value.values())
    return kind in _SCALARS or (kind is list and _are_plain(value))


def _are_plain(values: Iterable[Any]) -> bool:
    return all(_is_plain(value) for value in values if type(value) not in _SCALARS)
