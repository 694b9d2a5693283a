"""Python's operators, restricted to JSON data and with bounded results."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from toolkit.pipelines.expressions.json_values import (
    MAX_BITS,
    Unfit,
    check_count,
    check_length,
    checked_key,
    checked_number,
    kind_of,
)

FORMATTING_HINT = "use text with ${{ }} in it, or join text with +"


def _is_number(value: Any) -> bool:
    """Return whether a value is a number; true and false count as 1 and 0, as in Python."""
    return isinstance(value, (int, float))


def _numbers(verb: str, left: Any, right: Any) -> None:
    if not (_is_number(left) and _is_number(right)):
        raise Unfit(f"cannot {verb} {kind_of(left)} and {kind_of(right)}", hint=_hint_for(left, right))


def _hint_for(left: Any, right: Any) -> str | None:
    if (isinstance(left, str) and _is_number(right)) or (_is_number(left) and isinstance(right, str)):
        return "int(…) or float(…) converts text to a number"
    return None


def add(left: Any, right: Any) -> Any:
    """Add numbers, or concatenate strings or lists."""
    if _is_number(left) and _is_number(right):
        return checked_number(left + right)
    if isinstance(left, str) and isinstance(right, str):
        check_length(len(left) + len(right))
        return left + right
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        check_count(len(left) + len(right))
        return [*left, *right]
    hint = "str(…) converts a value to text" if isinstance(left, str) or isinstance(right, str) else None
    raise Unfit(f"cannot add {kind_of(left)} and {kind_of(right)}", hint=hint)


def multiply(left: Any, right: Any) -> Any:
    """Multiply numbers, or repeat a string or list."""
    if isinstance(right, (str, list, tuple)):
        left, right = right, left
    if isinstance(left, str) and isinstance(right, int):
        check_length(len(left) * right)
        return left * right
    if isinstance(left, (list, tuple)) and isinstance(right, int):
        check_count(len(left) * right)
        return [*left] * right
    _numbers("multiply", left, right)
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > MAX_BITS + 1:
        raise Unfit("the number is too large")
    return checked_number(left * right)


def raise_to_power(left: Any, right: Any) -> Any:
    """Raise a number to a power."""
    _numbers("raise to a power", left, right)
    if isinstance(left, int) and isinstance(right, int) and abs(left) > 1 and left.bit_length() * right > 2 * MAX_BITS:
        raise Unfit("the number is too large")
    return checked_number(left**right)


def _arithmetic(verb: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        _numbers(verb, left, right)
        return checked_number(compute(left, right))

    return apply


def take_remainder(left: Any, right: Any) -> Any:
    """Return the remainder of a division. Unlike in Python, `%` does not format strings."""
    if isinstance(left, str):
        raise Unfit("'%' cannot format text", hint=FORMATTING_HINT)
    _numbers("take the remainder of", left, right)
    return checked_number(left % right)


def _order(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def apply(left: Any, right: Any) -> bool:
        if not ((_is_number(left) and _is_number(right)) or (isinstance(left, str) and isinstance(right, str))):
            raise Unfit(f"cannot compare {kind_of(left)} with {kind_of(right)}", hint=_hint_for(left, right))
        return compare(left, right)

    return apply


def contains(item: Any, container: Any) -> bool:
    """Return whether a list contains an item, a mapping a key, or a string another string."""
    if isinstance(container, str):
        if not isinstance(item, str):
            raise Unfit(f"text cannot contain {kind_of(item)}", hint="str(…) converts it to text")
        return item in container
    if isinstance(container, Mapping):
        return checked_key(item) in container
    if isinstance(container, (list, tuple)):
        return item in container
    raise Unfit(f"cannot look for an item in {kind_of(container)}")


def _signed(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        if not _is_number(value):
            raise Unfit(f"{kind_of(value)} has no sign")
        return compute(value)

    return apply


OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: add,
    ast.Sub: _arithmetic("subtract", operator.sub),
    ast.Mult: multiply,
    ast.Div: _arithmetic("divide", operator.truediv),
    ast.FloorDiv: _arithmetic("divide", operator.floordiv),
    ast.Mod: take_remainder,
    ast.Pow: raise_to_power,
    ast.USub: _signed(operator.neg),
    ast.UAdd: _signed(operator.pos),
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: _order(operator.lt),
    ast.LtE: _order(operator.le),
    ast.Gt: _order(operator.gt),
    ast.GtE: _order(operator.ge),
    ast.In: contains,
    ast.NotIn: lambda item, container: not contains(item, container),
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
