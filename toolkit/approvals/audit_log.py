"""The audit log: one line of JSON for each question and each decision, chained by hashes so that changes show.

A line is on the disk before the decision takes effect. A line that a killed process left half written belongs to a
decision that never took effect; the next writer removes it.
"""

import getpass
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from toolkit.errors import ConfigurationError

_MOST_BYTES = 16 * 1024 * 1024
_START = "0" * 64
_PRIVATE = 0o600


class Audit(Protocol):
    """Keeps records of decisions."""

    def append(self, record: Mapping[str, Any]) -> None:
        """Keep a record; it is kept for good when this returns."""


def current_person() -> str | None:
    """Return who works here, as the system calls them; None for a user without a name, as in containers."""
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

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record with its number, its time and the hash of the one before, and wait until the disk has it.

        Raises:
            ConfigurationError: If it cannot be written: then the decision must not take effect.
        """
        try:
            with self._lock, alone(self.file):
                self._append(record)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            advice = "XDG_STATE_HOME says where the log of the command line is, and TOOLKIT_AUDIT=0 keeps none"
            raise ConfigurationError(f"the audit log '{self.file}' cannot be written: {reason}; {advice}") from error

    def _append(self, record: Mapping[str, Any]) -> None:
        tail = _tail_of(self.file)
        stamped = {"number": tail.number + 1, "time": datetime.now(UTC).isoformat(), **record, "previous": tail.hash}
        whole = json.loads(json.dumps(stamped, default=_plain))
        line = json.dumps({**whole, "hash": _hash_of(whole)}, separators=(",", ":")).encode() + b"\n"
        if self.file.exists() and self.file.stat().st_size + len(line) > self._most_bytes:
            self.file.rename(_number(self.file, len(_full_files(self.file)) + 1))
        with open(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE), "ab") as stream:  # noqa: PTH123 - a number
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
        _write_head(self.file, _Tail(tail.number + 1, _hash_of(whole)))


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


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _hash_of(record: Mapping[str, Any]) -> str:
    return sha256(json.dumps(record, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


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


def _write_head(file: Path, tail: _Tail) -> None:
    """Keep what the last record is, so that one that is cut off at the end shows; it may lag behind by one."""
    head = os.open(_head_file(file), os.O_WRONLY | os.O_CREAT, _PRIVATE)
    try:
        os.write(head, f"{tail.number:020d} {tail.hash}\n".encode())
    finally:
        os.close(head)


def _read_head(file: Path) -> _Tail:
    try:
        number, _, found = _head_file(file).read_text("utf-8").strip().partition(" ")
        return _Tail(int(number), found)
    except (OSError, ValueError):
        return _Tail()


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Let no other process write to a log."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, _PRIVATE)
    try:
        try:
            from fcntl import LOCK_EX, flock  # noqa: PLC0415 - only Unix has it

            flock(lock, LOCK_EX)
        except ImportError:
            pass
        yield
    finally:
        os.close(lock)
