"""Payloads: a question as a webhook receives it; no secret that is known stands in it."""

from typing import Any, Final

from toolkit.approvals.requests import ReviewRequest

VERSION: Final = 1

_TEXT: Final = {"type": "string"}
_TEXT_OR_NULL: Final = {"type": ["string", "null"]}
_ROWS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "version": ({"const": VERSION}, "The version of the format."),
    "id": (_TEXT, "The question; the answer repeats it."),
    "call": (_TEXT, "The SHA-256 of the tool and the arguments that are shown; the answer repeats it."),
    "text": (_TEXT, "What is asked."),
    "tool": (_TEXT, "The tool that would run."),
    "source": (_TEXT_OR_NULL, "Where the tool comes from."),
    "risk": ({"type": "array", "items": _TEXT}, "Its marks in words, the gravest first."),
    "arguments": ({"type": "object"}, "The whole arguments; what is shown is what runs."),
    "defaults": ({"type": "object"}, "Defaults of missing arguments."),
    "uses": ({"type": "object", "additionalProperties": _TEXT}, "What the call uses besides, such as a folder."),
    "asked_by": (_TEXT, "The mark, step or rule that wants the question."),
    "place": (_TEXT_OR_NULL, "Where in a run it arises."),
    "preview": (_TEXT_OR_NULL, "What the call would do, such as a diff."),
    "show": ({}, "More to show, as plain data."),
    "answers": ({"type": "array", "items": _TEXT}, "The decisions that an answer may have."),
    "seconds": ({"type": ["number", "null"]}, "How long the question waits for its answer."),
    "callback": (_TEXT_OR_NULL, "Where an answer may be sent to; null where it is fetched."),
}


def payload_of(request: ReviewRequest, identity: str, callback: str | None) -> dict[str, Any]:
    """Return a question as plain data.

    Args:
        request: The question, which has been made without secrets.
        identity: Its unique id.
        callback: Where an answer may be sent to.
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
    """Return the decisions that an answer to a question may have."""
    if request.answer_is_text:
        return ["answer", "reject", "stop"]
    return ["approve", *(["edit"] if request.editable else []), "reject", "stop"]


def review_schema() -> dict[str, Any]:
    """Return the JSON Schema of what a webhook receives."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A question to a webhook",
        "type": "object",
        "properties": {name: {**schema, "description": words} for name, (schema, words) in _ROWS.items()},
        "required": [*_ROWS],
        "additionalProperties": False,
    }
