"""File states: whether a file is still what it was, by its times, and by its content where these say nothing."""

import os
import time
from typing import Any

from toolkit.lint.digests import digest

_YOUNG = 2_000_000_000
"""Nanoseconds for which a file's times say nothing: it may change once more before they do."""


class FileStates:
    """The states of files, each looked up once."""

    def __init__(self) -> None:
        """Know none yet."""
        self._stamps: dict[str, list[int] | None] = {}
        self._digests: dict[str, str] = {}

    def record(self, file: str) -> list[Any]:
        """Return a file's state as plain data: a digest of its content, and its size and times where they count."""
        return [self._digest(file), self._stamp(file)]

    def is_same(self, file: str, known: list[Any]) -> bool:
        """Whether a file is what it was when its state was recorded; then `known` is brought up to date."""
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
    """Return the digest of a file's content; nothing for one that cannot be read."""
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - as above
            return digest(stream.read())
    except OSError:
        return ""


def _stamp_of(file: str) -> list[int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 - a Path a file is what a thousand files pay for
    except OSError:
        return None
    latest = max(found.st_mtime_ns, found.st_ctime_ns)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns] if time.time_ns() - latest > _YOUNG else None
