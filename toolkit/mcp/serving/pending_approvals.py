"""Calls of the stateless era that wait for an answer, each under a token that is good for one repetition.

The token is sealed by the SDK: nobody else can make one, it is bound to the tool and the arguments of the call, and it
expires. Here it leads to the call that waits, once.
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
"""Calls that may wait at once; what comes then is refused."""


class _Parked(NamedTuple):
    call: Call
    fingerprint: str
    expiry: asyncio.TimerHandle


class PendingApprovals:
    """The calls that wait for an answer."""

    def __init__(self, expires_after: float) -> None:
        """Keep how many seconds a call waits."""
        self._expires_after = expires_after
        self._parked: dict[str, _Parked] = {}

    @property
    def is_full(self) -> bool:
        """Whether no more calls can wait."""
        return len(self._parked) >= MOST_PARKED

    def park(self, call: Call) -> types.InputRequiredResult:
        """Let a call wait, and return the answer that asks its client to come back."""
        token = secrets.token_urlsafe(24)
        expiry = asyncio.get_running_loop().call_later(self._expires_after, self._expire, token)
        self._parked[token] = _Parked(call, fingerprint(call.tool.name, call.arguments), expiry)
        questions: types.InputRequests = {name: question.request for name, question in call.questions.items()}
        return types.InputRequiredResult(input_requests=questions, request_state=token)

    def take(self, token: str, name: str, arguments: Mapping[str, Any]) -> Call:
        """Return the call that waits under a token; it can be taken once, and for the very same tool and arguments.

        Raises:
            MCPError: If there is none, or it is another call.
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
        """End all calls that wait."""
        for token in list(self._parked):
            self._expire(token)

    def _expire(self, token: str) -> None:
        if (parked := self._parked.pop(token, None)) is not None:
            parked.expiry.cancel()
            parked.call.cancel()


def _refusal() -> MCPError:
    """Return the error that the SDK answers a bad token with, so that nothing is learned from which one it is."""
    data = {"reason": "invalid_request_state"}
    return MCPError(code=types.INVALID_PARAMS, message="Invalid or expired requestState", data=data)
