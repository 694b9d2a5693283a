"""Find the elements of a list in the source: in its display, and where it is extended."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Meanings
from toolkit.source_code.source_files import SourceFile

_DEEPEST = 8


class Expression(NamedTuple):
    """An expression, with its file and its scope."""

    source: SourceFile
    node: ast.expr
    names: LocalNames | None


def elements_of(meanings: Meanings, given: tuple[SourceFile, ast.expr, LocalNames | None]) -> Iterator[Expression]:
    """Yield every element that a list may have, under whatever conditions; a comprehension stands for its own.

    Args:
        meanings: Resolves names.
        given: The list, with its file and its scope.
    """
    yield from _Elements(meanings).of(Expression(*given), _DEEPEST)


class _Elements:
    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self._seen: set[tuple[str, ast.AST]] = set()

    def of(self, given: Expression, depth: int) -> Iterator[Expression]:
        if depth == 0 or (given.source.path, given.node) in self._seen:
            return
        self._seen.add((given.source.path, given.node))
        for part in self._parts(given.node):
            if isinstance(part, ast.Starred):
                yield from self.of(given._replace(node=part.value), depth - 1)
            else:
                yield given._replace(node=part)
        selected = (given._replace(node=one) for one in _alternatives(given.node))
        for inner in (*selected, *self._values(given)):
            yield from self.of(inner, depth - 1)

    def _parts(self, node: ast.expr) -> list[ast.expr]:
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return parts
            case ast.ListComp() | ast.GeneratorExp():
                return [node]
        return []

    def _values(self, given: Expression) -> Iterator[Expression]:
        """Yield the lists that a variable is bound to, and those by which statements in its scope extend it."""
        node = given.node
        if isinstance(node, ast.Name | ast.Attribute):
            yield from (Expression(*one) for one in self._meanings.values_of(given.source, node, given.names))
        if isinstance(node, ast.Name):
            scope = _scope_of(node.id, given.names)
            place: ast.AST = given.source.tree if scope is None else scope.node
            for added in _added(place, node.id):
                yield Expression(given.source, added, scope)


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """Return the lists of which an expression is put together, or from which it selects."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [left, right]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=values):
            return values
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            return [inner]
    return []


def _scope_of(name: str, names: LocalNames | None) -> LocalNames | None:
    while names is not None and name not in names.bound:
        names = names.outer
    return names


def _added(place: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield the lists by which statements extend a variable."""
    for node in ast.walk(place):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="append"), args=[one]) if target == name:
                yield ast.copy_location(ast.List([one], ast.Load()), one)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="extend"), args=[more]) if target == name:
                yield more
            case ast.AugAssign(target=ast.Name(id=target), op=ast.Add(), value=more) if target == name:
                yield more
