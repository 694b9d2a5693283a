"""Evaluate constant string expressions in Python files, even if another file defines the constants."""

import ast
from collections.abc import Iterable
from contextlib import suppress

from toolkit.source_code.local_names import Local, LocalNames
from toolkit.source_code.meanings import Defined, Meanings, Module
from toolkit.source_code.source_files import Definition, Imported, SourceFile

_DEEPEST = 20


class Constants:
    """Evaluates constant string expressions."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings

    def text(self, source: SourceFile, node: ast.expr, names: LocalNames | None = None) -> str | None:
        """Return the value of a string expression, or `None` if only running the file would show it."""
        with suppress(RecursionError):
            return self._text(source, node, names, _DEEPEST)
        return None

    def _text(  # noqa: PLR0911 - a line for each kind of expression
        self, source: SourceFile, node: ast.expr, names: LocalNames | None, depth: int
    ) -> str | None:
        if not depth:
            return None
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined(source, [left, right], names, depth)
            case ast.JoinedStr(values=values):
                return self._joined(source, values, names, depth)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._text(source, value, names, depth - 1)
            case ast.Name(id=name):
                return self._of_name(source, name, names, depth)
            case ast.Attribute(value=ast.Attribute() as member, attr="value"):
                return self._text(source, member, names, depth - 1)
            case ast.Attribute(value=owner, attr=name):
                return self._of_member(source, owner, name, names, depth)
        return None

    def _joined(
        self, source: SourceFile, nodes: Iterable[ast.expr], names: LocalNames | None, depth: int
    ) -> str | None:
        parts = [self._text(source, one, names, depth - 1) for one in nodes]
        return None if any(one is None for one in parts) else "".join(filter(None, parts))

    def _of_name(self, source: SourceFile, name: str, names: LocalNames | None, depth: int) -> str | None:
        if names is not None and (local := names.find(name)) is not None:
            return self._of_locals(source, local, depth)
        bound = source.bindings.get(name, ())
        if len(bound) != 1:
            return None
        match bound[0]:
            case ast.expr() as value:
                return self._text(source, value, None, depth - 1)
            case Imported() as imported:
                for other, inner in self.meanings.taken(source, imported):
                    return self._of_name(other, inner, None, depth - 1)
        return None

    def _of_locals(self, source: SourceFile, local: tuple[Local, ...], depth: int) -> str | None:
        if len(local) != 1 or not isinstance(local[0].binding, ast.expr):
            return None
        return self._text(source, local[0].binding, local[0].names, depth - 1)

    def _of_member(
        self, source: SourceFile, owner: ast.expr, name: str, names: LocalNames | None, depth: int
    ) -> str | None:
        """Return the string value of a member of a class or module."""
        for meaning in self.meanings.of(source, owner, names):
            match meaning:
                case Module(source=other):
                    return self._of_name(other, name, None, depth - 1)
                case Defined(source=other, node=ast.ClassDef() as node) if (value := value_in(node, name)) is not None:
                    return self._text(other, value, None, depth - 1)
        return None


def value_in(node: Definition, name: str) -> ast.expr | None:
    """Return the value that the body of a class assigns to a name."""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return value
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                return value
    return None
