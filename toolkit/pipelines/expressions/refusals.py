"""Refusals: what an expression must not contain, in words, and what to write instead."""

import ast

from toolkit.pipelines.expressions.functions import FUNCTIONS
from toolkit.pipelines.expressions.operators import FORMATTING_CURE

NODES = (
    ast.BoolOp, ast.Compare, ast.Dict, ast.IfExp, ast.List, ast.Slice, ast.Tuple,
    ast.And, ast.Or, ast.Load,
)  # fmt: skip
"""The parts of an expression that are allowed with whatever is allowed inside them."""

NOT_ALLOWED = ("this is not allowed in an expression", None)

REFUSED: dict[type[ast.AST], tuple[str, str | None]] = {
    ast.Await: ("'await' is not allowed", None),
    ast.JoinedStr: ("f-strings are not allowed", FORMATTING_CURE),
    ast.Lambda: ("lambdas are not allowed", "a comprehension computes something of each item: [… for x in …]"),
    ast.NamedExpr: ("':=' is not allowed", "a step with 'set:' keeps a value"),
    ast.Set: ("sets are not allowed", "write a list; unique(…) leaves duplicates out"),
    ast.SetComp: ("sets are not allowed", "unique([… for x in …]) leaves duplicates out"),
    ast.Yield: ("'yield' is not allowed", None),
    ast.YieldFrom: ("'yield' is not allowed", None),
    ast.Starred: ("'*' stands only in a list", None),
    ast.BitOr: ("'|' is not allowed", "'or' chooses the first that is true; a filter is a function: len(x)"),
    ast.BitAnd: ("'&' is not allowed", "write 'and'"),
    ast.BitXor: ("'^' is not allowed", "'**' raises to a power"),
    ast.Invert: ("'~' is not allowed", "write 'not'"),
}
"""The message about other parts, and the fix."""

FUNCTIONS_HINT = f"the functions are {', '.join(sorted(FUNCTIONS))}"

METHOD_HINTS = {
    "append": "+ joins lists: x + [item]",
    "capitalize": "upper(x[:1]) + x[1:]",
    "casefold": "lower(x)",
    "count": "len([1 for item in x if item == …]) counts",
    "extend": "+ joins lists",
    "find": "contains(x, …) tells whether it is there",
    "format": FORMATTING_CURE,
    "format_map": FORMATTING_CURE,
    "index": "contains(x, …) tells whether it is there",
    "items": "keys(x) and values(x), or [x[key] for key in x]",
    "lstrip": "strip(x)",
    "rstrip": "strip(x)",
    "sort": "sorted(x)",
    "splitlines": "lines(x)",
    "update": "{**x, 'key': value} is x with another entry",
}
"""What stands for the methods that people miss."""
