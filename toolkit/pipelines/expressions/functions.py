"""The table of all functions that expressions can call.

Each takes and returns plain JSON data, and raises an error instead of creating a value that is too large.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from toolkit.pipelines.expressions import arithmetic, collecting, conversions, texts

Cost = Literal["constant", "reads", "makes", "walks", "searches"]
"""How the work of a call grows, so that calls in a comprehension can be counted against the budget.

The work is constant, or the call reads a string, makes a string or list, walks through all nested values of its
arguments and result, or searches its first argument for its second.
"""

TAKES_MANY = 0x04


class Function(NamedTuple):
    """One function of the table.

    Attributes:
        call: The implementation.
        parameters: The names of its parameters, in order.
        required: The number of required parameters.
        many: Whether any number of further arguments can follow (`min`, `max`).
        cost: How its work grows with its arguments.
    """

    call: Callable[..., Any]
    parameters: tuple[str, ...]
    required: int
    many: bool
    cost: Cost


def _function(call: Callable[..., Any], cost: Cost) -> Function:
    code = call.__code__
    parameters = code.co_varnames[: code.co_argcount]
    required = len(parameters) - len(call.__defaults__ or ())
    return Function(call, parameters, required, bool(code.co_flags & TAKES_MANY), cost)


FUNCTIONS: dict[str, Function] = {
    "str": _function(conversions.as_text, "walks"),
    "int": _function(conversions.as_integer, "makes"),
    "float": _function(conversions.as_number, "makes"),
    "bool": _function(conversions.as_truth, "constant"),
    "json": _function(conversions.as_json, "walks"),
    "parse_json": _function(conversions.parse_json, "walks"),
    "abs": _function(arithmetic.absolute, "constant"),
    "round": _function(arithmetic.rounded, "constant"),
    "sum": _function(arithmetic.total, "makes"),
    "min": _function(arithmetic.least, "walks"),
    "max": _function(arithmetic.greatest, "walks"),
    "lower": _function(texts.lowered, "makes"),
    "upper": _function(texts.uppered, "makes"),
    "strip": _function(texts.stripped, "makes"),
    "replace": _function(texts.replaced, "makes"),
    "split": _function(texts.split, "makes"),
    "lines": _function(texts.lines, "makes"),
    "join": _function(texts.joined, "makes"),
    "startswith": _function(texts.starts_with, "reads"),
    "endswith": _function(texts.ends_with, "reads"),
    "len": _function(collecting.length, "constant"),
    "any": _function(collecting.any_of, "makes"),
    "all": _function(collecting.all_of, "makes"),
    "sorted": _function(collecting.sorted_items, "walks"),
    "unique": _function(collecting.unique, "walks"),
    "first": _function(collecting.first, "constant"),
    "last": _function(collecting.last, "constant"),
    "keys": _function(collecting.keys, "makes"),
    "values": _function(collecting.values_of, "makes"),
    "get": _function(collecting.get, "constant"),
    "contains": _function(collecting.contains, "searches"),
    "default": _function(collecting.default, "constant"),
    "now": _function(texts.now, "constant"),
}
"""The functions by name."""
