"""Copies: what a tool is given of any type is a copy of its own, without numbers that JSON does not have."""

from math import isfinite
from typing import Any

from toolkit.freezing import FrozenDict, FrozenList
from toolkit.json_texts import WrittenNumber


def owned(value: Any) -> Any:
    """Return plain data as a copy, which its owner may change, and any other object as it is.

    Raises:
        PydanticCustomError: If there is NaN or an infinite number in it, or it contains itself.
    """
    try:
        return _owned(value)
    except RecursionError:
        raise _refusal("must not contain itself, or be nested so deeply") from None


def finite(value: complex) -> complex:
    """Return a number, unless it, or a part of it, is NaN or infinite.

    Raises:
        PydanticCustomError: If it is.
    """
    if isfinite(value.real) and isfinite(value.imag):
        return value
    raise _refusal("must be a finite number")


def _owned(value: Any) -> Any:
    match value:
        case float() if not isfinite(value):
            raise _refusal("must be a finite number, and so must all numbers in it")
        case WrittenNumber():
            return float(value)
        case dict() if type(value) in (dict, FrozenDict):
            return {key: _owned(one) for key, one in value.items()}
        case list() if type(value) in (list, FrozenList):
            return [_owned(one) for one in value]
        case tuple() | set() if type(value) in (tuple, set):
            return type(value)(_owned(one) for one in value)
    return value


def _refusal(message: Any) -> Exception:
    from pydantic_core import PydanticCustomError

    kind: Any = NOT_OWNED
    return PydanticCustomError(kind, message)


NOT_OWNED = "not_owned"
"""The type of the error that pydantic reports."""
