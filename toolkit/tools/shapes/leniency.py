"""Adapts pydantic's validation rules to arguments that are written by a model.

A number may be a string: digits with a sign, a decimal point or an exponent, such as `"5"` or `"1e3"`, but no
underscores. A whole number may be written as `5.0`, but a boolean must be `true` or `false`, never a number. NaN and
infinity, which JSON does not have, are rejected unless a type allows them with `allow_inf_nan=True`.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from pydantic_core import PydanticCustomError, PydanticKnownError

from toolkit.freezing import FrozenDict, FrozenList
from toolkit.json_texts import WrittenNumber
from toolkit.tools.calls.json_data import bytes_of


def mutable_copy(value: Any) -> Any:
    """Return a mutable copy of plain data; any other object is returned as it is.

    Raises:
        PydanticCustomError: If the data contains NaN, an infinite number or itself.
    """
    try:
        return _copy(value)
    except RecursionError:
        raise _error("must not contain itself or be nested so deeply") from None


def finite(value: complex) -> complex:
    """Return a number if it is finite.

    Raises:
        PydanticCustomError: If the number, or one of its parts, is NaN or infinite.
    """
    if isfinite(value.real) and isfinite(value.imag):
        return value
    raise _error("must be a finite number")


def _copy(value: Any) -> Any:
    match value:
        case float() if not isfinite(value):
            raise _error("must contain only finite numbers")
        case WrittenNumber():
            return float(value)
        case dict() if type(value) in (dict, FrozenDict):
            return {key: _copy(one) for key, one in value.items()}
        case list() if type(value) in (list, FrozenList):
            return [_copy(one) for one in value]
        case tuple() | set() if type(value) in (tuple, set):
            return type(value)(_copy(one) for one in value)
    return value


def _error(message: Any) -> Exception:
    kind: Any = NOT_COPIED
    return PydanticCustomError(kind, message)


NOT_COPIED = "not_copied"
"""The `type` of these errors in pydantic's error details."""


_OPAQUE = {"default", "metadata", "expected", "members", "serialization", "cls", "config"}

_NUMERAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_NOT_FINITE = r"(?i:[+-]?(inf|infinity|nan))"
_FROM_TEXT = {"type": "str", "strict": True, "strip_whitespace": True, "pattern": f"^(?:{_NUMERAL}|{_NOT_FINITE})$"}


def _by(function: Callable[[Any], Any]) -> dict[str, Any]:
    return {"type": "function-plain", "function": {"type": "no-info", "function": function}}


def _integer_of(value: float) -> int:
    """Convert a float without a fraction; pydantic itself does not convert one that exceeds 64 bits."""
    if not value.is_integer():
        raise ValueError
    return int(value)


_WHOLE_NUMBER = {
    "type": "union",
    "mode": "left_to_right",
    "choices": [
        {"type": "int", "strict": True},
        {"type": "chain", "steps": [{"type": "float", "strict": True}, _by(_integer_of)]},
        {"type": "chain", "steps": [_FROM_TEXT, {"type": "int"}]},
        {"type": "chain", "steps": [_FROM_TEXT, {"type": "float"}, _by(_integer_of)]},
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


class _Rules(NamedTuple):
    """The rules for a part of a schema; the author of a type can override them in its configuration.

    Attributes:
        lenient: Whether a number may be a string.
        finite: Whether NaN and infinity are rejected.
        open: Whether an object may have members that it does not declare.
        base64: Whether a string for bytes is decoded as base64.
    """

    lenient: bool = True
    finite: bool = True
    open: bool = False
    base64: bool = True

    def within(self, config: Mapping[str, Any] | None) -> "_Rules":
        """Return the rules inside a part that has its own configuration."""
        if config is None:
            return self
        return _Rules(
            lenient=self.lenient and not config.get("strict"),
            finite=not config.get("allow_inf_nan"),
            open=config.get("extra_fields_behavior") == "allow",
            base64="val_json_bytes" not in config,
        )


def with_our_rules(schema: Any) -> Any:
    """Return a copy of a pydantic-core schema with our rules for numbers, booleans, bytes and data of any type."""
    return _with_rules(schema, _Rules())


def _with_rules(schema: Any, rules: _Rules) -> Any:
    if isinstance(schema, list | tuple):
        return type(schema)(_with_rules(item, rules) for item in schema)
    if not isinstance(schema, Mapping):
        return schema
    if not isinstance(schema.get("type"), str):  # the fields of an object, which may have names like `type`
        return {name: _with_rules(part, rules) for name, part in schema.items()}
    rules = rules.within(schema.get("config"))
    copy = {key: value if key in _OPAQUE else _with_rules(value, rules) for key, value in schema.items()}
    copy = _with_finite_numbers(copy) if rules.finite else copy
    copy = _with_copied_data(copy, rules)
    if schema["type"] == "bytes" and rules.base64:
        return _after(_BASE64, copy)
    if _decodes_itself(schema):
        copy["schema"] = schema["schema"]
    if not rules.lenient:
        return copy
    return _with_fast_path(copy) if schema["type"] == "list" else _leniently(copy)


def _with_finite_numbers(copy: dict[str, Any]) -> dict[str, Any]:
    match copy.get("type"):
        case "float":
            return {"allow_inf_nan": False, **copy}
        case "complex":
            return _after(copy, _FINITE)
    return copy


def _with_copied_data(copy: dict[str, Any], rules: _Rules) -> dict[str, Any]:
    """Return a schema that checks and copies data of any type, so that the call can change it."""
    kind = copy.get("type")
    if kind == "any":
        return {**copy, **_COPIED}
    if kind in _ITEMS:
        return {_ITEMS[kind]: _COPIED, **copy}
    if kind in _OBJECTS and (copy.get("extra_behavior") or ("allow" if rules.open else None)) == "allow":
        return {"extras_schema": _COPIED, **copy}
    return copy


def _leniently(copy: dict[str, Any]) -> dict[str, Any]:
    match copy.get("type"):
        case "literal" if _has_numbers(copy["expected"]):
            return _after(_NO_BOOLEAN, copy)
        case "enum" if _has_numbers([member.value for member in copy["members"]]):
            return _after(_NO_BOOLEAN, copy)
        case "bool":
            copy["strict"] = True
        case "str" if not copy.get("strict"):
            copy["coerce_numbers_to_str"] = True
        case "int" if not copy.get("strict"):
            return _after(_WHOLE_NUMBER, {**copy, "strict": True})
        case "float" if not copy.get("strict"):
            return _after(_NUMBER, {**copy, "strict": True})
        case "decimal" if not copy.get("strict"):
            return _after(_NO_UNDERSCORES, copy)
    return copy


def _with_fast_path(copy: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list with a fast path for lists whose items all have exactly the declared number type."""
    number = _strict_number(copy.get("items_schema"))
    if number is None:
        return copy
    plain = {**copy, "items_schema": number}
    outer: dict[str, Any] = {key: plain.pop(key) for key in _OUTER if key in copy}
    for key in outer:
        del copy[key]
    return {"type": "union", "mode": "left_to_right", "choices": [(plain, FAST_PATH), copy], **outer}


def _strict_number(items: Any) -> dict[str, Any] | None:
    """Return the strict part of the schema of a lenient number, or `None` for any other schema."""
    if not isinstance(items, dict) or items.get("type") != "chain" or items["steps"][0] not in (_WHOLE_NUMBER, _NUMBER):
        return None
    number: dict[str, Any] = items["steps"][1]
    return number


FAST_PATH = "fast path"
"""Marks errors that only say why a list did not match the fast path."""


def _has_numbers(choices: list[Any]) -> bool:
    """Return whether the choices include numbers but no booleans, so that `true` would match 1 in Python."""
    if any(isinstance(choice, bool) for choice in choices):
        return False
    return any(isinstance(choice, int | float) for choice in choices)


def _refuse_boolean(value: Any) -> Any:
    if not isinstance(value, bool):
        return value
    kind, message = "listed", "must be one of the listed values"
    raise PydanticCustomError(kind, message)


def _refuse_other_numerals(value: Any) -> Any:
    """Refuse what Python accepts as a number but JSON and other languages do not: underscores, digits of any script."""
    if not isinstance(value, str) or (value.isascii() and "_" not in value):
        return value
    raise PydanticKnownError("decimal_parsing")


def _decodes_itself(schema: Mapping[str, Any]) -> bool:
    """Return whether this is one of pydantic's own types for encoded bytes, such as `Base64Bytes`."""
    if schema["type"] != "function-after" or schema["schema"].get("type") != "bytes":
        return False
    decoder = getattr(schema["function"]["function"], "__self__", None)
    return type(decoder).__name__ == "EncodedBytes"


_BASE64 = _by(bytes_of)
_NO_BOOLEAN = _by(_refuse_boolean)
_NO_UNDERSCORES = _by(_refuse_other_numerals)
_COPIED = _by(mutable_copy)
_FINITE = _by(finite)
_ITEMS = dict.fromkeys(("list", "set", "frozenset"), "items_schema") | {"dict": "values_schema"}
_OBJECTS = {"typed-dict", "model-fields"}


_OUTER = ("ref", "metadata", "serialization")


def _after(first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that applies `first` and then `then`; references and metadata stay on the outside."""
    outer: dict[str, Any] = {key: then.pop(key) for key in _OUTER if key in then}
    return {"type": "chain", "steps": [first, then], **outer}
