"""The two streams: stdout is data, stderr is talk.

While a command works, everything that others print (users' code, libraries, child processes) goes to stderr, even
what they write to file descriptor 1; only `write_data` reaches stdout. A reader that goes away (`| head -1`) ends the
writing quietly and changes no exit code.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone would take as long as everything else that `--version` needs
    from collections.abc import Iterable
    from types import TracebackType
    from typing import TextIO

    from toolkit.redactors.redactor import Redactor

_FALLBACK_WIDTH = 80
_UNLIMITED_WIDTH = 100_000
_NARROWEST = 40

_apart = False
_data: TextIO | None = None
_redactor: Redactor | None = None


def hold_closed_streams() -> None:
    """Keep the numbers of closed streams taken: the next file to be opened would get one, and all that is printed."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _lead_nowhere(number)
    if sys.stderr is None:  # others' code writes there without asking
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open


def keep_secrets() -> None:
    """Let no secret be written from now on: of the environment as it is now, and those that the redactor learns."""
    global _redactor  # noqa: PLW0603 - one for the process, as the streams are
    from toolkit.redactors.environment import redactor_of_environment  # noqa: PLC0415 - `--version` needs none
    from toolkit.redactors.redactor import Redactor  # noqa: PLC0415

    _redactor = Redactor(outer=redactor_of_environment())


def redactor() -> Redactor:
    """Return the redactor of this command: what it learns, nothing that is written afterwards has in it."""
    if _redactor is None:
        keep_secrets()
    assert _redactor is not None  # noqa: S101 - it was made above
    return _redactor


def write_data(text: str) -> None:
    """Write to stdout, now, this text without secrets; a terminal shows escapes for what it would obey or hide."""
    text = redactor().text(text)
    _write(_data_stream(), _disarmed(text, colour=data_has_colour()) if data_is_terminal() else text)


def write_help(text: str) -> None:
    """Write a text of our own to stdout, now, as it is: there is nothing in it that could be secret."""
    _write(_data_stream(), text)


def write_json(data: object) -> None:
    """Write plain data to stdout, now, as JSON that people can read too."""
    from toolkit.visibility import visible_json  # noqa: PLC0415 - `--version` needs none

    write_data(f"{visible_json(data, indent=2)}\n")


def say(text: str = "") -> None:
    """Write a line, or several, of talk to stderr."""
    _write(_talk_stream(), f"{safe_talk(redactor().text(text))}\n")


def add(text: str) -> None:
    """Write a piece of a line of talk to stderr, now."""
    _write(_talk_stream(), safe_talk(redactor().text(text)))


def pass_on(text: str) -> None:
    """Write to stderr, now, what others have printed, without secrets."""
    _write(_talk_stream(), redactor().text(text))


def safe_talk(text: str, stream: TextIO | None = None) -> str:
    """Return talk with escapes for what a terminal would obey or hide; our own colours stay, where there are any.

    Args:
        text: The message.
        stream: Where it goes; stderr by default.
    """
    return _disarmed(text, colour=_has_colour(stream or sys.stderr))


def stop_data() -> None:
    """Let what is still to come on stdout vanish: its reader has gone."""
    stream = _data_stream()
    if (descriptor := _descriptor(stream)) is not None:
        _lead_nowhere(descriptor)


def data_is_terminal() -> bool:
    """Return whether a person sees stdout."""
    return _is_terminal(_data_stream())


def talk_is_terminal() -> bool:
    """Return whether a person sees stderr."""
    return _is_terminal(sys.stderr)


def shown_together() -> bool:
    """Return whether a person sees data and messages on one and the same terminal."""
    if not (data_is_terminal() and talk_is_terminal()):
        return False
    descriptors = (_descriptor(_data_stream()), _descriptor(sys.stderr))
    terminals = {os.fstat(descriptor).st_rdev for descriptor in descriptors if descriptor is not None}
    return len(terminals) == 1


def can_ask() -> bool:
    """Return whether a person can answer: both stdin and stderr must be terminals, for piped text is data."""
    return _is_terminal(sys.stdin) and talk_is_terminal()


def data_has_colour() -> bool:
    """Return whether stdout takes colour: a terminal, unless `NO_COLOR` or `FORCE_COLOR` override that."""
    return _has_colour(_data_stream())


def talk_has_colour() -> bool:
    """Return whether stderr takes colour: a terminal, unless `NO_COLOR` or `FORCE_COLOR` override that."""
    return _has_colour(sys.stderr)


def width() -> int:
    """Return how many columns there are to talk in: `COLUMNS`, else the terminal's, else 80."""
    return max(_columns_wanted() or _columns_of(sys.stderr) or _FALLBACK_WIDTH, _NARROWEST)


def data_width() -> int:
    """Return how many columns data may take: `COLUMNS`, else the terminal's, else as many as it likes."""
    return max(_columns_wanted() or _columns_of(_data_stream()) or _UNLIMITED_WIDTH, _NARROWEST)


class DataKeptApart:
    """While this is open, `print` and file descriptor 1 lead to stderr, and only `write_data` reaches stdout."""

    def __enter__(self) -> None:
        """Take stdout away from everybody else."""
        global _apart, _data
        self._before = (_apart, _data, sys.stdout)
        self._ours: TextIO | None = None
        if not _apart:
            _apart, _data = True, self._taken_away() if _descriptor(sys.stdout) == 1 else sys.stdout
        self._talk = sys.stderr
        self._others = _OthersTalk(sys.stderr)
        sys.stdout = sys.stderr = self._others

    def _taken_away(self) -> TextIO:
        """Point file descriptor 1 to where stderr goes, and return a stream to where it went before."""
        sys.stdout.flush()
        taken = os.dup(1)
        if _descriptor(sys.stderr) == 2:  # noqa: PLR2004 - the number of stderr
            os.dup2(2, 1)
        else:
            _lead_nowhere(1)
        # Data is UTF-8 wherever it goes; what UTF-8 cannot say is escaped rather than lost or fatal.
        self._ours = os.fdopen(taken, "w", encoding="utf-8", errors="backslashreplace")
        return self._ours

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give stdout back."""
        global _apart, _data
        self._others.end()
        _apart, _data, sys.stdout = self._before
        if sys.stderr is self._others:
            sys.stderr = self._talk
        if self._ours is not None:
            _flush_talk(sys.stdout)
            os.dup2(self._ours.fileno(), 1)
            self._ours.close()


class _OthersTalk:
    """What others' code prints, on its way to stderr: without secrets, also where one is printed piece by piece."""

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

    def end(self) -> None:
        """Write what was held back."""
        if (rest := self._pieces.end()) and self.stream is not None:
            _write(self.stream, rest)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def _talk_stream() -> TextIO | None:
    """Return stderr as it was before others' code was kept from writing secrets to it."""
    return sys.stderr.stream if isinstance(sys.stderr, _OthersTalk) else sys.stderr


def data_descriptor() -> int | None:
    """Return the file descriptor that data is written to, or None where it goes to memory, or nowhere."""
    return _descriptor(_data_stream())


def take_input() -> int | None:
    """Take stdin away from everybody else, and return a file descriptor that reads what comes there, or None."""
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
    from toolkit.visibility import disarmed  # noqa: PLC0415 - little of what we write has more than plain letters

    return disarmed(text, styled=colour)


def _data_stream() -> TextIO | None:
    return _data if _apart else sys.stdout


def _columns_wanted() -> int:
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdecimal() else 0


def _columns_of(stream: TextIO | None) -> int:
    descriptor = _descriptor(stream)
    try:
        return 0 if descriptor is None else os.get_terminal_size(descriptor).columns
    except OSError:  # no terminal, or one that does not say
        return 0


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed by the program that started this one
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _lead_nowhere(stream.fileno())
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding))
        stream.flush()
    except OSError as error:
        _lead_nowhere(stream.fileno())
        sys.exit(f"error: cannot write the output: {error.strerror}")


def _flush_talk(stream: TextIO) -> None:
    """Write what others left in the stream of descriptor 1 while that still leads to stderr, or nowhere."""
    if stream.closed:
        return
    try:
        stream.flush()
    except OSError:
        _lead_nowhere(1)
        stream.flush()


def _lead_nowhere(descriptor: int) -> None:
    """Discard what is still written there, the interpreter's last flush included."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere == descriptor:  # it was closed
        os.set_inheritable(descriptor, True)
        return
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _descriptor(stream: TextIO | None) -> int | None:
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError):  # a stream in memory has none, a closed one has none any more
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
