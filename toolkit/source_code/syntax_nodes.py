"""Fast traversal of syntax trees, for all rules that need it."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (*DEFINITIONS, ast.Lambda)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.alias, ast.Pass, *ast.operator.__subclasses__(), *ast.cmpop.__subclasses__()}
)
"""The types of nodes without children."""
_MIXED = {"keys", "kw_defaults", "names", "kwd_attrs"}
"""The fields with lists that may also have members that are no nodes."""
_NO_NODES = {"ctx", "id", "attr", "kind", "type_comment", "lineno", "level"}
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
_BLOCKS_IN: dict[type[ast.AST], tuple[str, ...]] = {}


def definitions_below(
    parent: ast.AST, owner: ast.ClassDef | None
) -> Iterator[tuple[FunctionNode | ast.ClassDef, ast.ClassDef | None]]:
    """Yield every function and class below a node, each with the class that contains it."""
    for node in _inner_statements(parent):
        if isinstance(node, DEFINITIONS):
            yield node, owner
            yield from definitions_below(node, node if isinstance(node, ast.ClassDef) else None)
        elif _blocks_in(type(node)):
            yield from definitions_below(node, owner)


def calls_and_definitions(parent: ast.AST) -> Iterator[ast.Call | FunctionNode | ast.ClassDef]:
    """Yield the calls, functions and classes below a node, except those inside these functions and classes."""
    waiting = list(reversed(getattr(parent, "body", [])))
    if isinstance(parent, FunctionNode):
        waiting.append(parent.args)
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS):
            yield node
            continue
        if isinstance(node, ast.Call):
            yield node
        if type(node) not in _LEAVES:
            waiting += reversed(children(node))


def statements_below(parent: ast.AST) -> list[ast.AST]:
    """Return every statement below a node, without visiting expressions."""
    waiting, found = _inner_statements(parent)[::-1], []
    while waiting:
        node = waiting.pop()
        found.append(node)
        if inner := _inner_statements(node):
            waiting += reversed(inner)
    return found


def _inner_statements(node: ast.AST) -> list[ast.AST]:
    return [one for block in _blocks_in(type(node)) for one in getattr(node, block)]


def _blocks_in(kind: type[ast.AST]) -> tuple[str, ...]:
    if kind not in _BLOCKS_IN:
        _BLOCKS_IN[kind] = tuple(name for name in _BLOCKS if name in kind._fields)
    return _BLOCKS_IN[kind]


def nodes_below(node: ast.AST) -> list[ast.AST]:
    """Return a node and all nodes below it, outer ones first, without expression contexts such as `ast.Load`."""
    found = [node]
    for one in found:
        if type(one) not in _LEAVES:
            found += children(one)
    return found


def own_nodes(body: Iterable[ast.AST]) -> list[ast.AST]:
    """Return the nodes of the body of a function without those of inner functions, in the order of the source."""
    waiting = [*body][::-1]
    found = []
    while waiting:
        node = waiting.pop()
        found.append(node)
        if type(node) not in _LEAVES and not isinstance(node, SCOPES):
            waiting += reversed(children(node))
    return found


def parts_of(node: ast.expr) -> list[ast.expr]:
    """Return the members of a collection, or the possible values of an expression."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.BoolOp(values=parts):
            return parts
        case ast.Dict(values=parts):
            return parts
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part) | ast.DictComp(value=part):
            return [part]
        case ast.IfExp(body=first, orelse=second):
            return [first, second]
        case ast.NamedExpr(value=part) | ast.Starred(value=part) | ast.Await(value=part):
            return [part]
    return []


def parts_by_key(table: ast.Dict) -> dict[str, ast.expr]:
    """Return the values of a dictionary display by those of its keys that are text."""
    pairs = zip(table.keys, table.values, strict=True)
    return {key.value: value for key, value in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def is_none(node: ast.AST | None) -> bool:
    """Return whether an expression is the constant `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def parsed_annotation(text: str) -> ast.expr | None:
    """Return the expression in a quoted annotation; None if it is not one."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def children(node: ast.AST) -> list[ast.AST]:
    """Return the direct children of a node, without expression contexts such as `ast.Load`."""
    kind = type(node)
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(name for name in node._fields if name not in _NO_NODES)
    found: list[ast.AST] = []
    for name in _FIELDS[kind]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST)] if name in _MIXED else value
        elif value is not None and isinstance(value, ast.AST):
            found.append(value)
    return found


def placed(made: _Node, at: ast.AST) -> _Node:
    """Return a node that the source does not contain; it and its parts get the place of the node that it stands for."""
    return ast.fix_missing_locations(ast.copy_location(made, at))


def filled(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """Return a copy of an expression with other expressions in place of some variables."""
    copied: ast.expr = _Filled(values).visit(deepcopy(node))
    return copied


class _Filled(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def uncast(node: ast.expr) -> ast.expr:
    """Return the value in a call of `typing.cast`, which only type checkers need."""
    match node:
        case ast.Call(func=ast.Name(id="cast") | ast.Attribute(attr="cast"), args=[_, inner]):
            return inner
    return node


def added_to(place: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield the lists by which statements in a place extend a variable."""
    for node in ast.walk(place):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="append"), args=[one]) if target == name:
                yield placed(ast.List([one], ast.Load()), one)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="extend"), args=[more]) if target == name:
                yield more
            case ast.AugAssign(target=ast.Name(id=target), op=ast.Add(), value=more) if target == name:
                yield more
