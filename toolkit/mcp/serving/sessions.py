"""Sessions: which client is connected, where the protocol has sessions, and how it is notified of changes."""

from collections import OrderedDict
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

_HEADER = "mcp-session-id"
_ONLY = "stdio"
_PATIENCE = 1.0

MOST = 1_000
"""Sessions that are known at once; of those, the one that has been quiet the longest goes first."""


class Sessions:
    """The clients that keep a session."""

    def __init__(self) -> None:
        """Know none yet."""
        self._known: OrderedDict[str, ServerSession] = OrderedDict()

    def key_of(self, request: ServerRequestContext[Any, Any]) -> str | None:
        """Return the key of a request's session, or None in the stateless era."""
        if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return None
        headers = getattr(request.request, "headers", None)
        key = _ONLY if headers is None else str(headers.get(_HEADER, ""))
        self._known[key] = request.session
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return key

    async def notify_all(self) -> None:
        """Notify all sessions that the list of tools has changed; those that are gone are forgotten over time."""
        for session in list(self._known.values()):
            # A client that has gone, or reads nothing, keeps no other from hearing it.
            with anyio.move_on_after(_PATIENCE), suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await session.send_notification(types.ToolListChangedNotification())
