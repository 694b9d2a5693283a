"""What a file was when it was read, and digests that tell whether something is still the same."""

import os
import time
from typing import Any

from toolkit.regular_files import bounded_bytes


def digest(data: bytes) -> str:
    """Return a digest of the data: 32 hexadecimal digits."""
    try:
        from _blake2 import blake2b  # `hashlib` loads OpenSSL, which takes as long as Python's start
    except ImportError:
        from hashlib import blake2b

    return blake2b(data, digest_size=16).hexdigest()


_YOUNG = 2_000_000_000
"""Age in nanoseconds below which a file's times are inconclusive: it may change again without a new time."""


class FileStates:
    """The states of files, each determined once."""

    def __init__(self) -> None:
        """Create an empty table."""
        self._stamps: dict[str, list[int] | None] = {}
        self._digests: dict[str, str] = {}

    def record(self, file: str) -> list[Any]:
        """Return a file's state as plain data: a digest of its content, and its size and times if conclusive."""
        return [self._digest(file), self._stamp(file)]

    def is_same(self, file: str, known: list[Any]) -> bool:
        """Return whether a file is unchanged since its state was recorded; if so, `known` is updated."""
        content, stamp = known
        if stamp is not None and stamp == self._stamp(file):
            return True
        if content != self._digest(file):
            return False
        known[:] = self.record(file)
        return True

    def _stamp(self, file: str) -> list[int] | None:
        if file not in self._stamps:
            self._stamps[file] = _stamp_of(file)
        return self._stamps[file]

    def _digest(self, file: str) -> str:
        if file not in self._digests:
            self._digests[file] = digest_of(file)
        return self._digests[file]


def digest_of(file: str) -> str:
    """Return the digest of a file's content; if it cannot be read or is too large, the error and its size and times."""
    try:
        return digest(bounded_bytes(file))
    except OSError as error:
        return f"{error.errno} {_stamp_of(file)}"


def _stamp_of(file: str) -> list[int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 - with a thousand files, creating Paths is slow
    except OSError:
        return None
    latest = max(found.st_mtime_ns, found.st_ctime_ns)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns] if time.time_ns() - latest > _YOUNG else None
