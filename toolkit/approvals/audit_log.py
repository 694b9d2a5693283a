"""Writes the audit log: one JSON line per question and decision, chained by hashes so that changes can be detected.

Each line is written before the decision takes effect, so a killed process loses no record. An incomplete line belongs
to a decision that never took effect; the next writer removes it.

Decisions of a person are synced to disk before they take effect. Decisions of rules, of which there can be many per
second, are synced once a second, so up to a second of them can be lost if the machine crashes.
"""

import getpass
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol

from toolkit.approvals.decisions import REVIEWER
from toolkit.errors import ConfigurationError
from toolkit.json_texts import as_plain, is_plain_json
from toolkit.processes.watching import write_all

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
        self._identity: tuple[int, int] | None = None  # the inode and the device of the open file

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
        try:
            state = os.stat(self._path)  # noqa: PTH116 - five times as fast
        except OSError:
            return self._open()
        is_there = (state.st_ino, state.st_dev) == self._identity
        return (self._number, state) if is_there and self._process == os.getpid() else self._open()

    def _open(self) -> tuple[int, os.stat_result]:
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

    def close(self) -> None:
        """Close the file so that it can be renamed."""
        if self._number != _CLOSED:
            with suppress(OSError):
                os.close(self._number)
            self._number, self._identity = _CLOSED, None

    __del__ = close

    def __enter__(self) -> None:
        """Acquire an exclusive lock on the file, if the system supports it.

        Raises:
            OSError: If the file cannot be opened.
        """
        number = self.opened()[0]
        if flock is not None:
            flock(number, LOCK_EX)

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        if flock is not None:
            flock(self._number, LOCK_UN)


_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_make_encoder: Any = getattr(json.encoder, "c_make_encoder", None)  # `encode` makes one for every record
_ENCODE_IN_C: Final = _make_encoder and _make_encoder(
    None,
    _ENCODER.default,
    json.encoder.encode_basestring_ascii,
    None,
    ":",
    ",",
    True,
    False,
    True,
)


def canonical_json(record: Mapping[str, Any]) -> str:
    """Encode a record as JSON with sorted members; values that JSON cannot represent become strings.

    Parsing the result and encoding it again returns the same string.

    Raises:
        RecursionError: If the record is nested too deeply.
        ValueError: If the record contains itself.
    """
    if not is_plain_json(record):  # names that are not strings must be sorted by the strings that they become
        record = json.loads(json.dumps(record, default=as_plain))
    return _ENCODER.encode(record) if _ENCODE_IN_C is None else "".join(_ENCODE_IN_C(record, 0))


_MOST_BYTES = 16 * 1024 * 1024
_START = "0" * 64
_NAMES_OF_PERSON = tuple(map(getattr(os.environ, "encodekey", str), ("LOGNAME", "USER", "LNAME", "USERNAME")))
_MAX_SYNC_DELAY = 1.0
"""Maximum time before a rule's decision is synced to disk, in seconds."""


class Audit(Protocol):
    """Stores records of decisions."""

    def append(self, record: Mapping[str, Any]) -> None:
        """Store a record before returning."""


def current_person() -> str | None:
    """Return the name of the system's current user; `None` for a user without a name, as in some containers."""
    held = getattr(os.environ, "_data", os.environ)  # faster: `os.environ` encodes each name and decodes each value
    return _person(getattr(os, "getuid", int)(), *map(held.get, _NAMES_OF_PERSON))


@lru_cache(maxsize=1)
def _person(_number: int, *_names: str | bytes | None) -> str | None:
    """Return the name of the user with this id and these variables; cached since a lookup is slower than a write."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


class _Tail(NamedTuple):
    """The number and the hash of a record, from which the next record continues."""

    number: int = 0
    hash: str = _START


class AuditLog:
    """Appends records to a file that only its owner can read, and starts a new file when it is full."""

    def __init__(self, file: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        """Create the log.

        Args:
            file: The path of the log, such as `audit.jsonl`. Full files are renamed to `audit.1.jsonl`,
                `audit.2.jsonl` and so on.
            most_bytes: Maximum size of one file, in bytes.
        """
        self.file = file
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._log = LogHandle(file, appends=True)
        self._head = LogHandle(_head_file(file))
        self._turns = LogHandle(file.with_suffix(".lock"))
        self._written: tuple[tuple[int, int], _Tail] | None = None  # inode, size and tail after the last write
        self._last_sync = -_MAX_SYNC_DELAY

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record with its number, the time and the hash of the previous record.

        Raises:
            ConfigurationError: If the record cannot be written; then the decision must not take effect.
        """
        try:
            with self._lock, self._turns:
                self._append(record)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            advice = "set XDG_STATE_HOME to move the log of the command line, or TOOLKIT_AUDIT=0 to disable it"
            raise ConfigurationError(f"the audit log '{self.file}' cannot be written: {reason}; {advice}") from error

    def _append(self, record: Mapping[str, Any]) -> None:
        log, state = self._log.opened()
        tail = self._tail(state)
        stamped = {"number": tail.number + 1, "time": datetime.now(UTC).isoformat(), **record, "previous": tail.hash}
        text = canonical_json(stamped).encode()
        tail = _Tail(tail.number + 1, sha256(text).hexdigest())
        line = b'%b,"hash":"%b"}\n' % (text[:-1], tail.hash.encode())
        if state.st_size and state.st_size + len(line) > self._most_bytes:
            self._start_new_file()
            log, state = self._log.opened()
        self._written = None
        write_all(log, line)
        if not _sync_can_wait(record) or monotonic() - self._last_sync >= _MAX_SYNC_DELAY:
            os.fsync(log)
            self._last_sync = monotonic()
        _write_head(self._head.number, tail)
        self._written = (state.st_ino, state.st_size + len(line)), tail

    def _tail(self, state: os.stat_result) -> "_Tail":
        """Return the last record: the one written by this object, unless another process has written since."""
        if self._written is not None and self._written[0] == (state.st_ino, state.st_size):
            return self._written[1]
        return _tail_of(self.file)

    def _start_new_file(self) -> None:
        os.fsync(self._log.number)
        self._log.close()
        last = max(map(_file_number, _full_files(self.file)), default=0)  # those before it may have been removed
        self.file.rename(self.file.with_name(f"{self.file.stem}.{last + 1}{self.file.suffix}"))


def _sync_can_wait(record: Mapping[str, Any]) -> bool:
    """Return whether syncing a record can wait, since no reviewer was asked."""
    return record.get("event") == "decision" and record.get("by") != REVIEWER


def faults_of_log(file: Path) -> tuple[int, list[str]]:
    """Return the number of records of a log, and a message for every sign that records were changed or removed.

    Raises:
        OSError: If the log cannot be read.
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
        faults.append(f"{file.name}: record {tail.number} was replaced")
    return count, faults


def records_of_log(file: Path) -> Iterator[dict[str, Any]]:
    """Return an iterator over the records of a log, the oldest first, skipping lines that are not records.

    Raises:
        OSError: If the log cannot be read.
    """
    return (record for _, _, line in _lines(file) if (record := _record_in(line)) is not None)


def _lines(file: Path) -> Iterator[tuple[str, int, bytes]]:
    """Yield every complete line of a log, including its full files, with the name of its file and its line number."""
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
    numbered = re.compile(rf"{re.escape(file.stem)}\.[0-9]+{re.escape(file.suffix)}")
    found = (one for one in file.parent.iterdir() if numbered.fullmatch(one.name)) if file.parent.is_dir() else ()
    return sorted(found, key=_file_number)


def _file_number(file: Path) -> int:
    return int(file.stem.rpartition(".")[2])


def _tail_of(file: Path) -> _Tail:
    """Return the last record of a log, after removing an incomplete line at its end."""
    for one in [file, *reversed(_full_files(file))]:
        if one.exists() and (last := _last_line(one)):
            record = _record_in(last) or {}
            return _Tail(_number_of(record), str(record.get("hash", _START)))
    return _Tail()


def _last_line(file: Path) -> bytes:
    with file.open("r+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        start, tail = end, b""
        while start > 0 and tail.count(b"\n", 0, -1) < 2:  # noqa: PLR2004 - a complete line is between two line ends
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
    """Store which record is the last, to detect if records are removed from the end; it can lag behind by one."""
    line = b"%020d %b\n" % (tail.number, tail.hash.encode())
    if hasattr(os, "pwrite"):  # not available on Windows
        os.pwrite(head, line, 0)
    else:
        os.lseek(head, 0, os.SEEK_SET)
        os.write(head, line)


def _read_head(file: Path) -> _Tail:
    try:
        number, _, found = _head_file(file).read_text("utf-8").strip().partition(" ")
        return _Tail(int(number), found)
    except (OSError, ValueError):
        return _Tail()


@contextmanager
def exclusive(file: Path) -> Iterator[None]:
    """Hold the lock of a file that only one process may write to at a time, such as a log."""
    turns = LogHandle(file.with_suffix(".lock"))
    try:
        with turns:
            yield
    finally:
        turns.close()
