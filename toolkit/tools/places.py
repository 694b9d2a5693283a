"""Places: where in its file a function, a class or a parameter stands. Read from the source, only for bad news."""

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolkit.problems import Location

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def place_of(thing: Callable[..., Any] | type, parameter: str | None = None) -> Location | None:
    """Return the place of the name of a function or class, or of one of its parameters; `None` where no file has it."""
    target: Any = inspect.unwrap(getattr(thing, "__func__", thing))
    try:
        file = inspect.getsourcefile(target)
        lines, first = inspect.getsourcelines(target)
    except (TypeError, OSError, SyntaxError):
        return None
    if file is None:
        return None
    definition = _definition(file, first, first + len(lines), getattr(target, "__name__", ""))
    if definition is None:
        return Location(file, first)
    for argument in _arguments(definition):
        if argument.arg == parameter:
            return _span(file, argument.lineno, argument.col_offset, len(argument.arg))
    return _place_of_name(file, definition)


def place_of_caller() -> Location:
    """Return the place in the user's code from which the library was called, line by line: no source is read."""
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to know who calls, and a cheap one
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("toolkit."):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def place_in_file(file: str, first: int, name: str) -> Location:
    """Return the place of the name of a definition that begins, decorators included, in a line of a file."""
    definition = _definition(file, first, None, name)
    return Location(file, first) if definition is None else _place_of_name(file, definition)


def _definition(file: str, first: int, after: int | None, name: str) -> _Definition | None:
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    candidates = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Definition) and node.name == name and first <= node.lineno < (after or sys.maxsize)
    ]
    return min(candidates, key=lambda node: node.lineno, default=None)


def _arguments(definition: _Definition) -> list[ast.arg]:
    if isinstance(definition, ast.ClassDef):
        return []
    given = definition.args
    variadic = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *variadic]


def _place_of_name(file: str, definition: _Definition) -> Location:
    keyword = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}[type(definition)]
    return _span(file, definition.lineno, definition.col_offset + len(keyword), len(definition.name))


def _span(file: str, line: int, offset: int, length: int) -> Location:
    """Return a place from what the syntax tree says: lines from 1, columns in UTF-8 bytes from 0."""
    text = Path(file).read_text(encoding="utf-8", errors="replace").split("\n")  # as Python counts lines
    before = text[line - 1].encode()[:offset].decode(errors="replace") if line <= len(text) else ""
    column = len(before) + 1
    return Location(file, line, column, line, column + length)
