"""Find out which paths expressions in a Python file make of `__file__`, without running them."""

import ast
from functools import reduce
from pathlib import Path

from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Meanings
from toolkit.source_code.source_files import SourceFile, last_name

_SAME = {"Path", "abspath", "realpath", "absolute", "resolve", "fspath", "str"}
_DEEPEST = 8


def path_of(
    meanings: Meanings, source: SourceFile, node: ast.expr, names: LocalNames | None, depth: int = _DEEPEST
) -> Path | None:
    """Return the path that an expression such as `Path(__file__).parent / "tools"` is, or `None`.

    Args:
        meanings: Resolves names.
        source: The file.
        node: The expression.
        names: Its scope.
        depth: How many parts of it are followed.
    """
    if isinstance(node, ast.Name) and node.id == "__file__":
        return Path(source.path)
    if isinstance(node, ast.Name):
        bound = [*meanings.values_of(source, node, names)] if depth else []
        return path_of(meanings, *bound[0], depth - 1) if len(bound) == 1 else None
    inner, steps = _parts_of(node)
    start = path_of(meanings, source, inner, names, depth - 1) if inner is not None and depth else None
    if start is None:
        return None
    return reduce(lambda path, step: path.parent if step is None else path / step, steps, start)


def _parts_of(node: ast.expr) -> tuple[ast.expr | None, list[str | None]]:
    """Return the path that an expression begins with, and its steps from there: a name, or `None` for the parent."""
    match node:
        case ast.Attribute(value=inner, attr="parent"):
            return inner, [None]
        case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int() as at)):
            return (inner, [None] * (at + 1)) if 0 <= at < _DEEPEST else (None, [])
        case ast.BinOp(left=inner, op=ast.Div(), right=ast.Constant(value=str() as name)):
            return inner, [name]
        case ast.Call(func=function, args=[inner]) if last_name(function) == "dirname":
            return inner, [None]
        case ast.Call(func=ast.Attribute(value=owner, attr="join" | "joinpath"), args=args):
            inner, rest = (args[0], args[1:]) if last_name(owner) == "path" and args else (owner, args)
            texts = [one.value for one in rest if isinstance(one, ast.Constant)]
            steps: list[str | None] = [one for one in texts if isinstance(one, str)]
            return (inner, steps) if len(steps) == len(rest) else (None, [])
        case ast.Call(func=function, args=[inner]) if last_name(function) in _SAME:
            return inner, []
        case ast.Call(func=ast.Attribute(value=inner) as function, args=[]) if last_name(function) in _SAME:
            return inner, []
    return None, []
