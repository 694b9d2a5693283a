"""Converts the responses of HTTP servers to results of calls."""

import json
from http import HTTPStatus
from typing import Any, Final

from toolkit.fetching import Fetched, MediaType, decode_text, looks_binary, read_media_type, status_in_words
from toolkit.json_texts import text_of
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.results import ToolResult

_LONGEST_TEXT: Final = 200
_LONGEST_JSON: Final = 2_000
_PROBLEM: Final = ("title", "detail")
_OF_PROBLEM: Final = frozenset({"type", "status", "instance", *_PROBLEM})
"""The members that RFC 9457 defines, of which people and models need only two."""


def media_type_of(answer: Fetched) -> MediaType:
    """Return the media type that a response declares."""
    return read_media_type(answer.headers.get("content-type", ""))


def text_of_answer(answer: Fetched, redactor: Redactor) -> str | None:
    """Return the text of a response without secrets, or `None` if it is binary data."""
    if looks_binary(answer.body):
        return None
    decoded = decode_text(answer.body, media_type_of(answer).charset, is_cut=answer.is_cut)
    return redactor.text(decoded, is_cut=answer.is_cut)


def data_of_answer(answer: Fetched, text: str | None, redactor: Redactor) -> Any:
    """Return the data of a JSON response without secrets, or `None` for any other response."""
    if text is None or answer.is_cut or not media_type_of(answer).is_json:
        return None
    try:
        return redactor.data(json.loads(text))
    except (ValueError, RecursionError):
        return None


def failure_of_answer(answer: Fetched, redactor: Redactor, advice: str = "") -> ToolResult:
    """Return the failure that a response is: its status and reason, what the server says, and its data.

    Args:
        answer: The response, whose status is not a success.
        redactor: Masks secrets.
        advice: What the caller can do, for the end of the message.
    """
    text = text_of_answer(answer, redactor)
    data = data_of_answer(answer, text, redactor)
    if answer.status < HTTPStatus.BAD_REQUEST and "location" in answer.headers:
        said = f"it redirects to {redactor.text(answer.headers['location'])[:_LONGEST_TEXT]}, which is not followed"
    elif data is None:
        said = _in_short(text or "", _LONGEST_TEXT)
    else:
        said = _in_short(_words_of(data), _LONGEST_JSON)
    message = ": ".join(filter(None, [status_in_words(answer.status), said]))
    return ToolResult("", "; ".join(filter(None, [message, advice])), answer.status, data)


def _words_of(data: Any) -> str:
    """Return what an error in JSON says: problem details (RFC 9457) as a sentence, anything else as it is."""
    if not isinstance(data, dict) or not any(isinstance(data.get(name), str) for name in _PROBLEM):
        return text_of(data)
    more = {name: value for name, value in data.items() if name not in _OF_PROBLEM}
    said = [data[name] for name in _PROBLEM if isinstance(data.get(name), str)]
    return ": ".join(filter(None, said)) + (f" {text_of(more)}" if more else "")


def _in_short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
