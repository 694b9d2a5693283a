"""Finds functions that a program describes to a model: `TOOLS = [{"name": …, "description": …, "func": find}]`.

Instead of the function, an entry may have texts about the parameters: `"parameters": {"order": "string: its number"}`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from toolkit.source_code.registry_calls import FUNCTION_PARTS, is_registration, registered_parts
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import FunctionNode, own_nodes, parts_by_key, placed
from toolkit.tools.definition.names import words_of

TOLD_PARTS = ("parameters", "params", "args", "arguments")
"""What the texts about the parameters of a tool are called."""
DESCRIBING = (ast.Assign, ast.AnnAssign, ast.Call, ast.FunctionDef, ast.AsyncFunctionDef)
"""The nodes that may describe functions."""


class DescribedFunction(NamedTuple):
    """An entry of a table of tools, or the decorator of a function.

    Attributes:
        node: The entry or the decorator.
        name: The expression with its name.
        parts: A dictionary with the name and the description only.
    """

    node: ast.expr
    name: ast.expr
    parts: ast.Dict


def described_functions(node: ast.AST, file: Path) -> Iterator[DescribedFunction]:
    """Yield the entries of a list or a table that a statement or a call names after tools, or a decorator describes.

    A decorator such as `@registry.register(…)` describes a tool in a file that is named after tools, or its folder is.
    """
    if isinstance(node, FunctionNode):
        yield from _decorated(node, is_of_tools=any(map(_names_tools, (file.stem, file.parent.name))))
    if isinstance(node, ast.Call) and is_registration(node):
        yield from _registered(node)
    for listed in _listed_as_tools(node):
        for key, entry in _entries(listed):
            parts = parts_by_key(entry)
            name = parts.get("name", key)
            if name is not None and "description" in parts and (_has_function(parts) or _tells_parameters(parts)):
                yield _described(entry, name, parts["description"])


def _decorated(function: FunctionNode, *, is_of_tools: bool) -> Iterator[DescribedFunction]:
    """Yield what a decorator says of a function, such as `@tools.register(name="find", description="Find orders.")`."""
    for mark in function.decorator_list:
        if not isinstance(mark, ast.Call):
            continue
        if _names_tools(ast.unparse(mark.func)) or (is_of_tools and _registers(mark.func)):
            given = {one.arg: one.value for one in mark.keywords}
            if "description" in given:
                name = given.get("name") or next(iter(mark.args), placed(ast.Constant(function.name), mark))
                yield _described(mark, name, given["description"])


def _registered(call: ast.Call) -> Iterator[DescribedFunction]:
    """Yield what a call such as `register_tool("find", find, "Find an order.")` says of the function that it has."""
    parts = registered_parts(call)
    if {"name", "description"} <= parts.keys() and _has_function(parts):
        yield _described(call, parts["name"], parts["description"])


def _registers(function: ast.expr) -> bool:
    """Whether a function is the method of a registry that keeps a function, such as `registry.register`."""
    owner = function.value if isinstance(function, ast.Attribute) and function.attr == "register" else None
    return owner is not None and "registry" in last_name(owner).lower()


def _described(node: ast.expr, name: ast.expr, description: ast.expr) -> DescribedFunction:
    keys: list[ast.expr | None] = [ast.Constant("name"), ast.Constant("description")]
    return DescribedFunction(node, name, placed(ast.Dict(keys, [name, description]), node))


def _listed_as_tools(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=[target], value=value) if _names_tools(last_name(target)):
            yield value
        case ast.AnnAssign(target=target, value=ast.expr() as value) if _names_tools(last_name(target)):
            yield value
        case ast.Call(keywords=keywords):
            yield from (one.value for one in keywords if one.arg is not None and _names_tools(one.arg))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _names_tools(name):
            returned = (one.value for one in own_nodes(node.body) if isinstance(one, ast.Return))
            yield from (one for one in returned if one is not None)


def _names_tools(name: str) -> bool:
    return not {"tool", "tools"}.isdisjoint(words_of(name))


def _entries(listed: ast.expr) -> Iterator[tuple[ast.expr | None, ast.Dict]]:
    """Yield the dictionaries in a list, or in a table whose keys are the names, or the only one."""
    match listed:
        case ast.List(elts=entries) | ast.Tuple(elts=entries):
            yield from ((None, one) for one in entries if isinstance(one, ast.Dict))
        case ast.Dict(keys=keys, values=values):
            yield None, listed
            yield from ((key, one) for key, one in zip(keys, values, strict=True) if isinstance(one, ast.Dict))


def _tells_parameters(parts: dict[str, ast.expr]) -> bool:
    """Whether an entry with a name says in a text for each parameter what it is, instead of in a schema, and no more.

    What says more, such as a category, is a catalogue for people, of tools that are defined elsewhere.
    """
    given = next((parts[one] for one in TOLD_PARTS if one in parts), None)
    told = parts_by_key(given) if isinstance(given, ast.Dict) and "name" in parts else {}
    is_all = parts.keys() <= {"name", "description", "required", "returns", *TOLD_PARTS}
    return bool(told) and is_all and "type" not in told and all(map(_is_text, told.values()))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _has_function(parts: dict[str, ast.expr]) -> bool:
    return any(isinstance(parts.get(one), ast.Name | ast.Attribute | ast.Lambda) for one in FUNCTION_PARTS)
