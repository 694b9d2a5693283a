"""Argument types: what a function accepts as a text, a list or a number, and its message for anything else."""

from typing import Any

from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.json_values import checked_number, kind_of


def text_in(value: Any, function: str) -> str:
    """Return an argument that has to be a text."""
    if isinstance(value, str):
        return value
    raise Unfit(f"{function} takes a text, not {kind_of(value)}", hint="str(…) makes a text of it")


def list_in(value: Any, function: str) -> list[Any]:
    """Return an argument that has to be a list."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    hint = {
        "a text": "split(…) and lines(…) make a list of a text",
        "a mapping": "keys(…) and values(…) make a list of a mapping",
    }
    kind = kind_of(value)
    raise Unfit(f"{function} takes a list, not {kind}", hint=hint.get(kind))


def number_in(value: Any, function: str) -> Any:
    """Return an argument that has to be a number."""
    if isinstance(value, (int, float)):
        return checked_number(value)
    raise Unfit(f"{function} takes a number, not {kind_of(value)}")


def comparable(items: list[Any], function: str) -> list[Any]:
    """Return the items if each can be compared with each: all numbers, or all texts."""
    if all(isinstance(item, (int, float)) for item in items) or all(isinstance(item, str) for item in items):
        return items
    odd = [kind_of(item) for item in items if not isinstance(item, (int, float, str))]
    if odd:
        raise Unfit(f"{function} compares numbers, or texts, and there is {odd[0]} among them")
    raise Unfit(f"{function} compares numbers, or texts, and not both", hint="str(…) makes a text of a number")
