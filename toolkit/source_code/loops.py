"""Find what the loops and comprehensions of a Python file give to their variables, one turn after the other."""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import NamedTuple

from toolkit.source_code.class_tools import fields_of
from toolkit.source_code.constants import Constants, value_in
from toolkit.source_code.list_elements import Expression, elements_of, tables_of
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined
from toolkit.source_code.source_files import Definition, SourceFile
from toolkit.source_code.syntax_nodes import FunctionNode, filled, own_nodes, placed
from toolkit.source_code.written_calls import argument_of, made_by_call
from toolkit.tools.foreign.source_marks import Place

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class _Loop(NamedTuple):
    """A loop or a part of a comprehension: its variables, what it goes through, and the lines that it repeats."""

    target: ast.expr
    listed: ast.expr
    first: int
    last: int

    def holds(self, node: ast.expr) -> bool:
        return self.first <= node.lineno <= self.last

    def length(self) -> int:
        return self.last - self.first

    def binds(self, names: set[str]) -> bool:
        return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(self.target))


class Turn:
    """What the variables of a loop stand for, once."""

    def __init__(self, constants: Constants, bound: Mapping[str, Expression]) -> None:
        self._constants = constants
        self._meanings = constants.meanings
        self._bound = bound

    def value(self, node: ast.expr) -> Expression | None:
        """Return what a variable, `row["key"]`, or `row.field` of an object that a call makes stands for, or `None`."""
        match node:
            case ast.Name(id=name):
                return self._bound.get(name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)):
                return self._part(name, key, "")
            case ast.Attribute(value=ast.Name(id=name), attr=field):
                return self._part(name, None, field)
        return None

    def filled(self, text: ast.expr) -> ast.expr:
        """Return an expression with constants in place of the variables that stand for them: `f"get_{name}"`."""
        if not isinstance(text, ast.JoinedStr | ast.BinOp):
            return text
        return filled(text, {name: one.node for name, one in self._bound.items() if isinstance(one.node, ast.Constant)})

    def shown_in(self, source: SourceFile, node: ast.Dict) -> ast.Dict:
        """Return a dictionary with what its parts stand for in this turn, at the place of its row.

        Only what the same file has is shown.
        """
        made: ast.Dict = _Shown(self, source).visit(deepcopy(node))
        rows = (one.node for one in self._bound.values() if one.source is source)
        return placed(made, next(rows, node))

    def _part(self, name: str, key: object, field: str) -> Expression | None:
        rows = [self._bound[name]] if name in self._bound else []
        for row in rows:
            if isinstance(row.node, ast.Name | ast.Attribute):
                rows += [Expression(*one) for one in self._meanings.values_of(row.source, row.node, row.names)]
        for row in rows:
            found = (row._replace(node=one) for one in _parts(row.node, key))
            if (one := next(found, None) or next(self._fields(row, field), None)) is not None:
                return one
        return None

    def _fields(self, row: Expression, field: str) -> Iterator[Expression]:
        """Yield the value of a field of an object: the argument of the call that makes it, and what its class sets.

        An argument counts by its name, or by its position among the fields of a class of the project.
        """
        if not (field and isinstance(row.node, ast.Call)):
            return
        made = self._meanings.of(row.source, row.node.func, row.names)
        classes = [cls for one in made if isinstance(one, Defined) for cls in self._constants.meanings.line_of(one)]
        places: list[Place] = [field, *fields_of(classes).get(field, ())]
        if (given := argument_of(row.node, places)) is not None:
            yield row._replace(node=given)
        for cls in classes:
            if (value := value_in(cls.node, field)) is not None:
                yield Expression(cls.source, value, None)


class _Shown(ast.NodeTransformer):
    def __init__(self, turn: Turn, source: SourceFile) -> None:
        self._turn = turn
        self._source = source

    def generic_visit(self, node: ast.AST) -> ast.AST:
        found = self._turn.value(node) if isinstance(node, ast.Name | ast.Subscript | ast.Attribute) else None
        is_here = found is not None and found.source is self._source
        return found.node if found is not None and is_here else super().generic_visit(node)


def _parts(row: ast.expr, key: object) -> Iterator[ast.expr]:
    match row:
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            yield from (one for name, one in pairs if isinstance(name, ast.Constant) and name.value == key)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if isinstance(key, int) and 0 <= key < len(parts):
            yield parts[key]


class Loops:
    """Finds the turns of loops; the loops of a scope are searched once."""

    def __init__(self, constants: Constants) -> None:
        """Create an empty cache."""
        self._constants = constants
        self._meanings = constants.meanings
        self._known: dict[ast.AST, tuple[_Loop, ...]] = {}

    def turns_around(self, source: SourceFile, node: ast.expr, names: LocalNames | None) -> Iterator[Turn]:
        """Yield the turns of the innermost loop around an expression that has one of its variables.

        The last turn stands for all elements that no display shows.
        """
        used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        binding = [one for one in self._loops_in(source, names) if one.holds(node) and one.binds(used)]
        if not binding:
            return
        loop = min(binding, key=_Loop.length)
        for element in self._elements(Expression(source, loop.listed, names)):
            yield Turn(self._constants, dict(_bound(loop.target, element)))
        if isinstance(loop.target, ast.Name):
            yield Turn(self._constants, {loop.target.id: Expression(source, loop.listed, names)})

    def turns_behind(
        self, source: SourceFile, node: ast.expr, names: LocalNames | None
    ) -> Iterator[tuple[Turn, ast.expr]]:
        """Yield the turns of the loop around an expression, with what it is there: also `row[key]` in a variable."""
        bound = self._meanings.values_of(source, node, names) if isinstance(node, ast.Name) else ()
        taken = [one for _, one, _ in bound if isinstance(one, ast.Call | ast.Subscript)]
        if len(taken) > 1:  # the variable of several loops
            around = [one for one in self._loops_in(source, names) if one.holds(node)]
            taken = [one for one in taken if around and min(around, key=_Loop.length).holds(one)]
        for one in (node, *(taken if len(taken) == 1 else ())):
            turns = [*self.turns_around(source, one, names)]
            yield from ((turn, one) for turn in turns)
            if turns:
                return

    def _loops_in(self, source: SourceFile, names: LocalNames | None) -> tuple[_Loop, ...]:
        scope: ast.Module | Definition = source.tree if names is None else names.node
        if scope not in self._known:
            self._known[scope] = tuple(_loops(scope))
        return self._known[scope]

    def _elements(self, given: Expression) -> Iterator[Expression]:
        """Yield every element of what a loop goes through: of a list, or of a table, such as `table.items()`."""
        match given.node:
            case ast.Call(func=ast.Attribute(value=owner, attr="items" | "keys" | "values" as view), args=[]):
                yield from self._entries(given._replace(node=owner), view)
            case ast.Call(func=ast.Name(id="enumerate"), args=[listed, *_]):
                for at, one in enumerate(self._elements(given._replace(node=listed))):
                    yield one._replace(node=placed(ast.Tuple([ast.Constant(at), one.node], ast.Load()), one.node))
            case ast.Call(func=ast.Name(id="sorted" | "reversed"), args=[listed]):
                yield from self._elements(given._replace(node=listed))
            case ast.Set(elts=parts):
                yield from (given._replace(node=one) for one in parts)
            case _:
                found = elements_of(self._meanings, given)
                yield from (self._row(one) for one in found if not isinstance(one.node, _COMPREHENSIONS))
                yield from self._entries(given, "keys")

    def _row(self, element: Expression) -> Expression:
        """Return the tuple, list or dictionary that a function of the same file makes of a call; else the element."""
        call = element.node
        if not isinstance(call, ast.Call):
            return element
        called = self._meanings.of(element.source, call.func, element.names)
        here = (one.node for one in called if isinstance(one, Defined) and one.source is element.source)
        rows = (made_by_call(call, one) for one in here if isinstance(one, FunctionNode))
        row = next((one for one in rows if one is not None), call)
        return element._replace(node=row)

    def _entries(self, owner: Expression, view: str) -> Iterator[Expression]:
        """Yield the keys, the values or the pairs of the dictionaries that an expression is or is bound to."""
        for table in tables_of(self._meanings, owner):
            named = owner.node.id if isinstance(owner.node, ast.Name) else ""
            for key, value in _pairs(table, named) if isinstance(table.node, ast.Dict) else ():
                both = placed(ast.Tuple([key, value], ast.Load()), value)
                yield table._replace(node={"items": both, "keys": key, "values": value}[view])
            if view == "values" and (listed := _by_own_key(table.node)) is not None:
                yield from self._elements(table._replace(node=listed))


def _by_own_key(table: ast.expr) -> ast.expr | None:
    """Return the list of which a table has each element as a value: `{one.__name__: one for one in LISTED}`."""
    match table:
        case ast.DictComp(value=ast.Name(id=kept), generators=[ast.comprehension(target=ast.Name(id=name)) as loop]):
            return loop.iter if kept == name else None
    return None


def _pairs(table: Expression, name: str) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the entries of a dictionary, also those that its scope adds later: `table["key"] = value`."""
    if isinstance(table.node, ast.Dict):
        pairs = zip(table.node.keys, table.node.values, strict=True)
        yield from ((key, value) for key, value in pairs if key is not None)
    scope: ast.Module | Definition = table.source.tree if table.names is None else table.names.node
    for node in own_nodes(scope.body) if name else ():
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=target), slice=key)], value=value):
                if target == name:
                    yield key, value


def _loops(scope: ast.Module | Definition) -> Iterator[_Loop]:
    for node in own_nodes(scope.body):
        if isinstance(node, ast.For | ast.AsyncFor):
            yield _Loop(node.target, node.iter, node.body[0].lineno, node.body[-1].end_lineno or 0)
        elif isinstance(node, _COMPREHENSIONS):
            for part in node.generators:
                yield _Loop(part.target, part.iter, node.lineno, node.end_lineno or 0)


def _bound(target: ast.expr, element: Expression) -> Iterator[tuple[str, Expression]]:
    match target, element.node:
        case ast.Name(id=name), _:
            yield name, element
        case ast.Tuple(elts=targets), ast.Tuple(elts=parts) | ast.List(elts=parts) if len(targets) == len(parts):
            for one, part in zip(targets, parts, strict=True):
                yield from _bound(one, element._replace(node=part))
