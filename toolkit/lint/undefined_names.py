"""Finds annotations in the source that cannot be evaluated when the tool is created.

Only quoted annotations, and those of a file with `from __future__ import annotations`, are evaluated then; in others,
Python itself reports undefined names on import. Names in an `if TYPE_CHECKING:` only exist for type checkers.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator

from toolkit.codes import UNREADABLE_ANNOTATION
from toolkit.problems import Location, Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import SCOPES, parsed_annotation

_INJECTED = {"ToolContext", "MemoryId"}


def undefined_annotations(file: PythonFile) -> Iterator[Problem]:
    """Yield a problem for each annotation of a tool with a name that the file does not define."""
    is_deferred = file.imported_names.get("annotations") == "__future__.annotations"
    known: set[str] | None = None
    for function in file.tools:
        for what, place, annotation in _annotations(function):
            read = annotation if is_deferred else _quote(annotation)
            names = _names_in(read)
            if not names:
                continue
            known = {*vars(builtins), *_bound(file.tree.body), "__name__", "__file__"} if known is None else known
            if "*" not in known and (unknown := [name for name in names if name not in known]):
                message = f"the annotation of {what} cannot be read: name {unknown[0]!r} is not defined"
                hint = "import or define the name where the annotation can see it, outside 'if TYPE_CHECKING:'"
                yield Problem(UNREADABLE_ANNOTATION, message, place, hint=hint)


def _annotations(function: PythonFunction) -> Iterator[tuple[str, Location, ast.expr]]:
    for parameter in function.all_parameters:
        if parameter.node.annotation is not None:
            place = function.file.location(parameter.node)
            yield f"parameter {parameter.name!r}", place, parameter.node.annotation
    if function.node.returns is not None:
        yield "the return value", function.location, function.node.returns


def _quote(annotation: ast.expr) -> ast.expr | None:
    is_text = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
    return annotation if is_text else None


def _names_in(annotation: ast.expr | None) -> list[str]:
    """Return the names that reading an annotation looks up, in their order."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = parsed_annotation(annotation.value)
    nodes = () if annotation is None else ast.walk(annotation)
    return [node.id for node in nodes if isinstance(node, ast.Name) and node.id not in _INJECTED]


def _bound(statements: Iterable[ast.AST]) -> Iterator[str]:
    for node in statements:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from ((one.asname or one.name).partition(".")[0] for one in names)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.If(test=test, orelse=orelse) if _is_for_checkers(test):
                yield from _bound(orelse)
                continue
        if isinstance(node, ast.Call) and _changes_names(node):
            yield "*"
        if not isinstance(node, SCOPES):
            yield from _bound(ast.iter_child_nodes(node))


def _is_for_checkers(test: ast.expr) -> bool:
    return last_name(test) == "TYPE_CHECKING"


def _changes_names(call: ast.Call) -> bool:
    """Return whether a call may define names dynamically: `globals().update(…)`, `exec(…)`."""
    return isinstance(call.func, ast.Name) and call.func.id in {"globals", "vars", "exec", "setattr"}
