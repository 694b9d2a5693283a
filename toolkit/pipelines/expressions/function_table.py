"""The functions that expressions can call, the messages for everything else, and the budget of an evaluation."""

import ast
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, assert_never

from toolkit.pipelines.expressions import number_functions, text_functions
from toolkit.pipelines.expressions.json_values import CHARACTERS_PER_UNIT, Unfit, size_of
from toolkit.pipelines.expressions.operators import FORMATTING_HINT

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
    "str": _function(number_functions.as_text, "walks"),
    "int": _function(number_functions.as_integer, "makes"),
    "float": _function(number_functions.as_number, "makes"),
    "bool": _function(number_functions.as_truth, "constant"),
    "json": _function(number_functions.as_json, "walks"),
    "parse_json": _function(number_functions.parse_json, "walks"),
    "abs": _function(number_functions.absolute, "constant"),
    "round": _function(number_functions.rounded, "constant"),
    "sum": _function(number_functions.total, "makes"),
    "min": _function(number_functions.least, "walks"),
    "max": _function(number_functions.greatest, "walks"),
    "lower": _function(text_functions.lowered, "makes"),
    "upper": _function(text_functions.uppered, "makes"),
    "strip": _function(text_functions.stripped, "makes"),
    "replace": _function(text_functions.replaced, "makes"),
    "split": _function(text_functions.split, "makes"),
    "lines": _function(text_functions.lines, "makes"),
    "join": _function(text_functions.joined, "makes"),
    "startswith": _function(text_functions.starts_with, "reads"),
    "endswith": _function(text_functions.ends_with, "reads"),
    "len": _function(text_functions.length, "constant"),
    "any": _function(text_functions.any_of, "makes"),
    "all": _function(text_functions.all_of, "makes"),
    "sorted": _function(text_functions.sorted_items, "walks"),
    "unique": _function(text_functions.unique, "walks"),
    "first": _function(text_functions.first, "constant"),
    "last": _function(text_functions.last, "constant"),
    "keys": _function(text_functions.keys, "makes"),
    "values": _function(text_functions.values_of, "makes"),
    "get": _function(text_functions.get, "constant"),
    "contains": _function(text_functions.contains, "searches"),
    "default": _function(text_functions.default, "constant"),
    "now": _function(text_functions.now, "constant"),
}
"""The functions by name."""


NODES = (
    ast.BoolOp, ast.Compare, ast.Dict, ast.IfExp, ast.List, ast.Slice, ast.Tuple,
    ast.And, ast.Or, ast.Load,
)  # fmt: skip
"""The syntax nodes that need no check of their own, only checks of their children."""

NOT_ALLOWED = ("this is not allowed in an expression", None)

REFUSED: dict[type[ast.AST], tuple[str, str | None]] = {
    ast.Await: ("'await' is not allowed", None),
    ast.JoinedStr: ("f-strings are not allowed", FORMATTING_HINT),
    ast.Lambda: ("lambdas are not allowed", "use a comprehension: [… for x in …]"),
    ast.NamedExpr: ("':=' is not allowed", "use a step with 'set:' to store a value"),
    ast.Set: ("sets are not allowed", "write a list; unique(…) removes duplicates"),
    ast.SetComp: ("sets are not allowed", "unique([… for x in …]) removes duplicates"),
    ast.Yield: ("'yield' is not allowed", None),
    ast.YieldFrom: ("'yield' is not allowed", None),
    ast.Starred: ("'*' is allowed only in a list", None),
    ast.BitOr: ("'|' is not allowed", "write 'or' for the first value that is true, or len(x) instead of x | len"),
    ast.BitAnd: ("'&' is not allowed", "write 'and'"),
    ast.BitXor: ("'^' is not allowed", "write '**' for powers"),
    ast.Invert: ("'~' is not allowed", "write 'not'"),
}
"""The message and hint for each syntax node that is not allowed."""

FUNCTIONS_HINT = f"the functions are {', '.join(sorted(FUNCTIONS))}"

METHOD_HINTS = {
    "append": "use + to join lists: x + [item]",
    "capitalize": "upper(x[:1]) + x[1:]",
    "casefold": "lower(x)",
    "count": "len([1 for item in x if item == …]) counts",
    "extend": "use + to join lists",
    "find": "contains(x, …) returns whether it is there",
    "format": FORMATTING_HINT,
    "format_map": FORMATTING_HINT,
    "index": "contains(x, …) returns whether it is there",
    "items": "keys(x) and values(x), or [x[key] for key in x]",
    "lstrip": "strip(x)",
    "rstrip": "strip(x)",
    "sort": "sorted(x)",
    "splitlines": "lines(x)",
    "update": "{**x, 'key': value} is x with another entry",
}
"""Replacements for methods that people may expect."""


MAX_WORK = 1_000_000
"""Maximum steps of one evaluation: one for each node visited, each item processed and every 16 characters."""

CHARACTERS_READ_PER_UNIT = 256
VALUES_COMPARED_PER_UNIT = 16


class Spender:
    """Counts the steps of an evaluation."""

    work_left = MAX_WORK

    def spend(self, work: int) -> None:
        """Count some steps, and raise an error if the budget is exceeded."""
        self.work_left -= work
        if self.work_left < 0:
            raise Unfit("the expression takes too many steps", hint="use a tool for that much data")

    def spend_on(self, value: Any) -> None:
        """Count the creation of a string, list or mapping."""
        if isinstance(value, str):
            self.spend(len(value) // CHARACTERS_PER_UNIT)
        elif isinstance(value, (list, tuple, Mapping)):
            self.spend(len(value))

    def spend_on_comparing(self, left: Any, right: Any) -> None:
        """Count the comparison `left == right` or `left in right`."""
        if isinstance(left, str) and isinstance(right, str):
            self.spend(max(len(left), len(right)) // CHARACTERS_READ_PER_UNIT)
        elif isinstance(left, (list, tuple, Mapping)):
            self.spend((size_of(left) + size_of(right)) // VALUES_COMPARED_PER_UNIT)
        elif isinstance(right, (list, tuple)):
            each = 1 + len(left) // CHARACTERS_READ_PER_UNIT if isinstance(left, str) else 1
            self.spend(len(right) * each // VALUES_COMPARED_PER_UNIT)

    def spend_on_arguments(self, function: Function, arguments: list[Any]) -> None:
        """Count the work of a function before it is called."""
        match function.cost:
            case "constant":
                pass
            case "reads":
                self.spend(sum(len(one) for one in arguments if isinstance(one, str)) // CHARACTERS_READ_PER_UNIT)
            case "makes":
                for argument in arguments:
                    self.spend_on(argument)
            case "walks":
                self.spend(sum(map(size_of, arguments)))
            case "searches":
                self.spend_on_comparing(arguments[-1], arguments[0])
            case _:
                assert_never(function.cost)
