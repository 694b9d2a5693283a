"""The lines of stdio: one JSON message a line, and an answer to every line that is not a message.

The SDK's own transport drops a malformed line without a word, so that its sender waits forever, and takes a
request with an invalid id for a notification.
"""

import json

from mcp.types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

LONGEST_MESSAGE = 4 * 1024 * 1024
"""Bytes of a message; it is what the SDK takes over HTTP."""


class LineError(JSONRPCError):
    """The error that answers a line which is not a message."""


def message_of(line: bytes, limit: int = LONGEST_MESSAGE) -> JSONRPCMessage | LineError | None:
    """Return the message of a line, or the error that answers it; None if no answer is due.

    Args:
        line: A line without its end. Of one that is longer than the limit, more than the limit is enough.
        limit: Bytes that a message may have.
    """
    if len(line) > limit:
        return _error(None, INVALID_REQUEST, f"Invalid request: the message is longer than {limit} bytes")
    if not line.strip():
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _answer_to(line)
    # A request with an invalid id looks like a notification, and one that has a result too like an answer.
    is_like = b'"id"' if isinstance(message, JSONRPCNotification) else b'"method"'
    if not isinstance(message, JSONRPCRequest) and is_like in line:
        fault = _answer_to(line)
        return fault if isinstance(fault, LineError) else message
    return message


def _answer_to(line: bytes) -> JSONRPCError | None:
    """Return the error that answers a malformed line; None where nobody waits for one.

    A malformed answer gets no answer, which could go on forever: it is an error for the code that waits for it here.
    """
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        return _error(None, PARSE_ERROR, f"Parse error: a line must be one JSON message ({_shortly(error)})")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "Invalid request: a batch; send one message a line")
    if not isinstance(value, dict):
        return _error(None, INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" in value and "id" not in value:
        return None  # a notification: nobody waits for an answer
    if "method" not in value and ("result" in value or "error" in value):
        identity = _id_of(value)
        fault = ErrorData(code=INVALID_REQUEST, message="the answer is malformed")
        return None if identity is None else JSONRPCError(jsonrpc="2.0", id=identity, error=fault)
    return _error(_id_of(value), INVALID_REQUEST, _what_is_wrong(value))


def _what_is_wrong(value: dict[str, object]) -> str:
    wrong = [
        words
        for is_right, words in (
            (value.get("jsonrpc") == "2.0", "'jsonrpc' must be '2.0'"),
            (_id_of(value) is not None, "'id' must be a text or an integer"),
            (isinstance(value.get("method"), str), "'method' must be a text"),
            (isinstance(value.get("params"), dict | None), "'params' must be an object"),
            ("result" not in value and "error" not in value, "a request has neither 'result' nor 'error'"),
        )
        if not is_right
    ]
    return "Invalid request: " + ("; ".join(wrong) or "it is nested too deeply, or contains a lone surrogate")


def _id_of(value: dict[str, object]) -> RequestId | None:
    identity = value.get("id")
    if isinstance(identity, str):
        return identity if identity.encode(errors="ignore").decode() == identity else None  # half a character
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _shortly(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _error(identity: RequestId | None, code: int, message: str) -> LineError:
    return LineError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


def line_of(message: JSONRPCMessage) -> bytes:
    """Return the line of a message, without its end; empty if it cannot be written and nobody waits for it."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # half a character, say: one answer that cannot be written must not end all others
        identity = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if identity is None:
            return b""
        error = _error(identity, INTERNAL_ERROR, "Internal error: the answer cannot be written as JSON")
        text = error.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode()
