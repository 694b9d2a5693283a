"""Log handles: the files of an audit log as one process keeps them open, and how it has them to itself."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

try:
    from fcntl import LOCK_EX, LOCK_UN, flock as _flock
except ImportError:  # only Unix has it
    flock: Callable[[int, int], None] | None = None
else:
    flock = _flock

_PRIVATE_FOLDER: Final = 0o700
_PRIVATE: Final = 0o600
_CLOSED: Final = -1


class LogHandle:
    """One file, opened when it is needed, and again when another one has taken its place.

    A process that was forked opens it anew: else it would share the locks of the other one.
    """

    def __init__(self, path: Path, *, appends: bool = False) -> None:
        """Keep which file it is; `appends` writes at its end, whoever else does."""
        self._path = str(path)
        self._flags = os.O_RDWR | os.O_CREAT | (os.O_APPEND if appends else 0)
        self._number, self._process = _CLOSED, 0
        self._identity = (0, 0)

    @property
    def number(self) -> int:
        """The number of the open file.

        Raises:
            OSError: If it cannot be opened.
        """
        return self.opened()[0]

    def opened(self) -> tuple[int, os.stat_result]:
        """Return the number of the open file, and its state.

        Raises:
            OSError: If it cannot be opened.
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
        """Return the state of the file of that name; None where that is another file than the open one."""
        try:
            state = os.stat(self._path)  # noqa: PTH116 - a fifth of the time
        except OSError:
            return None
        return state if (state.st_ino, state.st_dev) == self._identity else None

    def close(self) -> None:
        """Close it, so that it can get another name."""
        if self._number != _CLOSED:
            with suppress(OSError):
                os.close(self._number)
            self._number = _CLOSED

    __del__ = close

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no other process into the block; where the system has no such locks, let all."""
        number = self.number
        if flock is None:
            yield
            return
        flock(number, LOCK_EX)
        try:
            yield
        finally:
            flock(number, LOCK_UN)


def write_all(number: int, data: bytes) -> None:
    """Write all of this to an open file.

    Raises:
        OSError: If it cannot be written; a part of it may have been.
    """
    while data:
        data = data[os.write(number, data) :]
