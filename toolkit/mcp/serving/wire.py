"""Parse and write the lines of stdio, one JSON message per line, with an error for each line that is not a message.

The SDK's own transport silently drops a malformed line, so its sender waits forever, and treats a request with an
invalid id as a notification.
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
"""Maximum size of a message in bytes, the same as the SDK's limit over HTTP."""


class LineError(JSONRPCError):
    """The error that answers a line that is not a message."""


def message_of(line: bytes, limit: int = LONGEST_MESSAGE) -> JSONRPCMessage | LineError | None:
    """Return the message in a line, the error that answers the line, or `None` if no answer is needed.

    Args:
        line: A line without its line break. It can be truncated, as long as it remains longer than the limit.
        limit: Maximum size of a message in bytes.
    """
    if len(line) > limit:
        return _error(None, INVALID_REQUEST, f"Invalid request: the message is longer than {limit} bytes")
    if not line.strip():
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _answer_to(line)
    # A request with an invalid id parses as a notification, and one with a result as an answer.
    is_like = b'"id"' if isinstance(message, JSONRPCNotification) else b'"method"'
    if not isinstance(message, JSONRPCRequest) and is_like in line:
        fault = _answer_to(line)
        return fault if isinstance(fault, LineError) else message
    return message


def _answer_to(line: bytes) -> JSONRPCError | None:
    """Return the error that answers a malformed line, or `None` if no answer is expected.

    A malformed answer is not answered, since that could go on forever: it becomes an error for the waiting caller here.
    """
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        reason = "encode it as UTF-8: it contains null bytes" if b"\0" in line else _shortly(error)
        return _error(None, PARSE_ERROR, f"Parse error: a line must be one JSON message ({reason})")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "Invalid request: batches are not supported; send one message per line")
    if not isinstance(value, dict):
        return _error(None, INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" in value and "id" not in value:
        return None  # a notification is not answered
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
            (_id_of(value) is not None, "'id' must be a string or an integer"),
            (isinstance(value.get("method"), str), "'method' must be a string"),
            (isinstance(value.get("params"), dict | None), "'params' must be an object"),
            ("result" not in value and "error" not in value, "a request has neither 'result' nor 'error'"),
        )
        if not is_right
    ]
    return "Invalid request: " + ("; ".join(wrong) or "it is nested too deeply, or contains a lone surrogate")


def _id_of(value: dict[str, object]) -> RequestId | None:
    identity = value.get("id")
    if isinstance(identity, str):
        return identity if identity.encode(errors="ignore").decode() == identity else None  # a lone surrogate
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _shortly(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _error(identity: RequestId | None, code: int, message: str) -> LineError:
    return LineError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


def line_of(message: JSONRPCMessage) -> bytes:
    """Return the line for a message, without line break; empty if it cannot be encoded and is not an answer."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # such as a lone surrogate; one such answer must not end the session
        identity = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if identity is None:
            return b""
        error = _error(identity, INTERNAL_ERROR, "Internal error: the answer cannot be written as JSON")
        text = error.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode()
