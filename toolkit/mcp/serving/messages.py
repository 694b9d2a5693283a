"""The messages of clients and to them: as bytes, and as the streams of a session that the SDK expects.

What is not a message is answered with an error that says why. The SDK's own transports say less about
what is wrong, and treat a request with an invalid id as a notification.
"""

import json
from typing import Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
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


class MessageError(JSONRPCError):
    """The error that answers bytes that are not a message."""


def message_of(line: bytes, limit: int = LONGEST_MESSAGE) -> JSONRPCMessage | MessageError | None:
    """Return the message in a line or body, the error that answers it, or `None` if no answer is needed.

    Args:
        line: A line without its line break, or a body. It can be truncated if it remains longer than the limit.
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
        return fault if isinstance(fault, MessageError) else message
    return message


def _answer_to(line: bytes) -> JSONRPCError | None:
    """Return the error that answers a malformed message, or `None` if no answer is expected.

    A malformed answer is not answered, since that could go on forever: it becomes an error for the waiting caller here.
    """
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        reason = "encode it as UTF-8: it contains null bytes" if b"\0" in line else _shortly(error)
        return _error(None, PARSE_ERROR, f"Parse error: this is not one JSON message ({reason})")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "Invalid request: batches are not supported; send one message at a time")
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


def _error(identity: RequestId | None, code: int, message: str) -> MessageError:
    return MessageError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


def bytes_of(message: JSONRPCMessage) -> bytes:
    """Return a message as JSON without a line break; empty if it cannot be encoded and is not an answer."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # such as a lone surrogate; one such answer must not end the session
        identity = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if identity is None:
            return b""
        error = _error(identity, INTERNAL_ERROR, "Internal error: the answer cannot be written as JSON")
        text = error.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode()


class MessageStream:
    """A stream of messages.

    Attributes:
        is_closed: Whether it has ended.
    """

    def __init__(self) -> None:
        self.is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises:
            EndOfStream: If there is none.
        """
        raise anyio.EndOfStream

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None
