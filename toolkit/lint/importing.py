"""Creates the edit that imports a name."""

import ast

from toolkit.problems import Edit
from toolkit.source_code.python_sources import PythonSource


def importing(file: PythonSource, module: str, name: str | None = None) -> list[Edit]:
    """Return the edits that import a module, or a name from it, after the docstring and `__future__` imports."""
    wanted = f"from {module} import {name}" if name else f"import {module}"
    if file.imported_names.get(name or module) == (f"{module}.{name}" if name else module):
        return []
    for node in file.tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_docstring and not is_future:
            start = file.index(node.lineno, 0)
            return [file.edit(start, start, f"{wanted}\n")]
    return []
