"""Find the elements of lists in Python files: in their displays, where they are extended, in tables and functions."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined, Meanings, scope_of
from toolkit.source_code.source_files import FUNCTIONS, SourceFile, last_name
from toolkit.source_code.syntax_nodes import added_to, own_nodes, parts_by_key, uncast

_DEEPEST = 8


class Expression(NamedTuple):
    """An expression, with its file and its scope."""

    source: SourceFile
    node: ast.expr
    names: LocalNames | None


def elements_of(meanings: Meanings, given: tuple[SourceFile, ast.expr, LocalNames | None]) -> Iterator[Expression]:
    """Yield every element that a list may have, under whatever conditions.

    A comprehension stands for its own elements unless these are the entries of a table, or elements of another list.

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
        """Yield the elements of a list."""
        if depth == 0 or (given.source.path, given.node) in self._seen:
            return
        self._seen.add((given.source.path, given.node))
        match given.node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                for part in parts:
                    yield from self._element(given._replace(node=part), depth)
            case ast.ListComp() | ast.GeneratorExp():
                yield from self._in_comprehension(given, given.node, depth)
            case ast.Call(func=ast.Attribute(value=table, attr="values"), args=[]):
                yield from self._in_tables(given._replace(node=table))
        if (lists := _flattened(given.node)) is not None:
            yield from self._inner(given._replace(node=lists), depth)
        for inner in (*(given._replace(node=one) for one in _alternatives(given.node)), *self._values(given)):
            yield from self.of(inner, depth - 1)

    def _element(self, given: Expression, depth: int) -> Iterator[Expression]:
        """Yield an element as it is written, or what it stands for."""
        if isinstance(given.node, ast.Starred):
            yield from self.of(given._replace(node=given.node.value), depth - 1)
            return
        given = given._replace(node=uncast(given.node))
        chosen = [*self._chosen(given)]
        yield from chosen or [given]

    def _in_comprehension(
        self, given: Expression, whole: ast.ListComp | ast.GeneratorExp, depth: int
    ) -> Iterator[Expression]:
        found = [*self._chosen(given._replace(node=whole.elt))]
        loops = {one.target.id: one.iter for one in whole.generators if isinstance(one.target, ast.Name)}
        listed = loops.get(whole.elt.id) if isinstance(whole.elt, ast.Name) else None
        if isinstance(listed, ast.Name) and listed.id in loops:
            found += self._inner(given._replace(node=loops[listed.id]), depth)
        elif listed is not None:
            found += self.of(given._replace(node=listed), depth - 1)
        yield from found or [given]

    def _inner(self, lists: Expression, depth: int) -> Iterator[Expression]:
        """Yield the elements of the lists in a list."""
        for one in [*self.of(lists, depth - 1)]:
            yield from self.of(one, depth - 1)

    def _values(self, given: Expression) -> Iterator[Expression]:
        """Yield the lists that an expression stands for.

        They are the values of a variable and what statements in its scope add to it, an entry of a table, and what a
        function of the project returns.
        """
        node = given.node
        if isinstance(node, ast.Name | ast.Attribute):
            yield from self._bound_to(given, node)
        if isinstance(node, ast.Name):
            scope = _scope_of(node.id, given.names)
            place: ast.AST = given.source.tree if scope is None else scope.node
            yield from (Expression(given.source, added, scope) for added in added_to(place, node.id))
        yield from self._chosen(given)
        if isinstance(node, ast.Call):
            yield from _returned_by(self._meanings, given, node)

    def _bound_to(self, given: Expression, node: ast.Name | ast.Attribute) -> Iterator[Expression]:
        yield from (Expression(*one) for one in self._meanings.values_of(given.source, node, given.names))

    def _chosen(self, given: Expression) -> Iterator[Expression]:
        """Yield the entry that `TABLE[key]` or `TABLE.get(key)` is, or all entries if the key is computed."""
        match given.node:
            case ast.Subscript(value=table, slice=key) if not isinstance(key, ast.Slice):
                yield from self._in_tables(given._replace(node=table), key)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[key, *_]):
                yield from self._in_tables(given._replace(node=table), key)

    def _in_tables(self, given: Expression, key: ast.expr | None = None) -> Iterator[Expression]:
        """Yield the entry with a key of each dictionary that an expression stands for, or all entries."""
        for table in tables_of(self._meanings, given):
            entries = parts_by_key(table.node) if isinstance(table.node, ast.Dict) else {}
            name = key.value if isinstance(key, ast.Constant) else None
            named = entries.get(name) if isinstance(name, str) else None
            yield from (table._replace(node=one) for one in (entries.values() if named is None else [named]))


def tables_of(meanings: Meanings, given: Expression, depth: int = _DEEPEST) -> Iterator[Expression]:
    """Yield the tables that an expression is, that a variable has, or that a function of the project returns."""
    match given.node:
        case ast.Name() | ast.Attribute() as node if depth:
            inner = [Expression(*one) for one in meanings.values_of(given.source, node, given.names)]
        case ast.Call() as call if depth:
            inner = [*_returned_by(meanings, given, call)]
        case _:
            yield given
            return
    for one in inner:
        yield from tables_of(meanings, one, depth - 1)


def _returned_by(meanings: Meanings, given: Expression, call: ast.Call) -> Iterator[Expression]:
    for function in meanings.of(given.source, call.func, given.names):
        if isinstance(function, Defined) and isinstance(function.node, FUNCTIONS):
            scope = scope_of(function)
            for one in own_nodes(function.node.body):
                if isinstance(one, ast.Return) and one.value is not None:
                    yield Expression(function.source, one.value, scope)


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """Return the lists of which an expression is put together, or from which it selects."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [left, right]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=values):
            return values
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted"), args=[inner, *_]):
            return [inner]
    return []


def _flattened(node: ast.expr) -> ast.expr | None:
    """Return the list whose lists an expression joins: `sum(lists, [])`, `chain(*lists)`."""
    match node:
        case ast.Call(func=ast.Name(id="sum"), args=[lists, ast.List()]):
            return lists
        case ast.Call(func=function, args=[ast.Starred(value=lists)]) if last_name(function) == "chain":
            return lists
        case ast.Call(func=function, args=[lists]) if last_name(function) == "from_iterable":
            return lists
    return None


def _scope_of(name: str, names: LocalNames | None) -> LocalNames | None:
    while names is not None and name not in names.bound:
        names = names.outer
    return names
