"""Log handles: the files of an audit log as one process keeps them open, and how it has them to itself."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

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

    @property
    def number(self) -> int:
        """The number of the open file.

        Raises:
            OSError: If it cannot be opened.
        """
        if self._process == os.getpid() and self._number != _CLOSED and self._is_there():
            return self._number
        self.close()
        try:
            self._number = os.open(self._path, self._flags, _PRIVATE)
        except FileNotFoundError:
            Path(self._path).parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
            self._number = os.open(self._path, self._flags, _PRIVATE)
        self._process = os.getpid()
        return self._number

    def _is_there(self) -> bool:
        """Return whether the open file is still the one of that name."""
        try:
            here, there = os.fstat(self._number), os.stat(self._path)  # noqa: PTH116 - a fifth of the time
        except OSError:
            return False
        return here.st_ino == there.st_ino and here.st_dev == there.st_dev

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
        try:
            from fcntl import LOCK_EX, LOCK_UN, flock  # noqa: PLC0415 - only Unix has it
        except ImportError:
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
