"""The messages for syntax that expressions do not allow, with hints what to write instead."""

import ast

from toolkit.pipelines.expressions.functions import FUNCTIONS
from toolkit.pipelines.expressions.operators import FORMATTING_HINT

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
