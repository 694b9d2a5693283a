"""Wording: what a keyword of JSON Schema demands, in a few words that a model and a person understand."""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.dialects.parts import Part

_WORDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
    "format": "format: {}",
    "contentEncoding": "encoding: {}",
    "contentMediaType": "media type: {}",
}
_ONE = ("characters", "items", "members")
_FLAGS = {"uniqueItems": "no item twice", "deprecated": "deprecated", "nullable": "may be null"}


def words_for(key: str, value: Any) -> str:
    """Return what a keyword with a value demands: `at least 3 characters`; what has no words is said as JSON."""
    if key in _FLAGS:
        return _FLAGS[key] if value is True else ""
    if key == "default" and value is None:
        return ""
    if key == "enum":
        return f"one of {', '.join(map(as_json, value))}"
    if key == "const":
        return f"always {as_json(value)}"
    if key not in _WORDS:
        return f"{key}: {as_json(value)}"
    text = _WORDS[key].format(value if isinstance(value, str) else as_json(value))
    return text[:-1] if value == 1 and text.endswith(_ONE) else text


def write_words(part: Part) -> None:
    """Write the words that were gathered into a schema's description, behind what it says already."""
    said = str(part.get("description", "")).rstrip()
    more = "; ".join(text for text in dict.fromkeys(part.words) if text and text not in said)
    part.words.clear()
    if more:
        part["description"] = f"{said} ({more})" if said else more


def as_json(value: Any) -> str:
    """Return a value as JSON text on one line."""
    plain = value.plain() if isinstance(value, Part) else value
    return json.dumps(plain, ensure_ascii=False, default=_as_json)


def _as_json(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
