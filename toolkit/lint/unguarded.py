"""Finds parameters that reach a risky call without any check in between."""

import ast
from collections.abc import Callable, Container, Iterator

from toolkit.lint.carried_text import Holds, carriers_of, carries
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import is_none

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
