"""Parse the lines that a server writes to its standard output as messages.

The SDK drops a line that it cannot parse, so the caller would wait for the answer until the timeout. Here, such a line
makes the call that it answers fail immediately.
"""

import json
import re
from typing import Any

from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

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
