"""One-line error messages about servers that cannot be reached or used."""

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR

from toolkit.durations import format_duration
from toolkit.mcp.client.http_refusals import is_status
from toolkit.mcp.client.lines import UNREADABLE
from toolkit.mcp.settings.servers import McpServer, StdioServer

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
            missing = server.cwd if server.cwd is not None and not server.cwd.is_dir() else server.command
            return f"cannot be started: there is no '{missing}'"
        if isinstance(leaf, OSError):
            return f"cannot be started: {(leaf.strerror or str(leaf)).lower()}"
    if isinstance(leaf, MCPError):
        return _reason_of_answer(leaf, has_ended=has_ended)
    if isinstance(leaf, ValueError) and type(leaf) is not ValueError:
        return f"sent an answer that cannot be read: {words_of(leaf)}"
    if isinstance(leaf, OSError) or type(leaf).__module__.partition(".")[0] in {"httpx2", "httpcore2"}:
        return f"cannot be reached at {server.line}: {words_of(leaf)}"
    return f"cannot be used: {words_of(leaf)}"


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
