"""Lines: what a server that is a command writes, as messages; anything else fails the call that it answers, at once.

The SDK drops a line that it cannot read, so that the caller would wait for that answer until its timeout.
"""

import json
import re
from typing import Any

from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

UNREADABLE = "Failed to parse"
"""How the message of an error begins that stands for an answer which cannot be read; the SDK's own over HTTP, too."""

_END = 1024
_FIRST_ID = re.compile(rb'\s*\{[^{}\[\]]*?"id"\s*:\s*(\d{1,18})\s*[,}]')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d{1,18})\s*(?:,[^{}\[\]]*)?\}\s*$')
_METHOD = re.compile(rb'"method"\s*:')


def message_of(line: bytes) -> JSONRPCMessage | ValueError:
    """Return the message of a line, an error in the place of an answer that cannot be read, or why it is neither."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        identity = _answered_by(line)
        if identity is None:
            return error
        fault = ErrorData(code=PARSE_ERROR, message=f"{UNREADABLE} the answer: {error}"[:_END])
        return JSONRPCError(jsonrpc="2.0", id=identity, error=fault)


def _answered_by(line: bytes) -> int | None:
    """Return the number of the request that a line answers, as far as it can be made out; our requests are numbered."""
    try:
        value: Any = json.loads(line)
    except RecursionError:
        return _number_in(line)
    except ValueError:
        return _number_in(line) if line.lstrip()[:1] == b"{" else None
    identity = value.get("id") if isinstance(value, dict) and "method" not in value else None
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _number_in(line: bytes) -> int | None:
    """Return the number of the request, before the first thing inside the message or behind the last."""
    if _METHOD.search(line[:_END]):
        return None
    found = _FIRST_ID.match(line) or _LAST_ID.search(line[-_END:])
    return int(found[1]) if found else None
