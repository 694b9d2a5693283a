"""Derives the return annotation of a function from its body."""

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from toolkit.source_code.python_functions import PythonFunction

_MADE: Final[Mapping[type[ast.expr], str]] = {
    ast.JoinedStr: "str",
    ast.Compare: "bool",
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
}
_CALLED: Final = {"str": "str", "repr": "str", "int": "int", "len": "int", "float": "float", "bool": "bool"}
_OF_TEXT: Final = frozenset({"join", "format", "strip", "upper", "lower", "replace", "title"})


def annotation_hint(function: PythonFunction) -> str:
    """Return a hint on annotating a function's return type, with the type if its source shows one."""
    shown = returned_type(function)
    return "annotate it with the type of what it returns" if shown is None else f"annotate it: -> {shown}"


def returned_type(function: PythonFunction) -> str | None:
    """Return the annotation that fits a function's return statements; None if the type of one is unknown."""
    nodes = function.own_nodes
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
        return None
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    does_something = any(isinstance(node, ast.stmt) and not _is_placeholder(node) for node in nodes)
    exits = _always_exits(function.node.body)
    if not returned:
        return "None" if does_something and not exits else None
    if not exits and any(value is not None for value in returned):
        return None
    types = dict.fromkeys(_type_of(value, function) for value in returned)
    if None in types:
        return None
    return " | ".join(sorted(filter(None, types), key=lambda one: one == "None"))


def _type_of(value: ast.expr | None, function: PythonFunction) -> str | None:
    match value:
        case None:
            return "None"
        case ast.Constant(value=constant):
            return "None" if constant is None else type(constant).__name__
        case ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.Name(id=name):
            return _type_of_parameter(name, function)
        case ast.Call(func=ast.Name(id=name)) if name not in function.file.imported_names:
            return _CALLED.get(name)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr=name)) if name in _OF_TEXT:
            return "str"
    return _MADE.get(type(value))


def _type_of_parameter(name: str, function: PythonFunction) -> str | None:
    """Return the annotation of a parameter that is never reassigned, or None."""
    if any(isinstance(node, ast.Name) and node.id == name and _is_bound(node) for node in function.own_nodes):
        return None
    found = next((one for one in function.parameters if one.name == name and not one.is_variadic), None)
    return None if found is None or found.node.annotation is None else ast.unparse(found.node.annotation)


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_placeholder(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _always_exits(body: Sequence[ast.stmt]) -> bool:
    """Return whether a block always returns or raises, judging by its form."""
    match body[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=first, orelse=second):
            return bool(second) and _always_exits(first) and _always_exits(second)
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return _always_exits(inner)
        case ast.Try(body=inner, handlers=handlers, orelse=after):
            return _always_exits(after or inner) and all(_always_exits(one.body) for one in handlers)
    return False
