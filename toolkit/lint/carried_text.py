"""Finds expressions and variables that contain the text of a parameter, in whole or in part.

Only operations that build text count, such as f-strings, `+` and `Path(…)`; the results of other functions do not.
"""

import ast
from collections.abc import Callable

from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name

Holds = Callable[[ast.expr, "set[str] | frozenset[str]"], bool]
_TEXT_FUNCTIONS = {
    "str",
    "Path",
    "PurePath",
    "join",
    "joinpath",
    "format",
    "expanduser",
    "strip",
    "lstrip",
    "rstrip",
    "lower",
    "upper",
}


def carriers_of(function: PythonFunction, name: str, holds: "Holds | None" = None) -> frozenset[str]:
    """Return a parameter and the variables that contain its text, such as `path = f"/data/{city}.txt"`.

    Args:
        function: The function.
        name: The parameter.
        holds: Returns whether an expression contains the text of a variable; `carries` by default.
    """
    names, holds = {name}, holds or carries
    for node in function.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if holds(value, names):
                names.add(target)
    return frozenset(names)


def carries(node: ast.expr, names: set[str] | frozenset[str]) -> bool:
    """Return whether the text of an expression contains that of one of the variables."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.JoinedStr(values=values):
            return any(carries(value, names) for value in values)
        case ast.FormattedValue(value=value):
            return carries(value, names)
        case ast.BinOp(left=left, right=right):
            return carries(left, names) or carries(right, names)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(carries(part, names) for part in parts)
        case ast.Call(func=func, args=args) if last_name(func) in _TEXT_FUNCTIONS:
            receiver = [func.value] if isinstance(func, ast.Attribute) else []
            return any(carries(part, names) for part in [*args, *receiver])
    return False


def begins_with(node: ast.expr, names: set[str] | frozenset[str]) -> bool:
    """Return whether the text of an expression begins with that of a variable, perhaps after `https://`."""
    match node:
        case ast.JoinedStr(values=[ast.Constant(value=str() as scheme), first, *_]) if scheme.endswith("://"):
            return begins_with(first, names)
        case ast.BinOp(left=ast.Constant(value=str() as scheme), right=right) if scheme.endswith("://"):
            return begins_with(right, names)
        case ast.JoinedStr(values=[first, *_]):
            return begins_with(first, names)
        case ast.BinOp(left=left):
            return begins_with(left, names)
        case ast.Call(func=ast.Attribute(value=receiver)) if last_name(node.func) in _TEXT_FUNCTIONS:
            return begins_with(receiver, names)
        case ast.Call(func=ast.Name(), args=[first, *_]) if last_name(node.func) in _TEXT_FUNCTIONS:
            return begins_with(first, names)
    return isinstance(node, ast.Name | ast.FormattedValue) and carries(node, names)
