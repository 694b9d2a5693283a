"""Signatures: who sent a message of a webhook, and when, as an HMAC with a shared secret proves it."""

import hmac
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Final, Literal

Kind = Literal["review", "poll", "answer"]
"""What a message is. The signature of one kind is not valid for another: no answer repeats what we sent."""

TIMESTAMP: Final = "toolkit-timestamp"
SIGNATURE: Final = "toolkit-signature"
TOLERANCE: Final = 300
"""Seconds by which the clocks of two machines may differ, and for which a message is believed."""

_LONGEST = 200


def signed(secret: str, kind: Kind, body: bytes, now: float | None = None) -> dict[str, str]:
    """Return the two headers that sign a message.

    Args:
        secret: What both sides know.
        kind: What the message is.
        body: Its bytes; of a poll the id of the question.
        now: The time in seconds since 1970; that of the clock by default.
    """
    timestamp = str(int(time.time() if now is None else now))
    return {TIMESTAMP: timestamp, SIGNATURE: _digest(secret, kind, timestamp, body)}


def fault_of(secret: str, kind: Kind, headers: Mapping[str, str], body: bytes, now: float | None = None) -> str | None:
    """Return why a message cannot be trusted, or None if it can.

    Args:
        secret: What both sides know.
        kind: What the message ought to be.
        headers: Its headers, by their names in lower case.
        body: Its bytes, as they came.
        now: The time in seconds since 1970; that of the clock by default.
    """
    timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not timestamp or not signature:
        return "it is not signed"
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) + len(signature) < _LONGEST):
        return "its signature is not one"
    if not hmac.compare_digest(signature.encode(), _digest(secret, kind, timestamp, body).encode()):
        return "its signature is wrong"
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        return f"it was signed more than {TOLERANCE} seconds ago, or by a clock that is wrong"
    return None


def _digest(secret: str, kind: Kind, timestamp: str, body: bytes) -> str:
    message = b"\n".join([kind.encode(), timestamp.encode(), body])
    return f"v1={hmac.new(secret.encode(), message, sha256).hexdigest()}"
