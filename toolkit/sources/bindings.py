"""Find where a module binds a name, by parsing its source; only used to report problems."""

import ast
from collections.abc import Iterator
from types import ModuleType

from toolkit.problems import Location
from toolkit.regular_files import bounded_bytes
from toolkit.tools.foreign_values import is_text


def place_of_name(module: ModuleType, name: str) -> Location | None:
    """Return the location where a module last binds a name at its top level, or its file if that is not known."""
    file = vars(module).get("__file__")
    if not is_text(file) or file is None:
        return None
    try:
        tree = ast.parse(bounded_bytes(file))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Location(file)
    bound = [node for statement in tree.body for node, known in _bindings_of(statement) if known == name]
    if not bound:
        return Location(file)
    node = bound[-1]
    return Location(file, node.lineno, node.col_offset + 1)


def _bindings_of(statement: ast.stmt) -> Iterator[tuple[ast.stmt | ast.Name, str]]:
    """Yield what a statement defines or assigns to, each with its name."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement, statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node, node.id
