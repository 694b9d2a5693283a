"""Calls of the stateless era that wait for an answer, each with a token that can be used once.

The SDK seals the token, so that it cannot be forged, expires, and is valid only for the same tool and arguments.
"""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolkit.approvals.requests import fingerprint
from toolkit.mcp.serving.calls import Call

MOST_PARKED = 200
"""Maximum number of calls waiting at once; further calls are refused."""


class _Parked(NamedTuple):
    call: Call
    fingerprint: str
    expiry: asyncio.TimerHandle


class PendingApprovals:
    """Calls that wait for an answer."""

    def __init__(self, expires_after: float) -> None:
        """Create an empty collection.

        Args:
            expires_after: Seconds after which a waiting call is cancelled.
        """
        self._expires_after = expires_after
        self._parked: dict[str, _Parked] = {}

    @property
    def is_full(self) -> bool:
        """Whether no further call can be parked."""
        return len(self._parked) >= MOST_PARKED

    def park(self, call: Call) -> types.InputRequiredResult:
        """Park a call, and return the answer that asks the client to repeat it with answers to its questions."""
        token = secrets.token_urlsafe(24)
        expiry = asyncio.get_running_loop().call_later(self._expires_after, self._expire, token)
        self._parked[token] = _Parked(call, fingerprint(call.tool.name, call.arguments), expiry)
        questions: types.InputRequests = {name: question.request for name, question in call.questions.items()}
        return types.InputRequiredResult(input_requests=questions, request_state=token)

    def take(self, token: str, name: str, arguments: Mapping[str, Any]) -> Call:
        """Remove and return the call with a token.

        Raises:
            MCPError: If no call has the token, or its tool or arguments are different.
        """
        parked = self._parked.pop(token, None)
        if parked is None:
            raise _refusal()
        parked.expiry.cancel()
        if parked.fingerprint != fingerprint(name, arguments):
            parked.call.cancel()
            raise _refusal()
        return parked.call

    def close(self) -> None:
        """Cancel all waiting calls."""
        for token in list(self._parked):
            self._expire(token)

    def _expire(self, token: str) -> None:
        if (parked := self._parked.pop(token, None)) is not None:
            parked.expiry.cancel()
            parked.call.cancel()


def _refusal() -> MCPError:
    """Return the SDK's own error for an invalid token, so that clients cannot tell the cases apart."""
    data = {"reason": "invalid_request_state"}
    return MCPError(code=types.INVALID_PARAMS, message="Invalid or expired requestState", data=data)
