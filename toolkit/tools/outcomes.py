"""Makes results of what functions return, and records of results, without secrets, and results of them again."""

from dataclasses import replace
from types import CoroutineType
from typing import Any, TypeVar, cast

from toolkit.errors import ApprovalPending, ConfigurationError
from toolkit.tools.calls.json_data import dumps, loads, with_standard_base64
from toolkit.tools.calls.results import SkippedItem, Skips, ToolResult, message_of, result_of_text
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.marking import mark_of
from toolkit.tools.secret_arguments import reading_redactor

NOTHING_RETURNED = "Success"
UNWRITABLE = "the tool succeeded, but its return value"
"""The start of the error message if a return value cannot be written as JSON."""
LARGEST_PLAIN = 2**53
"""Integers up to this one are exact in every JSON parser."""


def result_of_ending(ending: BaseException, otherwise: ToolResult) -> ToolResult:
    """Return the result to report for a call that was ended: that it waits for approval, or else the given one."""
    return ToolResult.failure(str(ending), "waiting") if isinstance(ending, ApprovalPending) else otherwise


def as_result(value: Any) -> ToolResult:
    """Convert any value to a result: a result or a string is used as it is, everything else becomes compact JSON.

    In a result too, an output that is not text becomes compact JSON, and an error becomes its message.

    Numbers that JSON does not have become strings (`"NaN"`), and non-ASCII characters are not escaped. An object with
    marked methods need not be serializable: it is shown as its `str`, or as the name of its class.

    Raises:
        ValueError: If the value cannot be serialized as JSON; the message names its type.
    """
    kind = type(value)
    if kind is str:
        return result_of_text(value)
    if kind is int and -LARGEST_PLAIN < value < LARGEST_PLAIN:  # for speed, since most numbers are like this
        return ToolResult(str(value), None, None, value, value)
    if isinstance(value, ToolResult):
        output: Any = value.output
        error: Any = value.error or ""
        is_text = isinstance(output, str) and isinstance(error, str)  # the tool may have written anything
        return value if is_text else _as_text(value)
    if isinstance(value, str):
        return ToolResult(value)
    from toolkit.tools.calls.attachments import attachments_in  # most tools return text

    if attachments := attachments_in(value):
        return ToolResult("\n".join(one.words for one in attachments), artifact=value)
    return _as_json(value)


def _as_text(result: ToolResult) -> ToolResult:
    """Return a result whose output or error is not text, as a tool may have written it, with text instead."""
    output: Any = result.output
    error: Any = result.error
    if error is not None:
        message = message_of(error) if isinstance(error, BaseException) else as_result(error).output
        return replace(result, output="", error=message)
    written = as_result("" if output is None else output)
    structured = written.structured if result.structured is None else result.structured
    artifact = written.artifact if result.artifact is None else result.artifact
    return replace(result, output=written.output, structured=structured, artifact=artifact)


def _as_json(value: Any) -> ToolResult:
    try:
        text, data = _write(value)
    except (ValueError, RecursionError) as error:
        message = f"{UNWRITABLE} ({type(value).__qualname__}) cannot be written as JSON"
        reason = str(error).removeprefix("Error serializing to JSON: ").removeprefix("ValueError: ")
        raise ValueError(f"{message}: {reason}") from error
    if isinstance(data, str) and _has_methods(type(value)):
        return ToolResult(data, artifact=value)
    return ToolResult(text.decode(), structured=data, artifact=value)


def _write(value: Any) -> tuple[bytes, Any]:
    """Return a value as JSON text and as plain data; bytes are written as base64."""
    from pydantic_core import from_json, to_json

    text = to_json(value, inf_nan_mode="strings", bytes_mode="base64", fallback=_in_words)
    data = from_json(text)
    if not (b"-" in text or b"_" in text):  # these occur only in URL-safe base64
        return text, data
    other = to_json(value, inf_nan_mode="strings", bytes_mode="hex", fallback=_in_words)
    if other == text:
        return text, data
    data = with_standard_base64(data, from_json(other))
    return to_json(data), data


def _in_words(thing: Any) -> str:
    """Return the `str` of an object with marked methods if its class defines one, or else the name of the class."""
    kind = type(thing)
    if not _has_methods(kind):
        raise ValueError(f"Unable to serialize unknown type: {kind}")
    *own, _object = kind.__mro__
    says_something = any(name in vars(base) for base in own for name in ("__str__", "__repr__"))
    return str(thing) if says_something else f"<{kind.__name__}>"


def _has_methods(kind: type) -> bool:
    members = (member for base in kind.__mro__ for member in vars(base).values())
    return any(mark_of(getattr(member, "__func__", member)) is not None for member in members)


Answer = TypeVar("Answer")


def plain(answer: Answer, role: str) -> Answer:
    """Return what a function has returned, unless it is async: a coroutine always counts as true, and never runs.

    Args:
        answer: What the function has returned.
        role: What the function is, for the message.

    Raises:
        ConfigurationError: If it is a coroutine.
    """
    if isinstance(answer, CoroutineType):
        answer.close()
        raise ConfigurationError(f"{role} must be a plain function, not an async one")
    return answer


def checked_kind(kind: Any) -> type:
    """Return the type of the artifacts that a wrapper looks for.

    Raises:
        ConfigurationError: If `isinstance` does not accept it, such as a name or `list[str]`.
    """
    try:
        isinstance(None, kind)
    except TypeError:
        raise ConfigurationError(f"the type of the artifacts must be a class, not {kind!r}") from None
    return cast("type", kind)


def result_text(result: ToolResult, output: Any, context: ToolContext) -> tuple[str, bool]:
    """Return a result as JSON text without secrets, and whether it is complete.

    Args:
        result: The result of a call.
        output: The data that later steps receive.
        context: The context of the call, which knows the secrets.
    """
    record: dict[str, Any] = {"output": result.output}
    if result.error is not None:
        record |= {"error": result.error, "error_code": result.error_code}
    if output is not None and not isinstance(output, str):
        record["data"] = output
    elif output != result.output:
        record["value"] = output
    if result.skips:
        record["skips"] = [(skips.step, skips.of, skips.items) for skips in result.skips]
    redactor = reading_redactor(context)
    try:
        text = dumps(record)
        # Few results contain a secret. In those, each string is redacted by itself, so that the text remains JSON.
        return (text, True) if redactor.text(text) == text else (dumps(redactor.data(record)), False)
    except (TypeError, ValueError, RecursionError):
        return dumps({"output": redactor.text(result.output)}), False


def result_in(text: str) -> tuple[ToolResult, Any]:
    """Restore a result, and the data that later steps receive, from the text that `result_text` has written."""
    record = loads(text)
    result = ToolResult(record["output"], record.get("error"), record.get("error_code"), record.get("data"))
    if "skips" in record:
        skips = tuple(Skips(step, of, tuple(SkippedItem(*one) for one in items)) for step, of, items in record["skips"])
        result = replace(result, skips=skips)
    return result, record.get("data", record.get("value", None if result.error is not None else result.output))
