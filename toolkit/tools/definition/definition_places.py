"""Finds where a function, a class or a parameter is defined, without running code of the user."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from toolkit.problems import Location
from toolkit.regular_files import bounded_bytes

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""The fields of a syntax tree node that contain statements."""
_KEYWORDS = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}
_MOST_FILES = 64
"""Maximum number of cached files."""


def place_of(thing: Callable[..., Any] | type, parameter: str | None = None) -> Location | None:
    """Return the location of the name of a function or class, or of a parameter, or `None` if it is not in a file."""
    try:
        target: Any = inspect.unwrap(getattr(thing, "__func__", thing))
        file = inspect.getsourcefile(target)
        qualified_name = getattr(target, "__qualname__", "")
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - the object is untrusted code, which can raise anything
        return None
    if type(file) is not str:
        return None
    source = _source(file)
    if type(target) is FunctionType:
        code = target.__code__
        definition = source.function(code.co_name, code.co_firstlineno) if source is not None else None
        if source is None or definition is None:
            return Location(file, code.co_firstlineno)
    else:
        is_named = source is not None and type(qualified_name) is str
        definition = source.by_qualified_name.get(qualified_name) if source is not None and is_named else None
        if source is None or definition is None:
            return None
    for argument in _arguments(definition):
        if argument.arg == parameter:
            return source.span(argument.lineno, argument.col_offset, len(argument.arg))
    return source.place_of_name(definition)


def place_of_caller() -> Location:
    """Return the line in the user's code from which the library was called, without reading the source."""
    frame = sys._getframe(1)  # noqa: SLF001 - the only fast way to find the caller
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("toolkit."):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def place_in_file(file: str, first: int, name: str) -> Location:
    """Return the location of the name of the definition that starts, with its decorators, in line `first` of a file."""
    source = _source(file)
    definition = source.first_after(name, first) if source is not None else None
    return Location(file, first) if source is None or definition is None else source.place_of_name(definition)


class _Source(NamedTuple):
    """A parsed file.

    Attributes:
        file: The path.
        lines: The lines, as Python counts them.
        by_name: The functions and classes by name, in the order of their lines.
        by_qualified_name: The last function or class with each qualified name, which replaces the earlier ones.
    """

    file: str
    lines: list[str]
    by_name: dict[str, list[_Definition]]
    by_qualified_name: dict[str, _Definition]

    def function(self, name: str, first: int) -> _Definition | None:
        """Return the function with a name that starts, with its decorators, in line `first`."""
        return next((one for one in self.by_name.get(name, ()) if _first_line(one) == first), None)

    def first_after(self, name: str, first: int) -> _Definition | None:
        """Return the first definition of a name in or after line `first`."""
        return next((one for one in self.by_name.get(name, ()) if one.lineno >= first), None)

    def place_of_name(self, definition: _Definition) -> Location:
        offset = definition.col_offset + len(_KEYWORDS[type(definition)])
        return self.span(definition.lineno, offset, len(definition.name))

    def span(self, line: int, offset: int, length: int) -> Location:
        """Convert a position in the syntax tree, with columns in UTF-8 bytes from 0, to a location."""
        before = self.lines[line - 1].encode()[:offset].decode(errors="replace") if line <= len(self.lines) else ""
        column = len(before) + 1
        return Location(self.file, line, column, line, column + length)


def _source(file: str) -> _Source | None:
    try:
        status = Path(file).stat()
    except (OSError, ValueError):
        return None
    return _parse(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=_MOST_FILES)
def _parse(file: str, _changed: int, _size: int) -> _Source | None:
    """Parse a file; the modification time and the size are part of the cache key."""
    try:
        raw = bounded_bytes(file)
        tree = ast.parse(raw)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    by_name: dict[str, list[_Definition]] = {}
    by_qualified_name: dict[str, _Definition] = {}
    for qualified_name, definition in _definitions(tree):
        by_name.setdefault(definition.name, []).append(definition)
        by_qualified_name[qualified_name] = definition
    for same_name in by_name.values():
        same_name.sort(key=lambda definition: definition.lineno)
    text = raw.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return _Source(file, text.split("\n"), by_name, by_qualified_name)


def _definitions(tree: ast.AST) -> Iterator[tuple[str, _Definition]]:
    """Yield every function and class under a node with its qualified name, as in `__qualname__`."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, prefix = waiting.pop()
        if isinstance(node, _Definition):
            qualified_name = prefix + node.name
            yield qualified_name, node
            prefix = f"{qualified_name}." if isinstance(node, ast.ClassDef) else f"{qualified_name}.<locals>."
        below = [child for block in _BLOCKS for child in getattr(node, block, ())]
        waiting.extend((child, prefix) for child in reversed(below))


def _first_line(definition: _Definition) -> int:
    return min([definition.lineno, *(decorator.lineno for decorator in definition.decorator_list)])


def _arguments(definition: _Definition) -> list[ast.arg]:
    if isinstance(definition, ast.ClassDef):
        return []
    given = definition.args
    variadic = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *variadic]


_MOST_WRAPPED = 100


def file_of(function: Any) -> str | None:
    """Return the file with the code of a function or method, inside its decorators, or `None` for anything else."""
    inner = _innermost(function)
    return inner.__code__.co_filename if inner is not None else None


def owners_of(function: Any) -> frozenset[str]:
    """Return the name of the class that defines a method, and that of the class of its object, if there are any."""
    inner = _innermost(function)
    above = inner.__qualname__.split(".")[-2:-1] if inner is not None else []
    if type(function) is MethodType:
        owner: Any = function.__self__
        above.append((owner if issubclass(type(owner), type) else type(owner)).__name__)
    return frozenset(one for one in above if one != "<locals>")


def _innermost(function: Any) -> FunctionType | None:
    for _ in range(_MOST_WRAPPED):
        function = function.__func__ if type(function) is MethodType else function
        if type(function) is not FunctionType:
            return None
        if "__wrapped__" not in function.__dict__:
            return function
        function = function.__dict__["__wrapped__"]
    return None
