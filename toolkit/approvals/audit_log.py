"""The audit log: one line of JSON for each question and each decision, chained by hashes so that changes show.

A line is in the file before the decision takes effect, so a process that is killed loses none. A line that it left half
written belongs to a decision that never took effect; the next writer removes it.

What a person is asked and decides is on the disk by then. What rules decide, often many times in a second, is written
through to the disk once a second: that much of it can be lost if the whole machine stops.
"""

import getpass
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Protocol

from toolkit.approvals.canonical_json import canonical_json
from toolkit.approvals.log_handles import LogHandle, write_all
from toolkit.approvals.permissions import REVIEWER
from toolkit.errors import ConfigurationError

_MOST_BYTES = 16 * 1024 * 1024
_START = "0" * 64
_NAMES_OF_PERSON = tuple(map(getattr(os.environ, "encodekey", str), ("LOGNAME", "USER", "LNAME", "USERNAME")))
_LONGEST_WAIT = 1.0
"""Seconds that a record of what a rule has decided may wait until it is written through to the disk."""


class Audit(Protocol):
    """Keeps records of decisions."""

    def append(self, record: Mapping[str, Any]) -> None:
        """Keep a record; it is kept for good when this returns."""


def current_person() -> str | None:
    """Return who works here, as the system calls them; None for a user without a name, as in containers."""
    held = getattr(os.environ, "_data", os.environ)  # `os.environ` itself encodes each name, and decodes each value
    return _person(getattr(os, "getuid", int)(), *map(held.get, _NAMES_OF_PERSON))


@lru_cache(maxsize=1)
def _person(_number: int, *_names: str | bytes | None) -> str | None:
    """Return the name of the user with a number and these variables: to look it up takes longer than to write it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


class _Tail(NamedTuple):
    """The number and the hash of a record, which the next one continues."""

    number: int = 0
    hash: str = _START


class AuditLog:
    """Writes records to a file that only its owner reads; when it is full, it gets a number, and a new one begins."""

    def __init__(self, file: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        """Keep where the log is.

        Args:
            file: The log, such as `audit.jsonl`; full ones are `audit.1.jsonl`, `audit.2.jsonl` and so on beside it.
            most_bytes: How large a file may become.
        """
        self.file = file
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._log = LogHandle(file, appends=True)
        self._head = LogHandle(_head_file(file))
        self._turns = LogHandle(file.with_suffix(".lock"))
        self._written: tuple[tuple[int, int], _Tail] | None = None  # which file it is and its size, as it was left
        self._through = -_LONGEST_WAIT

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record with its number, its time and the hash of the one before.

        Raises:
            ConfigurationError: If it cannot be written: then the decision must not take effect.
        """
        try:
            with self._lock, self._turns.locked():
                self._append(record)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            advice = "XDG_STATE_HOME says where the log of the command line is, and TOOLKIT_AUDIT=0 keeps none"
            raise ConfigurationError(f"the audit log '{self.file}' cannot be written: {reason}; {advice}") from error

    def _append(self, record: Mapping[str, Any]) -> None:
        log, state = self._log.opened()
        tail = self._tail(state)
        stamped = {"number": tail.number + 1, "time": datetime.now(UTC).isoformat(), **record, "previous": tail.hash}
        text = canonical_json(stamped)
        tail = _Tail(tail.number + 1, sha256(text.encode()).hexdigest())
        line = f'{text[:-1]},"hash":"{tail.hash}"}}\n'.encode()
        if state.st_size and state.st_size + len(line) > self._most_bytes:
            self._begin_another()
            log, state = self._log.opened()
        self._written = None
        write_all(log, line)
        if not _may_wait(record) or monotonic() - self._through >= _LONGEST_WAIT:
            os.fsync(log)
            self._through = monotonic()
        _write_head(self._head.number, tail)
        self._written = (state.st_ino, state.st_size + len(line)), tail

    def _tail(self, state: os.stat_result) -> "_Tail":
        """Return the last record: the one that was written here, unless somebody else has written since."""
        if self._written is not None and self._written[0] == (state.st_ino, state.st_size):
            return self._written[1]
        return _tail_of(self.file)

    def _begin_another(self) -> None:
        os.fsync(self._log.number)
        self._log.close()
        self.file.rename(_number(self.file, len(_full_files(self.file)) + 1))


def _may_wait(record: Mapping[str, Any]) -> bool:
    """Return whether a record need not be on the disk at once: nobody was asked."""
    return record.get("event") == "decision" and record.get("by") != REVIEWER


def faults_of_log(file: Path) -> tuple[int, list[str]]:
    """Return how many records a log has, and whatever shows that some were changed or removed.

    Raises:
        OSError: If it cannot be read.
    """
    tail, faults, count = _Tail(), list[str](), 0
    for name, number, line in _lines(file):
        record = _record_in(line)
        if record is None:
            faults.append(f"{name}:{number}: this is not a record")
            continue
        count += 1
        kept = record.pop("hash", None)
        if kept != _hash_of(record):
            faults.append(f"{name}:{number}: record {record.get('number')} was changed")
        elif (record.get("number"), record.get("previous")) != (tail.number + 1, tail.hash):
            faults.append(f"{name}:{number}: record {tail.number + 1} is missing before this one")
        tail = _Tail(_number_of(record), str(kept))
    head = _read_head(file)
    if head.number > tail.number:
        faults.append(f"{file.name}: the last {head.number - tail.number} records are missing")
    elif head.number == tail.number and head.hash != tail.hash:
        faults.append(f"{file.name}: record {tail.number} is another one")
    return count, faults


def records_of_log(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a log, the oldest first; what is not one is passed over.

    Raises:
        OSError: If it cannot be read.
    """
    return (record for _, _, line in _lines(file) if (record := _record_in(line)) is not None)


def _lines(file: Path) -> Iterator[tuple[str, int, bytes]]:
    """Yield every whole line of a log, also of its full files, with the name of its file and its number there."""
    files = [*_full_files(file), file]
    for one in files:
        if one is file and not one.exists():
            return
        with one.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.endswith(b"\n") or one is not files[-1]:
                    yield one.name, number, line


def _number_of(record: Mapping[str, Any]) -> int:
    number = record.get("number")
    return number if isinstance(number, int) else 0


def _record_in(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _hash_of(record: Mapping[str, Any]) -> str:
    return sha256(canonical_json(record).encode()).hexdigest()


def _full_files(file: Path) -> list[Path]:
    found = (one for one in file.parent.glob(f"{file.stem}.*{file.suffix}") if _file_number(one) is not None)
    return sorted(found, key=lambda one: _file_number(one) or 0)


def _file_number(file: Path) -> int | None:
    number = file.stem.rpartition(".")[2]
    return int(number) if number.isdecimal() else None


def _number(file: Path, number: int) -> Path:
    return file.with_name(f"{file.stem}.{number}{file.suffix}")


def _tail_of(file: Path) -> _Tail:
    """Return the last record of a log; half a line after it is removed."""
    for one in [file, *reversed(_full_files(file))]:
        if one.exists() and (last := _last_line(one)):
            record = _record_in(last) or {}
            return _Tail(_number_of(record), str(record.get("hash", _START)))
    return _Tail()


def _last_line(file: Path) -> bytes:
    with file.open("r+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        start, tail = end, b""
        while start > 0 and tail.count(b"\n", 0, -1) < 2:  # noqa: PLR2004 - a whole line stands between two ends
            start = max(0, start - 65_536)
            stream.seek(start)
            tail = stream.read(end - start)
        whole = tail[: tail.rfind(b"\n") + 1]
        if len(whole) < len(tail):
            stream.truncate(start + len(whole))
        return whole[whole.rfind(b"\n", 0, -1) + 1 :]


def _head_file(file: Path) -> Path:
    return file.with_suffix(".head")


def _write_head(head: int, tail: _Tail) -> None:
    """Keep what the last record is, so that one that is cut off at the end shows; it may lag behind by one."""
    os.lseek(head, 0, os.SEEK_SET)
    os.write(head, f"{tail.number:020d} {tail.hash}\n".encode())


def _read_head(file: Path) -> _Tail:
    try:
        number, _, found = _head_file(file).read_text("utf-8").strip().partition(" ")
        return _Tail(int(number), found)
    except (OSError, ValueError):
        return _Tail()


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Let no other process write to a log, or to another file that only one may write to at a time."""
    turns = LogHandle(file.with_suffix(".lock"))
    try:
        with turns.locked():
            yield
    finally:
        turns.close()
