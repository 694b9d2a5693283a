"""Writes data to stdout and messages to stderr.

While a command runs, everything that other code prints (users' code, libraries, child processes) goes to stderr, even
if it is written to file descriptor 1; only `write_data` reaches stdout. If the reader closes the pipe (`| head -1`),
further output is discarded without an error, and the exit code stays the same.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone would take as long as everything else that `--version` needs
    from collections.abc import Iterable
    from types import TracebackType
    from typing import BinaryIO, TextIO

    from toolkit.redactors.redactor import Redactor

_FALLBACK_WIDTH = 80
_UNLIMITED_WIDTH = 100_000
_NARROWEST = 40

_is_reserved = False
_data: TextIO | None = None
_redactor: Redactor | None = None


def redirect_closed_streams() -> None:
    """Redirect closed standard streams to the null device, so that no file opened later gets their descriptors."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _redirect_to_null(number)
    if sys.stderr is None:  # other code writes there without checking
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open


def start_redacting() -> None:
    """Start redacting secrets: those in the environment now, and those that the redactor learns later."""
    global _redactor  # noqa: PLW0603 - one per process, like the streams
    from toolkit.redactors.redactor import (
        Redactor,
        redactor_of_environment,  # `--version` needs none
    )

    _redactor = Redactor(outer=redactor_of_environment())


def redactor() -> Redactor:
    """Return the redactor of this command; secrets that it learns are removed from all later output."""
    if _redactor is None:
        start_redacting()
    assert _redactor is not None  # it was made above
    return _redactor


def write_data(text: str) -> None:
    """Write text to stdout and flush, without secrets; for a terminal, control characters are escaped."""
    text = redactor().text(text)
    _write(_data_stream(), _disarmed(text, colour=data_has_colour()) if data_is_terminal() else text)


def write_help(text: str) -> None:
    """Write our own text to stdout unchanged; it cannot contain secrets."""
    _write(_data_stream(), text)


def write_json(data: object, *, indent: int | None = 2) -> None:
    """Write plain data to stdout as JSON; `indent=None` writes one line."""
    write_data(f"{json_without_secrets(data, indent=indent)}\n")


def json_without_secrets(data: object, *, indent: int | None = None) -> str:
    """Return plain data as JSON; secrets are masked before it is written, so that it stays JSON."""
    from toolkit.visibility import visible_json  # `--version` needs none

    return visible_json(redactor().data(data), indent=indent, default=str)


def say(text: str = "") -> None:
    """Write a message of one or more lines to stderr."""
    _write(_stderr(), f"{safe_message(redactor().text(text))}\n")


def add(text: str) -> None:
    """Write part of a line to stderr, and flush."""
    _write(_stderr(), safe_message(redactor().text(text)))


def pass_on(text: str) -> None:
    """Write output of other code to stderr, without secrets."""
    _write(_stderr(), redactor().text(text))


def safe_message(text: str, stream: TextIO | None = None) -> str:
    """Return a message with control and invisible characters escaped; our own colors stay if the stream has colors.

    Args:
        text: The message.
        stream: The stream for the message; stderr by default.
    """
    return _disarmed(text, colour=_has_colour(stream or sys.stderr))


def stop_data() -> None:
    """Discard all further output to stdout, since its reader is gone."""
    stream = _data_stream()
    if (descriptor := _descriptor(stream)) is not None:
        _redirect_to_null(descriptor)


def data_is_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return _is_terminal(_data_stream())


def stderr_is_terminal() -> bool:
    """Return whether stderr is a terminal."""
    return _is_terminal(sys.stderr)


def shown_together() -> bool:
    """Return whether stdout and stderr are the same terminal."""
    if not (data_is_terminal() and stderr_is_terminal()):
        return False
    descriptors = (_descriptor(_data_stream()), _descriptor(sys.stderr))
    terminals = {os.fstat(descriptor).st_rdev for descriptor in descriptors if descriptor is not None}
    return len(terminals) == 1


def can_ask() -> bool:
    """Return whether questions can be asked: stdin and stderr must both be terminals, since piped input is data."""
    return _is_terminal(sys.stdin) and stderr_is_terminal()


def data_has_colour() -> bool:
    """Return whether to color stdout: if it is a terminal, unless `NO_COLOR` or `FORCE_COLOR` is set."""
    return _has_colour(_data_stream())


def stderr_has_colour() -> bool:
    """Return whether to color stderr: if it is a terminal, unless `NO_COLOR` or `FORCE_COLOR` is set."""
    return _has_colour(sys.stderr)


def width() -> int:
    """Return the number of columns for messages: `COLUMNS`, else the terminal's width, else 80."""
    return max(_columns_wanted() or _columns_of(sys.stderr) or _FALLBACK_WIDTH, _NARROWEST)


def data_width() -> int:
    """Return the number of columns for data: `COLUMNS`, else the terminal's width, else practically unlimited."""
    return max(_columns_wanted() or _columns_of(_data_stream()) or _UNLIMITED_WIDTH, _NARROWEST)


def give_back_stdout() -> None:
    """Flush all output, and let file descriptor 1 be stdout again, for a process that takes the place of this one."""
    sys.stdout.flush()
    sys.stderr.flush()
    if _data is not None and _is_reserved and _data.fileno() != 1:
        _data.flush()
        os.dup2(_data.fileno(), 1)


class ReservedStdout:
    """A context in which `print` and file descriptor 1 write to stderr, and only `write_data` reaches stdout."""

    def __enter__(self) -> None:
        """Reserve stdout."""
        global _is_reserved, _data
        self._before = (_is_reserved, _data, sys.stdout)
        self._ours: TextIO | None = None
        if not _is_reserved:
            _is_reserved, _data = True, self._reserve_descriptor() if _descriptor(sys.stdout) == 1 else sys.stdout
        self._talk = sys.stderr
        self._others = _RedactedStderr(sys.stderr)
        self._firsts = (sys.__stdout__, sys.__stderr__)
        sys.stdout = sys.stderr = self._others
        sys.__stdout__ = sys.__stderr__ = self._others  # type: ignore[misc, assignment]  # a few libraries write to these

    def _reserve_descriptor(self) -> TextIO:
        """Redirect file descriptor 1 to stderr, and return a stream to the original stdout."""
        sys.stdout.flush()
        taken = os.dup(1)
        if _descriptor(sys.stderr) == 2:  # noqa: PLR2004 - the number of stderr
            os.dup2(2, 1)
        else:
            _redirect_to_null(1)
        # Data is always UTF-8; characters that UTF-8 cannot encode are escaped.
        self._ours = os.fdopen(taken, "w", encoding="utf-8", errors="backslashreplace")
        return self._ours

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore stdout."""
        global _is_reserved, _data
        self._others.end()
        _is_reserved, _data, sys.stdout = self._before
        sys.__stdout__, sys.__stderr__ = self._firsts  # type: ignore[misc]
        if sys.stderr is self._others:
            sys.stderr = self._talk
        if self._ours is not None:
            _flush_stdout(sys.stdout)
            os.dup2(self._ours.fileno(), 1)
            self._ours.close()


class _RedactedStderr:
    """Passes output of other code to stderr, and redacts secrets, even if they are printed in pieces."""

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream
        self._pieces = redactor().stream()

    def write(self, text: str) -> int:
        shown = self._pieces.feed(text)
        if shown and self.stream is not None:
            self.stream.write(shown)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> _RedactedBytes:
        """A stream of bytes, as that of the real stream; it does not exist if the real one has none."""
        return _RedactedBytes(self, self.stream.buffer)  # type: ignore[union-attr]  # an AttributeError means none

    def end(self) -> None:
        """Write what is still buffered."""
        if (rest := self._pieces.end()) and self.stream is not None:
            _write(self.stream, rest)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


class _RedactedBytes:
    """Passes bytes of other code to stderr, and redacts secrets in their text."""

    def __init__(self, text: _RedactedStderr, stream: BinaryIO) -> None:
        self._text = text
        self._stream = stream

    def write(self, data: bytes) -> int:
        self._text.write(bytes(data).decode("utf-8", "backslashreplace"))
        return len(data)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _stderr() -> TextIO | None:
    """Return the real stderr, without the redaction for other code."""
    return sys.stderr.stream if isinstance(sys.stderr, _RedactedStderr) else sys.stderr


def data_descriptor() -> int | None:
    """Return the file descriptor for data, or `None` if data is written to memory or discarded."""
    return _descriptor(_data_stream())


def reserve_stdin() -> int | None:
    """Redirect stdin to the null device, and return a file descriptor of the original stdin, or `None`."""
    if _descriptor(sys.stdin) is None:
        return None
    taken = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
    return taken


def _disarmed(text: str, *, colour: bool) -> str:
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from toolkit.visibility import disarm  # most output is plain ASCII

    return disarm(text, styled=colour)


def _data_stream() -> TextIO | None:
    return _data if _is_reserved else sys.stdout


def _columns_wanted() -> int:
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdecimal() else 0


def _columns_of(stream: TextIO | None) -> int:
    descriptor = _descriptor(stream)
    try:
        return 0 if descriptor is None else os.get_terminal_size(descriptor).columns
    except OSError:  # not a terminal, or one of unknown size
        return 0


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed by the program that started this one
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _redirect_to_null(stream.fileno())
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding))
        stream.flush()
    except OSError as error:
        _redirect_to_null(stream.fileno())
        sys.exit(f"error: cannot write the output: {error.strerror}")


def _flush_stdout(stream: TextIO) -> None:
    """Flush what other code left in the stdout buffer while descriptor 1 still leads to stderr or the null device."""
    if stream.closed:
        return
    try:
        stream.flush()
    except OSError:
        _redirect_to_null(1)
        stream.flush()


def _redirect_to_null(descriptor: int) -> None:
    """Discard all further writes to a descriptor, including the interpreter's last flush."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere == descriptor:  # the descriptor was closed
        os.set_inheritable(descriptor, True)
        return
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _descriptor(stream: TextIO | None) -> int | None:
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError):  # a stream in memory, or closed
        return None


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _has_colour(stream: TextIO | None) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and _is_terminal(stream)
