"""Finds out what a function refuses to do, and under which condition it does the rest."""

import ast

from toolkit.lint.clues.effects import effects_of
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.names import words_of

_WRITES = {"drop", "delete", "update"}


def only_overwrites(function: PythonFunction) -> bool:
    """Return whether files are only deleted where a parameter `overwrite`, `False` by default, is set."""
    switches = {
        one.name
        for one in function.all_parameters
        if isinstance(one.default, ast.Constant) and one.default.value is False and "overwrite" in words_of(one.name)
    }
    deleting = {effect.node for effect in effects_of(function) if effect.kind == "destroy"}
    return deleting <= {
        inner
        for node in function.nodes
        if isinstance(node, ast.If) and switches & _required_to_hold(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }


def _required_to_hold(test: ast.expr) -> set[str]:
    """Return the names that are true wherever a condition holds."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return {one.id for one in parts if isinstance(one, ast.Name)}


def refuses_writes(function: PythonFunction) -> bool:
    """Return whether a function returns or fails if it finds one of several words of SQL that change data."""
    refused = [listed for node in function.nodes if (listed := _refused_in(node)) is not None]
    return any(_words_in(one) >= _WRITES for listed in refused for one in _values_of(function, listed))


def _refused_in(node: ast.AST) -> ast.expr | None:
    """Return the list whose items end a function where one is found, by a loop or by `if any(…)`."""
    match node:
        case ast.For(iter=listed, body=[ast.If(body=[*_, ast.Return() | ast.Raise()])]):
            return listed
        case ast.If(
            test=ast.Call(
                func=ast.Name(id="any"), args=[ast.GeneratorExp(generators=[ast.comprehension(iter=listed)])]
            ),
            body=[*_, ast.Return() | ast.Raise()],
        ):
            return listed
    return None


def _values_of(function: PythonFunction, node: ast.expr) -> list[ast.expr | None]:
    """Return what an expression may be: itself, or what the function or its file assigns to a name."""
    if not isinstance(node, ast.Name):
        return [node]
    given: list[ast.expr | None] = [
        one.value
        for one in function.nodes
        if isinstance(one, ast.Assign) and any(isinstance(to, ast.Name) and to.id == node.id for to in one.targets)
    ]
    return given or [function.file.resolved(node)]


def _words_in(listed: ast.expr | None) -> set[str]:
    """Return the texts of a list, in small letters."""
    items = listed.elts if isinstance(listed, ast.List | ast.Tuple | ast.Set) else []
    return {one.value.strip().lower() for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)}
