"""Evaluates expressions in the source without running them, such as strings that are put together."""

import ast
import textwrap
from collections.abc import Mapping
from typing import Any, Protocol

_LONGEST = 100_000
_DEEPEST = 50


class SourceFile(Protocol):
    """The part of a Python file that evaluation needs."""

    @property
    def assigned(self) -> Mapping[str, ast.expr]:
        """The values of names that are assigned exactly once, at the top level of the file."""

    def meaning(self, node: ast.expr) -> str | None:
        """Return the full name of a name or an attribute according to the imports."""


class UnknownValueError(ValueError):
    """The source does not show the value of an expression."""


def written_value(node: ast.expr, file: SourceFile) -> Any:
    """Return the value of an expression.

    Supported are constants, names that the top level of the file assigns once, `+`, `*`, f-strings, `"…".join([…])`,
    `textwrap.dedent(…)`, `inspect.cleandoc(…)` and `.strip()`.

    Raises:
        UnknownValueError: If it is any other expression, or if its value is infinite or too large.
    """
    try:
        return _value(node, file, _DEEPEST)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise UnknownValueError from error


def _value(node: ast.expr, file: SourceFile, depth: int) -> Any:
    if depth == 0:
        raise UnknownValueError
    match node:
        case ast.Name(id=name) if name in file.assigned:
            return _value(file.assigned[name], file, depth - 1)
        case ast.JoinedStr() | ast.BinOp(op=ast.Add() | ast.Mult()):
            return _short(_put_together(node, file, depth - 1))
        case ast.Call(keywords=[]):
            return _short(_called(node, file, depth - 1))
        case ast.List(elts=parts):
            return [_value(part, file, depth - 1) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(_value(part, file, depth - 1) for part in parts)
    return ast.literal_eval(node)


def _put_together(node: ast.expr, file: SourceFile, depth: int) -> str:
    match node:
        case ast.JoinedStr(values=parts):
            return "".join(_text(part, file, depth) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, file, depth) + _text(right, file, depth)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            text, count = _text(left, file, depth), _value(right, file, depth)
            if isinstance(count, int) and len(text) * count <= _LONGEST:
                return text * count
    raise UnknownValueError


def _called(call: ast.Call, file: SourceFile, depth: int) -> str:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as between), attr="join"), args=[parts]):
            return between.join(_value(parts, file, depth))
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
            return _text(inner, file, depth).strip()
        case ast.Call(args=[inner]) if file.meaning(call.func) == "textwrap.dedent":
            return textwrap.dedent(_text(inner, file, depth))
        case ast.Call(args=[inner]) if file.meaning(call.func) == "inspect.cleandoc":
            return _clean(_text(inner, file, depth))
    raise UnknownValueError


def _clean(text: str) -> str:
    from inspect import cleandoc  # noqa: PLC0415 - few descriptions are made so

    return cleandoc(text)


def _text(node: ast.expr, file: SourceFile, depth: int) -> str:
    match node:
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
            value = _value(inner, file, depth)
            if type(value) in (str, int, bool):
                return str(value)
        case _:
            value = _value(node, file, depth)
            if isinstance(value, str):
                return value
    raise UnknownValueError


def _short(text: str) -> str:
    if len(text) > _LONGEST:
        raise UnknownValueError
    return text
