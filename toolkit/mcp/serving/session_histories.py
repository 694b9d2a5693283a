"""The tools that each session has called, for policy rules about what a run has read."""

from collections import OrderedDict
from typing import Final

from toolkit.approvals.flows import CallHistory

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
