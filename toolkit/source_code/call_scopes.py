"""Read what the scope of a call that registers a tool shows: its parameters, its loops and their tables."""

import ast
from collections.abc import Iterator

from toolkit.source_code.list_elements import elements_of
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Meanings
from toolkit.source_code.source_files import Definition, SourceFile, last_name, statements_below
from toolkit.source_code.syntax_nodes import placed
from toolkit.source_code.written_calls import argument_of
from toolkit.tools.foreign.frameworks import is_mark
from toolkit.tools.foreign.source_marks import Registration

LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
LISTING = "list_tools"


def copied_from(call: ast.Call, registration: Registration) -> ast.Name | None:
    """Return the variable from which a definition takes its name: `tool` of `tool.name` or `tool["name"]`."""
    match argument_of(call, registration.name):
        case ast.Attribute(value=ast.Name(id=name) as other) | ast.Subscript(value=ast.Name(id=name) as other):
            return None if name in {"self", "cls"} else other
    return None


def is_named_by_attribute(call: ast.Call, registration: Registration) -> bool:
    """Return whether a definition takes its name from the object whose method makes it: `name=self.name`."""
    match argument_of(call, registration.name):
        case ast.Attribute(value=ast.Name(id="self" | "cls")):
            return True
    return False


def is_received(source: SourceFile, name: str, names: LocalNames | None) -> bool:
    """Return whether a function receives a variable, or a loop or a comprehension yields it."""
    if names is not None and names.is_parameter(name):
        return True
    return any(_binds(one.target, name) for one in _loops(source, names))


def is_parameter(node: ast.expr, names: LocalNames | None) -> bool:
    """Return whether a node is a parameter of a function around it, or passes all of `*args` on."""
    node = node.value if isinstance(node, ast.Starred) else node
    return isinstance(node, ast.Name) and names is not None and names.is_parameter(node.id)


def takes_parameter(given: ast.expr, names: LocalNames) -> bool:
    """Return whether an expression is an item of a parameter, or a variable that a call makes of a parameter."""
    match given:
        case ast.Subscript(value=ast.Name(id=name)):
            return names.is_parameter(name)
        case ast.Name(id=name):
            calls = (one.binding for one in names.find(name) or () if isinstance(one.binding, ast.Call))
            passed = (one for call in calls for one in call.args if isinstance(one, ast.Name))
            return any(names.is_parameter(one.id) for one in passed)
    return False


def iterated(source: SourceFile, name: str, names: LocalNames | None) -> list[ast.expr]:
    """Return what the loops and comprehensions of a scope that yield a variable go through."""
    return [one.iter for one in _loops(source, names) if _binds(one.target, name)]


def rows_of(meanings: Meanings, source: SourceFile, call: ast.Call, names: LocalNames | None) -> list[ast.Dict]:
    """Return the definitions in a table of this file, for each of which a loop or a comprehension runs a call."""
    used = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
    found: list[ast.Dict] = []
    for loop in _loops(source, names):
        match (loop.target, loop.iter):
            case (ast.Tuple(elts=[ast.Name(id=key), ast.Name()]), ast.Call(func=ast.Attribute(owner, "items"))):
                found += _by_key(meanings, source, owner, names) if key in used else ()
            case (ast.Name(id=name), listed) if name in used:
                found += dictionaries_in(meanings, source, listed, names)
    return found


def dictionaries_in(
    meanings: Meanings, source: SourceFile, given: ast.expr, names: LocalNames | None
) -> list[ast.Dict]:
    """Return the definitions of tools in a list of this file: dictionaries with a name and a schema of MCP."""
    found: list[ast.Dict] = []
    for home, one, scope in elements_of(meanings, (source, given, names)):
        named = meanings.values_of(home, one, scope) if isinstance(one, ast.Name) else [(home, one, scope)]
        found += [node for place, node, _ in named if place is source and isinstance(node, ast.Dict)]
    return [one for one in found if {"name", "inputSchema"} <= _keys(one)]


def _by_key(meanings: Meanings, source: SourceFile, owner: ast.expr, names: LocalNames | None) -> Iterator[ast.Dict]:
    """Yield the definitions in a dictionary of this file, each with the name that is its key."""
    tables = meanings.values_of(source, owner, names) if isinstance(owner, ast.Name | ast.Attribute) else ()
    for home, table, _ in tables:
        pairs = zip(table.keys, table.values, strict=True) if isinstance(table, ast.Dict) and home is source else ()
        for key, one in pairs:
            if isinstance(key, ast.Constant) and isinstance(one, ast.Dict) and "inputSchema" in _keys(one):
                yield placed(ast.Dict([ast.Constant("name"), *one.keys], [key, *one.values]), one)


def _keys(node: ast.Dict) -> set[object]:
    return {one.value for one in node.keys if isinstance(one, ast.Constant)}


def is_of_marked(source: SourceFile, names: LocalNames | None) -> bool:
    """Return whether a scope tests the attribute with which a framework marks functions, which are tools already."""
    tests = (one for one in _nodes(source, names) if isinstance(one, ast.Call) and last_name(one.func) == "hasattr")
    return any(isinstance(one, ast.Constant) and is_mark(str(one.value)) for call in tests for one in call.args[1:])


def lists_tools(names: LocalNames | None) -> bool:
    """Return whether a scope is a function that lists the tools of a server."""
    while names is not None:
        if LISTING in (names.node.name, *(last_name(_without_call(one)) for one in names.node.decorator_list)):
            return True
        names = names.outer
    return False


def _without_call(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _loops(source: SourceFile, names: LocalNames | None) -> Iterator[ast.For | ast.AsyncFor | ast.comprehension]:
    return (one for one in _nodes(source, names) if isinstance(one, LOOPS))


def _nodes(source: SourceFile, names: LocalNames | None) -> Iterator[ast.AST]:
    """Yield the nodes of a scope; those of the top level are without functions and classes."""
    outer = [one for one in statements_below(source.tree) if not isinstance(one, Definition)]
    return (part for one in (outer if names is None else [names.node]) for part in ast.walk(one))


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(target))
