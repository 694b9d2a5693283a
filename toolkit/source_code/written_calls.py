"""Reads what calls in source code give to functions, and what these make of it."""

import ast
from collections.abc import Sequence

from toolkit.source_code.source_files import Definition
from toolkit.source_code.syntax_nodes import FunctionNode, filled, own_nodes, placed
from toolkit.tools.foreign.source_marks import Place


def argument_of(mark: ast.expr, places: Sequence[Place]) -> ast.expr | None:
    """Return the first argument of a call with one of these positions or names, or `None`."""
    if (call := call_with_options(mark)) is None:
        return None
    named = {one.arg: one.value for one in call.keywords}
    for place in places:
        if isinstance(place, str) and place in named:
            return named[place]
        if isinstance(place, int) and place < len(call.args) and not isinstance(call.args[place], ast.Starred):
            return call.args[place]
    return None


def hides_arguments(mark: ast.expr | None) -> bool:
    """Return whether a decorator or call of a registration has unpacked arguments, such as `**options`."""
    call = call_with_options(mark)
    return call is not None and any(one.arg is None for one in call.keywords)


def call_with_options(mark: ast.expr | None) -> ast.Call | None:
    """Return the call with the options: `tool(…)` of `tool(…)(function)`; `None` for a decorator without any."""
    call = mark.func if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Call) else mark
    return call if isinstance(call, ast.Call) else None


def is_super_init(function: ast.expr) -> bool:
    """Return whether a function that is called is `super().__init__`."""
    match function:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def places_of(function: Definition) -> dict[str, tuple[Place, ...]]:
    """Return where a call has the argument for each parameter of a function."""
    if isinstance(function, ast.ClassDef):
        return {}
    given = function.args
    positional = [one.arg for one in (*given.posonlyargs, *given.args)]
    start = 1 if positional[:1] in (["self"], ["cls"]) else 0
    found: dict[str, tuple[Place, ...]] = {name: (name, at) for at, name in enumerate(positional[start:])}
    return found | {one.arg: (one.arg,) for one in given.kwonlyargs}


def made_by_call(call: ast.Call, function: FunctionNode) -> ast.expr | None:
    """Return the tuple, list or dictionary that a function of the same file returns for a call, or `None`."""
    returned = [one.value for one in own_nodes(function.body) if isinstance(one, ast.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple | ast.List | ast.Dict):
        return None
    return filled_by_call(call, function, returned[0])


def filled_by_call(call: ast.Call, function: FunctionNode, made: ast.expr) -> ast.expr:
    """Return an expression in a function with the arguments of a call in place of its parameters."""
    given = {name: argument_of(call, places) for name, places in places_of(function).items()}
    return placed(filled(made, {name: one for name, one in given.items() if one is not None}), call)
