"""Unguarded: parameters that reach a call as they are, with nothing in between that could stop one."""

import ast
from collections.abc import Callable, Container, Iterator

from toolkit.lint.carried_text import Holds, carriers_of, carries
from toolkit.lint.python_functions import PythonFunction, PythonParameter
from toolkit.lint.python_sources import PythonSource

_TEXTS = {"str", "Path", "AnyUrl", "HttpUrl"}
_CHECKS = {"isalnum", "isalpha", "isdigit", "isidentifier", "isdecimal", "match", "fullmatch", "UUID"}

Follows = Callable[[ast.Call, str, PythonParameter, frozenset[str]], bool]
"""Whether a call, known by its name through the imports, goes where a parameter, or a name that carries it, leads."""


def unguarded(
    function: PythonFunction, guards: Container[str], follows: Follows, holds: Holds = carries
) -> Iterator[tuple[PythonParameter, ast.Call, str]]:
    """Yield the parameters that a model may fill with anything, and the first risky call that each of them reaches.

    Args:
        function: The tool.
        guards: Names of functions and methods that check the parameter; one of them in the body counts as a guard.
        follows: Whether a call goes where a parameter leads.
        holds: Whether an expression holds the text of a parameter in the way that counts.
    """
    suspects = [one for one in function.parameters if _is_text(one.node.annotation, function.file)]
    calls = [node for node in function.walk() if isinstance(node, ast.Call)]
    if not suspects or any(_name_of(call) in guards or _name_of(call) in _CHECKS for call in calls):
        return
    compared = {name for node in function.walk() if isinstance(node, ast.Compare) for name in names_in(node)}
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
    """Whether an annotation admits any text: `str`, `str | None`, `Annotated[str, "…"]`, but no pattern."""
    match annotation:
        case None:
            return True
        case ast.Name() | ast.Attribute():
            return (file.meaning(annotation) or "").rpartition(".")[2] in _TEXTS
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return any(not _is_none(one) and _is_text(one, file) for one in (left, right))
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=[inner, *extras])) if _is_called(outer, "Annotated", file):
            return _is_text(inner, file) and not any(isinstance(one, ast.Call) and _may_check(one) for one in extras)
        case ast.Subscript(value=outer, slice=inner) if _is_called(outer, "Optional", file):
            return _is_text(inner, file)
    return False


def _is_called(node: ast.expr, name: str, file: PythonSource) -> bool:
    return (file.meaning(node) or "").rpartition(".")[2] == name


def _may_check(extra: ast.Call) -> bool:
    """Whether what stands in an `Annotated` may refuse a value: a pattern, or anything but a `Field`."""
    return _name_of(extra) != "Field" or any(keyword.arg in {"pattern", None} for keyword in extra.keywords)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
