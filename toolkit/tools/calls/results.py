"""A model's request to call a tool and the result of the call, for models, programs and people."""

import linecache
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NamedTuple, Self

from toolkit.errors import ToolExecutionError, ToolkitError
from toolkit.problems import Location
from toolkit.tools.calls.foreign_values import call_safely, is_text, kind_of, plain_text

_OURS = f"{Path(__file__).parents[2]}{os.sep}"
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
    if place := place_of_raise(error, is_own_code):
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


def is_own_code(file: str) -> bool:
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
    return len(linecache.getline(file, line).encode()[:bytes_before].decode(errors="replace"))


class SkippedItem(NamedTuple):
    """An item that failed and was skipped.

    Attributes:
        place: The index in the list, from 0.
        item: A shortened form of the item.
        error: Why the item failed.
        error_code: The kind of failure.
    """

    place: int
    item: str
    error: str
    error_code: str | int | None

    def as_record(self) -> dict[str, Any]:
        """Return the item as plain data."""
        return {"index": self.place, "item": self.item, "error": self.error, "error_code": self.error_code}


class Skips(NamedTuple):
    """The items that one step has skipped.

    Attributes:
        step: The path of the step, relative to the pipeline with the result; empty in the result of the step itself.
        of: The number of items in the list.
        items: The skipped items, in the order of the list.
    """

    step: str
    of: int
    items: tuple[SkippedItem, ...]

    def within(self, path: str) -> "Skips":
        """Return a copy with a path before that of the step."""
        return self._replace(step=f"{path}/{self.step}" if self.step else path)

    def __str__(self) -> str:
        """Return all skipped items with their errors, in one line."""
        items = "; ".join(f"item {item.place + 1} ({item.item}): {item.error}" for item in self.items)
        return f"step '{self.step}': {format_count(self.of - len(self.items), self.of, len(self.items))}: {items}"


def format_count(done: int, of: int, skipped: int) -> str:
    """Format the number of completed items: `4 of 4`, or `3 of 4, 1 skipped`."""
    return f"{done} of {of}, {skipped} skipped" if skipped else f"{done} of {of}"


def remark_on(skips: Iterable[Skips]) -> str:
    """Return the note for a model about skipped items, which is put before the result."""
    return "\n".join(f"Some items were skipped. {one}" for one in skips)


NO_MESSAGE = "Tool execution failed with no message"


@dataclass(frozen=True, init=False)
class ToolResult:
    """The result of a call: text on success, an error message on failure.

    Example:
        >>> from toolkit import ToolResult
        >>> ToolResult.success("Sunny").text
        'Sunny'
        >>> ToolResult.failure("there is no such city", "not_found").text
        'Error: there is no such city'

    Attributes:
        output: The text for a model; empty on failure.
        error: Why the call failed, as a message for its caller; `None` on success.
        error_code: The kind of failure: `invalid_arguments`, `rejected`, `timeout`, `network`, `error`, or the tool's
            own code.
        structured: The same result as plain JSON data, for programs; models see the text.
        artifact: The returned object itself, for the calling program; it is never serialized.
        remark: A note for the model before the result, such as that a reviewer has changed the arguments.
        skips: The items that steps of a pipeline have skipped because they failed.
        raised: The exception with which the tool failed, as it is shown to people; a model never sees it.
    """

    output: str = ""
    error: str | None = None
    error_code: str | int | None = None
    structured: Any = None
    artifact: Any = None
    remark: str = ""
    skips: "tuple[Skips, ...]" = ()
    raised: "Raised | None" = field(default=None, compare=False, repr=False)

    def __init__(
        self,
        output: str = "",
        error: str | None = None,
        error_code: str | int | None = None,
        structured: Any = None,
        artifact: Any = None,
        *,
        remark: str = "",
        skips: "tuple[Skips, ...]" = (),
        raised: "Raised | None" = None,
    ) -> None:
        # Not generated, for speed: every call creates a result, and half of them have nothing but an output.
        attributes = self.__dict__
        attributes["output"] = output
        if structured is not None or error is not None or artifact is not None or error_code is not None:
            attributes["error"] = error
            attributes["error_code"] = error_code
            attributes["structured"] = structured
            attributes["artifact"] = artifact
        if remark:
            attributes["remark"] = remark
        if skips:
            attributes["skips"] = skips
        if raised is not None:
            attributes["raised"] = raised

    @property
    def succeeded(self) -> bool:
        """Whether the call was successful."""
        return self.error is None

    @property
    def text(self) -> str:
        """The text for a model: the output, or `Error: ` and the message, after the remark if there is one."""
        if len(self.__dict__) == 1:
            return self.output
        text = self.output if self.error is None else f"Error: {self.error}"
        return f"{self.note}\n{text}" if self.remark or self.skips else text

    @property
    def note(self) -> str:
        """What a model is told before the output or the error: the remark, and the items that were skipped."""
        return "\n".join(filter(None, [self.remark, remark_on(self.skips)]))

    def remarked(self, remark: str) -> Self:
        """Return a copy with another remark after the existing ones."""
        return replace(self, remark=f"{self.remark}\n{remark}" if self.remark else remark)

    @classmethod
    def success(cls, output: str | None = "", *, structured: Any = None, artifact: Any = None) -> Self:
        """Create a successful result; `None` as output means an empty string."""
        return cls("" if output is None else output, structured=structured, artifact=artifact)

    @classmethod
    def failure(cls, message: str | None, code: str | int | None = None) -> Self:
        """Create a failed result; without a message, the error says that there is none."""
        return cls(error=NO_MESSAGE if message is None else message, error_code=code)


def result_of_text(output: str) -> ToolResult:
    """Return a successful result with nothing but a text: the same as `ToolResult(output)`, and faster."""
    result = object.__new__(ToolResult)
    result.__dict__["output"] = output
    return result


class CallDenied(ToolkitError):
    """A reviewer or a rule denied one call."""

    code = "rejected"


class AnsweredEarly(ToolExecutionError):
    """Raised by `check` if nothing needs to run, so nothing needs approval; `result` becomes the result of the call."""

    def __init__(self, result: ToolResult) -> None:
        super().__init__(result.text, result.error_code)
        self.result = result


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to call a tool.

    Attributes:
        name: The name of the tool.
        arguments: The arguments as a JSON object.
        id: Identifies the call to which the result belongs; some providers do not send one.
    """

    name: str
    arguments: str = "{}"
    id: str | None = None
