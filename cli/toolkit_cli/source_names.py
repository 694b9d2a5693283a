"""Finds tools and their arguments in source files, for completion; the files are parsed, not run."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolkit.regular_files import bounded_bytes

_GIVEN = ("ToolContext", "MemoryId")
_LARGEST = 1_000_000
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def tools_in(file: str) -> list[str]:
    """Return the names of the marked functions in a Python file, or of all public functions if none is marked."""
    return [function.name for function in _functions_in(file)]


def arguments_of(target: str) -> list[str]:
    """Return the names of a target's arguments: of a built-in tool, a pipeline, an agent, or a function."""
    file, _, name = target.partition(":")
    if file.endswith((".yaml", ".yml")):
        return _inputs_of(file)
    if not file.endswith(".py"):
        return _arguments_of_ready_tool(target)
    functions = _functions_in(file)
    meant = [function for function in functions if function.name == name] if name else functions
    return _parameters_of(meant[0]) if len(meant) == 1 else []


def _functions_in(file: str) -> list[_Function]:
    functions = [one for one in _public_functions(_parse(file)) if isinstance(one, _Function)]
    return [one for one in functions if any(map(_is_mark, one.decorator_list))] or functions


def _public_functions(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, _Function) and not statement.name.startswith("_"):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            marked = (one for one in statement.body if isinstance(one, _Function))
            yield from (one for one in marked if any(map(_is_mark, one.decorator_list)))


def _is_mark(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")) == "tool"


def _parameters_of(function: _Function) -> list[str]:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [one.arg for one in parameters if one.arg not in ("self", "cls") and not _is_given(one)]


def _is_given(parameter: ast.arg) -> bool:
    """Return whether toolkit passes the parameter itself."""
    written = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    return any(name in written for name in _GIVEN)


def _parse(file: str) -> Sequence[ast.stmt]:
    try:
        return ast.parse(bounded_bytes(file, most=_LARGEST)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _inputs_of(file: str) -> list[str]:
    from toolkit.documents.document_reader import read_document  # noqa: PLC0415
    from toolkit.documents.nodes import is_agent, plain  # noqa: PLC0415 - few completions need it

    document, _ = read_document(Path(file))
    if document is None:
        return []
    written: Any = plain(document)
    inputs = written.get("inputs") if isinstance(written, Mapping) else None
    named = [str(name) for name in inputs] if isinstance(inputs, Mapping) else []
    if is_agent(document):
        return named if isinstance(written, Mapping) and "prompt" in written else ["task", *named]
    return named if isinstance(inputs, Mapping) else ["input"]


def _arguments_of_ready_tool(name: str) -> list[str]:
    from toolkit.builtin.catalog import ready_tools  # noqa: PLC0415 - most completions are of targets

    ready = ready_tools().get(name)
    if ready is None:
        return []
    try:
        return list(ready.build().spec.properties)
    except (OSError, ValueError):
        return []
