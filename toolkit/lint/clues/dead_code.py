"""Finds out whether a function is never defined, since an import before it always fails."""

import ast
from collections.abc import Iterator
from functools import cache

from toolkit.lint.clues.guarded_imports import is_for_imports, may_expect_failures
from toolkit.source_code.module_files import is_installed
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import Imported


@cache
def is_never_defined(function: PythonFunction) -> bool:
    """Return whether a `try` imports a module of the project that does not exist before it would define a function."""
    if not may_expect_failures(function.file.text):
        return False
    tries = (node for node in ast.walk(function.file.tree) if isinstance(node, ast.Try))
    guarded = (node for node in tries if any(map(is_for_imports, node.handlers)))
    return any(_is_missing(function, name) for node in guarded for name in _imported_before(node, function))


def _imported_before(node: ast.Try, function: PythonFunction) -> Iterator[str]:
    """Yield the modules that the body of a `try` imports before it defines a function, if it does."""
    names: list[str] = []
    for statement in node.body:
        if any(one is function.node for one in ast.walk(statement)):
            yield from names
            return
        match statement:
            case ast.Import(names=imported):
                names += [one.name for one in imported]
            case ast.ImportFrom(module=str() as name, level=0):
                names.append(name)


def _is_missing(function: PythonFunction, name: str) -> bool:
    """Whether a module does not exist, although a package of the project should contain it."""
    file, meanings = function.file.path, function.file.reader.meanings
    home, found = (meanings.files_of(file, Imported(one)) for one in (name.partition(".")[0], name))
    return bool(home) and not found and not any(map(is_installed, home))
