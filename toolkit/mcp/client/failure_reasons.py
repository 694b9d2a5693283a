"""One-line error messages about servers that cannot be reached or used, from HTTP errors and invalid lines."""

import json
import os
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)

from toolkit.amounts import format_duration
from toolkit.mcp.settings.server_settings import McpServer, StdioServer

_NEGOTIATED: Mapping[int, int] = {400: INTERNAL_ERROR, 404: METHOD_NOT_FOUND, 405: INTERNAL_ERROR}
"""Statuses that can mean an older protocol, and the error codes by which the SDK recognizes that."""
_SESSION = "mcp-session-id"
"""In a session, the SDK handles these statuses itself: the session has expired, or there is no event stream."""
_PHRASES: Mapping[int, str] = {status.value: status.phrase for status in HTTPStatus}
_ADVICE: Mapping[int, str] = {
    401: "check the credentials in its 'headers'",
    403: "these credentials do not allow this request; ask the server's operator for access",
    404: "nothing answers at its 'url'; check the path",
    405: "its 'url' does not accept requests of the protocol; check the path",
    407: "the proxy requires credentials; set them in HTTPS_PROXY",
    408: "it timed out waiting for the request; try again",
    413: "the arguments are too large for it",
    429: "too many requests; wait, or retry with a longer backoff",
    500: "it failed internally; see its own log",
    502: "a gateway cannot reach it; try again later",
    503: "it is overloaded or being restarted; try again later",
    504: "a gateway timed out waiting for it; try again later",
}


class ExplainingClient(httpx2.AsyncClient):
    """An HTTP client that converts error responses to JSON-RPC errors, unless the server sends one itself."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and return the response or a JSON-RPC error that explains its status."""
        response = await super().send(request, **options)
        status = response.status_code
        if status < HTTPStatus.BAD_REQUEST or (status in _NEGOTIATED and _SESSION in request.headers):
            return response
        await response.aread()
        if request.method != "POST" or _is_json_rpc(response):
            return response
        error = {"code": _NEGOTIATED.get(status, status), "message": explanation_of(status)}
        body = {"jsonrpc": "2.0", "id": None, "error": error}
        return httpx2.Response(status, json=body, request=request)


def explanation_of(status: int) -> str:
    """Return what an HTTP status means, with a hint."""
    name = f"HTTP {status} {_PHRASES.get(status, '')}".rstrip()
    return f"{name}: {_ADVICE[status]}" if status in _ADVICE else name


def is_status(code: int) -> bool:
    """Return whether an error code is an HTTP error status."""
    return HTTPStatus.BAD_REQUEST <= code < 600  # noqa: PLR2004 - the end of the range of HTTP statuses


def _is_json_rpc(response: httpx2.Response) -> bool:
    try:
        body = response.json()
    except ValueError:
        return False
    return isinstance(body, dict) and "jsonrpc" in body and isinstance(body.get("error"), dict)


UNREADABLE = "Failed to parse"
"""Prefix of error messages about answers that cannot be parsed; the SDK uses the same one over HTTP."""

_END = 1024
_FIRST_ID = re.compile(rb'\s*\{[^{}\[\]]*?"id"\s*:\s*(\d{1,18})\s*[,}]')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d{1,18})\s*(?:,[^{}\[\]]*)?\}\s*$')
_METHOD = re.compile(rb'"method"\s*:')


def message_of(line: bytes) -> JSONRPCMessage | ValueError:
    """Return the message in a line, a JSON-RPC error for an answer that cannot be parsed, or a `ValueError`."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        identity = _answered_by(line)
        if identity is None:
            return error
        fault = ErrorData(code=PARSE_ERROR, message=f"{UNREADABLE} the answer: {error}"[:_END])
        return JSONRPCError(jsonrpc="2.0", id=identity, error=fault)


def _answered_by(line: bytes) -> int | None:
    """Return the id of the request that a line answers, if it can be found; the ids of our requests are numbers."""
    try:
        value: Any = json.loads(line)
    except RecursionError:
        return _number_in(line)
    except ValueError:
        return _number_in(line) if line.lstrip()[:1] == b"{" else None
    identity = value.get("id") if isinstance(value, dict) and "method" not in value else None
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _number_in(line: bytes) -> int | None:
    """Return the request id if it comes before the first or after the last nested value of the message."""
    if _METHOD.search(line[:_END]):
        return None
    found = _FIRST_ID.match(line) or _LAST_ID.search(line[-_END:])
    return int(found[1]) if found else None


_CLOSED = "Connection closed"
_CUT_OFF = "SSE stream "


def is_lost(error: MCPError, *, has_ended: bool) -> bool:
    """Return whether an error means that the connection was lost.

    The SDK reports a lost connection with the code -32000, which servers also use for their own errors.

    Args:
        error: The error.
        has_ended: Whether the session has ended.
    """
    return error.code == CONNECTION_CLOSED and (
        has_ended or error.message == _CLOSED or error.message.startswith(_CUT_OFF)
    )


def is_unreadable(error: MCPError) -> bool:
    """Return whether an error means that an answer could not be parsed."""
    return error.code == PARSE_ERROR and error.message.startswith(UNREADABLE)


def fault_of_answer(error: MCPError) -> str:
    """Return what is wrong with an answer that could not be parsed."""
    if "recursion limit" in error.message:
        return "its answer is nested too deeply"
    if "Invalid JSON" in error.message:
        return "its answer is not JSON"
    return "its answer is not a message of the protocol"


def reason_of(error: BaseException, server: McpServer, *, has_ended: bool) -> str:
    """Return why a server could not be reached, as the predicate of a sentence about the server."""
    leaf = leaf_of(error)
    if isinstance(leaf, TimeoutError):
        return str(leaf) or f"has not answered within {format_duration(server.start_timeout)}"
    if isinstance(server, StdioServer):
        if isinstance(leaf, FileNotFoundError):
            return f"cannot be started: {_missing_file(server)}"
        if isinstance(leaf, OSError):
            return f"cannot be started: {(leaf.strerror or str(leaf)).lower()}"
    if isinstance(leaf, MCPError):
        return _reason_of_answer(leaf, has_ended=has_ended)
    if isinstance(leaf, ValueError) and type(leaf) is not ValueError:
        return f"sent an answer that cannot be read: {words_of(leaf)}"
    if isinstance(leaf, OSError) or type(leaf).__module__.partition(".")[0] in {"httpx2", "httpcore2"}:
        return f"cannot be reached at {server.line}: {words_of(leaf)}"
    return f"cannot be used: {words_of(leaf)}"


def _missing_file(server: StdioServer) -> str:
    if server.cwd is not None and not server.cwd.is_dir():
        return f"there is no folder '{server.cwd}'"
    if os.sep in server.command:
        return f"there is no program '{server.command}'"
    return f"there is no program '{server.command}' on PATH"


def _reason_of_answer(error: MCPError, *, has_ended: bool) -> str:
    if is_lost(error, has_ended=has_ended):
        return "ended before it had answered"
    if is_unreadable(error):
        return f"violated the protocol: {fault_of_answer(error)}"
    return f"answered with {'' if is_status(error.code) else 'an error: '}{error.message}"


def leaf_of(error: BaseException) -> BaseException:
    """Return the first exception that is not a group inside nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def words_of(error: BaseException) -> str:
    """Return the message of an exception in one line; for a validation error, the location and the first message."""
    leaf = leaf_of(error)
    if (listed := getattr(leaf, "errors", None)) is not None and callable(listed):  # a validation error
        first = listed()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    lines = str(leaf).strip().splitlines()
    return lines[0] if lines else type(leaf).__name__
