"""Finds out under which condition a function does something."""

import ast

from toolkit.lint.clues.effects import effects_of
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.names import words_of


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
