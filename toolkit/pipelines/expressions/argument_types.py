"""Checks the types of a function's arguments and raises an error with a helpful message for a wrong type."""

from typing import Any

from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.json_values import checked_number, kind_of


def text_in(value: Any, function: str) -> str:
    """Return an argument that must be a string."""
    if isinstance(value, str):
        return value
    raise Unfit(f"{function} takes text, not {kind_of(value)}", hint="str(…) converts it to text")


def list_in(value: Any, function: str) -> list[Any]:
    """Return an argument that must be a list."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    hint = {
        "text": "split(…) and lines(…) turn text into a list",
        "a mapping": "keys(…) and values(…) turn a mapping into a list",
    }
    kind = kind_of(value)
    raise Unfit(f"{function} takes a list, not {kind}", hint=hint.get(kind))


def number_in(value: Any, function: str) -> Any:
    """Return an argument that must be a number."""
    if isinstance(value, (int, float)):
        return checked_number(value)
    raise Unfit(f"{function} takes a number, not {kind_of(value)}")


def comparable(items: list[Any], function: str) -> list[Any]:
    """Return the items if all of them can be compared with each other: they must all be numbers or all be strings."""
    if all(isinstance(item, (int, float)) for item in items) or all(isinstance(item, str) for item in items):
        return items
    odd = [kind_of(item) for item in items if not isinstance(item, (int, float, str))]
    if odd:
        raise Unfit(f"{function} compares only numbers or only text, but one item is {odd[0]}")
    raise Unfit(f"{function} cannot compare numbers with text", hint="str(…) converts a number to text")
