"""Sign webhook messages, and verify them, with a timestamp and an HMAC of a shared secret."""

import hmac
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Final, Literal

Kind = Literal["review", "poll", "answer"]
"""The kind of a message. A signature is valid for one kind only, so our own messages cannot be replayed as answers."""

TIMESTAMP: Final = "toolkit-timestamp"
SIGNATURE: Final = "toolkit-signature"
TOLERANCE: Final = 300
"""Maximum age of a message in seconds, which is also how far the clocks of both machines may differ."""

_LONGEST = 200


def signed(secret: str, kind: Kind, body: bytes, now: float | None = None) -> dict[str, str]:
    """Return the two headers that sign a message.

    Args:
        secret: The shared secret.
        kind: The kind of the message.
        body: The bytes of the message; for a poll, the id of the question.
        now: Time in seconds since 1970; the current time by default.
    """
    timestamp = str(int(time.time() if now is None else now))
    return {TIMESTAMP: timestamp, SIGNATURE: _digest(secret, kind, timestamp, body)}


def fault_of(secret: str, kind: Kind, headers: Mapping[str, str], body: bytes, now: float | None = None) -> str | None:
    """Return why the signature of a message is not valid, or `None` if it is.

    Args:
        secret: The shared secret.
        kind: The expected kind of the message.
        headers: Its headers, with names in lower case.
        body: Its bytes, exactly as received.
        now: Time in seconds since 1970; the current time by default.
    """
    timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not timestamp or not signature:
        return "it is not signed"
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) + len(signature) < _LONGEST):
        return "its signature is malformed"
    if not hmac.compare_digest(signature.encode(), _digest(secret, kind, timestamp, body).encode()):
        return "its signature is wrong"
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        return f"it was signed more than {TOLERANCE} seconds ago, or by a clock that is wrong"
    return None


def _digest(secret: str, kind: Kind, timestamp: str, body: bytes) -> str:
    message = b"\n".join([kind.encode(), timestamp.encode(), body])
    return f"v1={hmac.new(secret.encode(), message, sha256).hexdigest()}"
