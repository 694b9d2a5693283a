"""The sessions of connected clients, and how they are notified of changes."""

from collections import OrderedDict
from contextlib import suppress
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.approvals.flow_histories import CallHistory

_HEADER = "mcp-session-id"
_ONLY = "stdio"
_PATIENCE = 1.0

MOST = 1_000
"""Maximum number of known sessions; the least recently active one is dropped first."""


class Sessions:
    """The known sessions of clients."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, ServerSession] = OrderedDict()

    def key_of(self, request: ServerRequestContext[Any, Any]) -> str | None:
        """Return the key of a request's session, or `None` in the stateless era."""
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
        """Notify all sessions that the tool list has changed."""
        for session in list(self._known.values()):
            # A client that is gone, or does not read, must not keep the others from being notified.
            with anyio.move_on_after(_PATIENCE), suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await session.send_notification(types.ToolListChangedNotification())


_MOST: Final = 10_000
"""Maximum number of histories; far more than sessions can be open, so only those of ended sessions are dropped."""


class SessionHistories:
    """The call histories of a server: one per session, and one for all requests without a session."""

    def __init__(self) -> None:
        self._of_sessions: OrderedDict[str, CallHistory] = OrderedDict()
        self._without_session = CallHistory()

    def of(self, session: str | None) -> CallHistory:
        """Return the history of a session; all requests without a session share one."""
        if session is None:
            return self._without_session
        history = self._of_sessions.setdefault(session, CallHistory())
        self._of_sessions.move_to_end(session)
        if len(self._of_sessions) > _MOST:
            self._of_sessions.popitem(last=False)
        return history
