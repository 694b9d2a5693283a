"""The messages of a webhook: the signed question that it receives, without secrets, and the verified answers."""

import hmac
import json
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Literal

from toolkit.approvals.decisions import ANSWERS, Decision, ReviewRequest, answers_to
from toolkit.json_texts import WrittenNumber

VERSION: Final = 1

_TEXT: Final = {"type": "string"}
_TEXT_OR_NULL: Final = {"type": ["string", "null"]}
_ROWS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "version": ({"const": VERSION}, "Version of the format."),
    "id": (_TEXT, "Id of the question; the answer has to repeat it."),
    "call": (_TEXT, "SHA-256 of the tool and the arguments that are shown; the answer has to repeat it."),
    "text": (_TEXT, "The question."),
    "tool": (_TEXT, "Name of the tool to be called."),
    "source": (_TEXT_OR_NULL, "Where the tool comes from."),
    "risk": ({"type": "array", "items": _TEXT}, "The tool's risk marks in words, most severe first."),
    "arguments": ({"type": "object"}, "All arguments of the call; secrets are masked."),
    "defaults": ({"type": "object"}, "Default values of the arguments that are missing."),
    "uses": ({"type": "object", "additionalProperties": _TEXT}, "What else the call uses, such as a folder."),
    "asked_by": (_TEXT, "The mark, step or rule that requires approval."),
    "place": (_TEXT_OR_NULL, "Where in a run the call is made."),
    "preview": (_TEXT_OR_NULL, "Preview of what the call would do, such as a diff."),
    "show": ({}, "Additional data to show."),
    "answers": ({"type": "array", "items": _TEXT}, "The decisions that the answer can have."),
    "seconds": ({"type": ["number", "null"]}, "Timeout of the question in seconds."),
    "callback": (_TEXT_OR_NULL, "URL to send a later answer to; null if it is polled."),
}


def payload_of(request: ReviewRequest, identity: str, callback: str | None) -> dict[str, Any]:
    """Return a question as plain data.

    Args:
        request: The question, with secrets already masked.
        identity: Its unique id.
        callback: URL to send a later answer to.
    """
    return {
        "version": VERSION,
        "id": identity,
        "call": request.fingerprint,
        "text": request.text,
        "tool": request.risk.tool,
        "source": request.risk.source,
        "risk": list(request.risk.labels),
        "arguments": request.arguments,
        "defaults": request.defaults,
        "uses": request.uses,
        "asked_by": request.asked_by,
        "place": request.place,
        "preview": None if request.preview is None else str(request.preview),
        "show": request.show,
        "answers": answers_to(request),
        "seconds": request.timeout,
        "callback": callback,
    }


def review_schema() -> dict[str, Any]:
    """Return the JSON Schema of the questions that a webhook receives."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A question to a webhook",
        "type": "object",
        "properties": {name: {**schema, "description": words} for name, (schema, words) in _ROWS.items()},
        "required": [*_ROWS],
        "additionalProperties": False,
    }


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


MOST_BYTES: Final = 1024 * 1024


class NoAnswerError(Exception):
    """Raised if a message is not a valid answer to the question. The message says why."""


def read_answer(
    secret: str, headers: Mapping[str, str], body: bytes, identity: str, request: ReviewRequest
) -> Decision:
    """Return the decision in an answer.

    Args:
        secret: The shared secret.
        headers: Headers of the answer, with names in lower case.
        body: Bytes of the answer, exactly as received.
        identity: The id of the question.
        request: The question.

    Raises:
        NoAnswerError: If the answer is unsigned, too old or malformed, or belongs to another question or call.
    """
    if (fault := fault_of(secret, "answer", headers, body)) is not None:
        raise NoAnswerError(fault)
    return decision_in(body, identity, request)


def decision_in(body: bytes, identity: str, request: ReviewRequest) -> Decision:
    """Return the decision in the body of an answer, whose sender is known.

    Args:
        body: The bytes of the answer.
        identity: The id of the question.
        request: The question.

    Raises:
        NoAnswerError: If the answer is malformed, or belongs to another question or call.
    """
    try:
        answer = json.loads(body, parse_float=WrittenNumber)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError("it is not JSON") from error
    if not isinstance(answer, dict):
        raise NoAnswerError("it is not a JSON object")
    if answer.get("id") != identity:
        raise NoAnswerError("it belongs to another question")
    if answer.get("call") != request.fingerprint:
        raise NoAnswerError("it belongs to other arguments")
    if answer.get("decision") not in answers_to(request):
        raise NoAnswerError(f"its decision is not one of {', '.join(answers_to(request))}")
    if not isinstance(answer.get("reason", ""), str):
        raise NoAnswerError("its reason is not a string")
    decision = ANSWERS[answer["decision"]].read(answer)
    if decision is None:
        raise NoAnswerError("it lacks the arguments of an edit, or the text of an answer")
    return decision


def answer_schema() -> dict[str, Any]:
    """Return the JSON Schema of the answers of a webhook."""
    text = {"type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An answer of a webhook",
        "type": "object",
        "properties": {
            "id": {**text, "description": "The id of the question."},
            "call": {**text, "description": "The `call` of the question, unchanged."},
            "decision": {"enum": [*ANSWERS], "description": "The decision."},
            "arguments": {"type": "object", "description": "For `edit`: all arguments, as they should be."},
            "text": {**text, "description": "For `answer`: the text."},
            "reason": {**text, "description": "For `reject` and `stop`: the message that the caller receives."},
        },
        "required": ["id", "call", "decision"],
    }
