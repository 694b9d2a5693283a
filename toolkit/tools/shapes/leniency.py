"""Leniency: our rules over pydantic's own, since it is a model that writes the arguments.

Numbers may come as text and a whole number may be written `5.0`, but a boolean is `true` or `false` and no number.
"""

from collections.abc import Mapping
from typing import Any

_OPAQUE = {"default", "metadata", "expected", "members", "serialization", "cls", "config"}

_FROM_TEXT = {"type": "str", "strict": True, "strip_whitespace": True}

_WHOLE_NUMBER = {
    "type": "union",
    "mode": "left_to_right",
    "choices": [
        {"type": "int", "strict": True},
        {"type": "chain", "steps": [{"type": "float", "strict": True}, {"type": "int"}]},
        {"type": "chain", "steps": [_FROM_TEXT, {"type": "int"}]},
    ],
    "custom_error_type": "whole_number",
    "custom_error_message": "must be a whole number",
}

_NUMBER = {
    "type": "union",
    "mode": "left_to_right",
    "choices": [
        {"type": "float", "strict": True},
        {"type": "chain", "steps": [_FROM_TEXT, {"type": "float"}]},
    ],
    "custom_error_type": "number",
    "custom_error_message": "must be a number",
}


def with_our_rules(schema: Any) -> Any:
    """Return a copy of a pydantic-core schema in which numbers and booleans are read as we want."""
    if isinstance(schema, list | tuple):
        return type(schema)(with_our_rules(item) for item in schema)
    if not isinstance(schema, Mapping) or schema.get("config", {}).get("strict"):
        return schema  # no schema, or one whose author wants pydantic's strict rules
    copy = {key: value if key in _OPAQUE else with_our_rules(value) for key, value in schema.items()}
    match copy.get("type"):
        case "literal" if _knows_numbers(copy["expected"]):
            return _after(_NO_BOOLEAN, copy)
        case "enum" if _knows_numbers([member.value for member in copy["members"]]):
            return _after(_NO_BOOLEAN, copy)
        case "bool":
            copy["strict"] = True
        case "str" if not copy.get("strict"):
            copy["coerce_numbers_to_str"] = True
        case "int" if not copy.get("strict"):
            return _after(_WHOLE_NUMBER, {**copy, "strict": True})
        case "float" if not copy.get("strict"):
            return _after(_NUMBER, {**copy, "strict": True})
    return copy


def _knows_numbers(choices: list[Any]) -> bool:
    """Return whether there are numbers among the choices that `true` could be taken for, since to Python it is 1."""
    if any(isinstance(choice, bool) for choice in choices):
        return False
    return any(isinstance(choice, int | float) for choice in choices)


def _refuse_boolean(value: Any) -> Any:
    if not isinstance(value, bool):
        return value
    from pydantic_core import PydanticCustomError

    kind, message = "listed", "must be one of the values listed"
    raise PydanticCustomError(kind, message)


_NO_BOOLEAN = {"type": "function-plain", "function": {"type": "no-info", "function": _refuse_boolean}}


def _after(first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that reads by one and bounds by the other; a reference stays on the outside."""
    outer: dict[str, Any] = {key: then.pop(key) for key in ("ref", "metadata", "serialization") if key in then}
    return {"type": "chain", "steps": [first, then], **outer}
