"""Which texts a model gives reach a dangerous call, and what checks them on the way."""

import ast
from collections.abc import Callable, Container, Iterator

from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import is_none

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


_TEXTS = {"str", "Path", "AnyUrl", "HttpUrl"}
_CHECKS = {"isalnum", "isalpha", "isdigit", "isidentifier", "isdecimal", "match", "fullmatch", "UUID"}

Follows = Callable[[ast.Call, str, PythonParameter, frozenset[str]], bool]
"""Returns whether the target of a call, given with its full name, is controlled by a parameter or its carriers."""


def unguarded(
    function: PythonFunction, guards: Container[str], follows: Follows, holds: Holds = carries
) -> Iterator[tuple[PythonParameter, ast.Call, str]]:
    """Yield the parameters that accept any text, each with the first risky call that it reaches.

    Args:
        function: The tool.
        guards: Names of functions and methods that check a parameter; one call of them in the body is enough.
        follows: Returns whether a parameter controls the target of a call.
        holds: Returns whether an expression contains the text of a variable.
    """
    suspects = [one for one in function.parameters if _is_text(one.node.annotation, function.file)]
    calls = [node for node in function.nodes if isinstance(node, ast.Call)]
    if not suspects or any(last_name(call.func) in guards or last_name(call.func) in _CHECKS for call in calls):
        return
    compared = {name for node in function.nodes if isinstance(node, ast.Compare) for name in names_in(node)}
    for parameter in suspects:
        carriers = carriers_of(function, parameter.name, holds)
        if compared & carriers:
            continue
        for call in calls:
            if follows(call, function.file.meaning(call.func) or "", parameter, carriers):
                yield parameter, call, function.file.segment(call.func)
                break


def names_in(node: ast.AST) -> set[str]:
    """Return the names that an expression reads."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_text(annotation: ast.expr | None, file: PythonSource) -> bool:
    """Return whether an annotation accepts any text: `str`, `str | None`, `Annotated[str, "…"]`, but no pattern."""
    match annotation:
        case None:
            return True
        case ast.Name() | ast.Attribute():
            return file.short_name(annotation) in _TEXTS
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return any(not is_none(one) and _is_text(one, file) for one in (left, right))
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=[inner, *extras])) if (
            file.short_name(outer) == "Annotated"
        ):
            return _is_text(inner, file) and not any(isinstance(one, ast.Call) and _may_check(one) for one in extras)
        case ast.Subscript(value=outer, slice=inner) if file.short_name(outer) == "Optional":
            return _is_text(inner, file)
    return False


def _may_check(extra: ast.Call) -> bool:
    """Return whether an item of an `Annotated` may reject a value: a pattern, or anything but a `Field`."""
    return last_name(extra.func) != "Field" or any(keyword.arg in {"pattern", None} for keyword in extra.keywords)
