"""Describes in words what a keyword of JSON Schema requires."""

from typing import Any

from toolkit.json_texts import as_plain, json_text

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
_FLAGS = {"uniqueItems": "unique items", "deprecated": "deprecated", "nullable": "may be null"}


def words_for(key: str, value: Any) -> str:
    """Return what a keyword requires, such as `at least 3 characters`; JSON if there are no words for it."""
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


def as_json(value: Any) -> str:
    """Return a value as JSON text on one line."""
    return json_text(value, default=as_plain)
