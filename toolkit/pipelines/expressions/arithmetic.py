"""Functions on numbers."""

from collections.abc import Callable
from typing import Any

from toolkit.pipelines.expressions.argument_types import comparable, list_in, number_in
from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.json_values import checked_number, kind_of
from toolkit.pipelines.expressions.operators import add

MAX_ROUNDING = 1_000


def absolute(number: Any) -> Any:
    """Return the absolute value of a number."""
    return abs(number_in(number, "abs"))


def rounded(number: Any, digits: Any = None) -> Any:
    """Return a number rounded as in Python: halves go to the even neighbour; without `digits`, to an integer."""
    number_in(number, "round")
    if digits is not None and (not isinstance(digits, int) or abs(digits) > MAX_ROUNDING):
        raise Unfit(f"round takes a number of digits up to {MAX_ROUNDING}, not {kind_of(digits)}")
    return checked_number(round(number, digits))


def total(items: Any) -> Any:
    """Return the sum of a list of numbers."""
    total: Any = 0
    for item in list_in(items, "sum"):
        total = add(total, number_in(item, "sum"))
    return total


def _extreme(function: str, choose: Callable[[list[Any]], Any], first: Any, others: tuple[Any, ...]) -> Any:
    items = [first, *others] if others else list_in(first, function)
    if not items:
        raise Unfit(f"{function} of an empty list", hint=f"use a default, such as {function}(x) if x else 0")
    return choose(comparable(items, function))


def least(items: Any, *others: Any) -> Any:
    """Return the smallest item of a list, or of several arguments: all numbers or all strings."""
    return _extreme("min", min, items, others)


def greatest(items: Any, *others: Any) -> Any:
    """Return the largest item of a list, or of several arguments: all numbers or all strings."""
    return _extreme("max", max, items, others)
