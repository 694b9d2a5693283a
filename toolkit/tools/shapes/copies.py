"""Copies arguments of type `Any`, so that a tool can change them, and rejects numbers that JSON cannot represent."""

from math import isfinite
from typing import Any

from toolkit.freezing import FrozenDict, FrozenList
from toolkit.json_texts import WrittenNumber


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
    from pydantic_core import PydanticCustomError

    kind: Any = NOT_COPIED
    return PydanticCustomError(kind, message)


NOT_COPIED = "not_copied"
"""The `type` of these errors in pydantic's error details."""
