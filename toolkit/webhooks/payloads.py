"""The JSON that a webhook receives for a question; known secrets are masked."""

from typing import Any, Final

from toolkit.approvals.requests import ReviewRequest

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


def answers_to(request: ReviewRequest) -> list[str]:
    """Return the decisions that an answer to a question can have."""
    if request.answer_is_text:
        return ["answer", "reject", "stop"]
    return ["approve", *(["edit"] if request.editable else []), "reject", "stop"]


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
