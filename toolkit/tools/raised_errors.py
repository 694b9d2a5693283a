"""Finds the message of an exception, and the line in the code of the tool's author that raised it."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import CodeType, TracebackType
from typing import NamedTuple

from toolkit.problems import Location
from toolkit.tools.foreign_values import call_safely, is_text, kind_of, plain_text

_OURS = f"{Path(__file__).parents[1]}{os.sep}"
_LIBRARIES = (f"{Path(os.__file__).parent}{os.sep}", "<")
_INSTALLED = ("site-packages", "dist-packages")
_AROUND_THE_WORK = tuple(f"{_OURS}{part}" for part in ("tools", "wrappers", "pipelines", "running.py"))


class Raised(NamedTuple):
    """An exception that ended a call, as it is shown to people.

    Attributes:
        kind: The name of its class.
        words: The message, as in the result of the call.
        place: The innermost line in the code of the tool's author, if there is one.
    """

    kind: str
    words: str
    place: Location | None

    def named_in(self, message: str) -> str:
        """Return a message with the class of the exception added, unless it already contains it."""
        if self.kind in message:
            return message
        before = message.removesuffix(self.words)
        return f"{before}{self.kind}: {self.words}" if before != message else f"{message} ({self.kind})"


def kind_of_error(error: BaseException) -> str:
    """Return the unqualified name of an exception's class."""
    return kind_of(error).rpartition(".")[2]


def as_raised(error: BaseException) -> BaseException:
    """Return the exception that the code raised: Python converts a `StopIteration` that leaves a coroutine."""
    cause = error.__cause__
    is_converted = isinstance(cause, StopIteration) and error.args == ("coroutine raised StopIteration",)
    return cause if is_converted and cause is not None else error


def message_of(error: BaseException) -> str:
    """Return the message of an exception, for models and other callers.

    An exception without a message is represented by the name of its class. The name is also put before messages that
    mean little without it: that of a `KeyError`, or of a `BaseException` that is not an `Exception`.
    """
    error = as_raised(error)
    text = call_safely(lambda: str(error), "")
    text = plain_text(text) if is_text(text) else ""
    if not text.strip():
        return kind_of_error(error)
    needs_kind = isinstance(error, KeyError) or not isinstance(error, Exception)
    return f"{kind_of_error(error)}: {text}" if needs_kind else text


def raised_by(error: BaseException, words: str) -> Raised | None:
    """Return an exception as it is shown to people, or `None` for one of our own tools, whose message is enough."""
    files = [trace.tb_frame.f_code.co_filename for trace in traces_of(error)]
    if place := place_of_raise(error, _is_own):
        return Raised(kind_of_error(error), words, place)
    is_ours = any(file.startswith(_OURS) and not file.startswith(_AROUND_THE_WORK) for file in files)
    return None if is_ours else Raised(kind_of_error(error), words, None)


def trace_from_tool(error: BaseException) -> TracebackType | None:
    """Return the traceback of an exception without our own frames that lead to the tool."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_AROUND_THE_WORK):
        trace = trace.tb_next
    return trace


def place_of_raise(error: BaseException, is_own: Callable[[str], bool]) -> Location | None:
    """Return the innermost location in a traceback whose file satisfies `is_own`."""
    own = [trace for trace in traces_of(error) if is_own(trace.tb_frame.f_code.co_filename)]
    return _place_in_code(own[-1].tb_frame.f_code, own[-1].tb_lasti, own[-1].tb_lineno) if own else None


def traces_of(error: BaseException) -> Iterator[TracebackType]:
    """Yield the entries of an exception's traceback, from the outermost to the innermost."""
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_own(file: str) -> bool:
    return not file.startswith((_OURS, *_LIBRARIES)) and not any(folder in file for folder in _INSTALLED)


def _place_in_code(code: CodeType, instruction: int, line: int) -> Location:
    position = next(islice(code.co_positions(), instruction // 2, None), (line, None, None, None))
    first, last, start, end = position
    if first is None or last is None or start is None or end is None:
        return Location(code.co_filename, line)
    return Location(
        code.co_filename,
        first,
        _characters(code.co_filename, first, start) + 1,
        last,
        _characters(code.co_filename, last, end) + 1,
    )


def _characters(file: str, line: int, bytes_before: int) -> int:
    """Convert a column in bytes, as Python counts them, to characters."""
    import linecache  # noqa: PLC0415 - needed only for exceptions

    return len(linecache.getline(file, line).encode()[:bytes_before].decode(errors="replace"))
