"""Session histories: which tools the client of each session has called, for rules about what a run has read."""

from collections import OrderedDict
from typing import Final

from toolkit.approvals.flows import CallHistory

_MOST: Final = 10_000
"""Sessions whose history is kept; far more than can be open at once, so that those which go have ended."""


class SessionHistories:
    """The call histories of a server: one for each session, and one for all requests that belong to none."""

    def __init__(self) -> None:
        self._of_sessions: OrderedDict[str, CallHistory] = OrderedDict()
        self._without_session = CallHistory()

    def of(self, session: str | None) -> CallHistory:
        """Return the history of a session; without one, all clients count as the same one."""
        if session is None:
            return self._without_session
        history = self._of_sessions.setdefault(session, CallHistory())
        self._of_sessions.move_to_end(session)
        if len(self._of_sessions) > _MOST:
            self._of_sessions.popitem(last=False)
        return history
