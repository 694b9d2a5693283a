"""Find the definitions that functions of a file make of each call that gives them a name.

Such a function returns a dictionary, or appends it to a list: `_declare("find", "Find an order.", {…})`.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.source_code.source_files import SourceFile, last_name, statements_below
from toolkit.source_code.syntax_nodes import FunctionNode, parts_by_key
from toolkit.source_code.written_calls import filled_by_call


class MadeDefinition(NamedTuple):
    """A dictionary that a function makes of a call, at the place of the call, and the one that it is made from."""

    whole: ast.Dict
    template: ast.Dict


def made_definitions(source: SourceFile) -> Iterator[MadeDefinition]:
    """Yield what the functions of a file make of each call of them in the file."""
    templates = {}
    for one in source.statements:
        if isinstance(one, FunctionNode):
            found = [made for made in map(_made_by, statements_below(one)) if made is not None]
            if len(found) == 1 and _is_named_by_variable(found[0]):
                templates[one.name] = (one, found[0])
    for call in source.nodes if templates else ():
        if isinstance(call, ast.Call) and (known := templates.get(last_name(call.func))) is not None:
            function, template = known
            made = filled_by_call(call, function, template)
            if isinstance(made, ast.Dict):
                yield MadeDefinition(made, template)


def _made_by(statement: ast.stmt) -> ast.Dict | None:
    """Return the dictionary that a statement returns, or appends to a list."""
    match statement:
        case ast.Return(value=ast.Dict() as made):
            return made
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[ast.Dict() as made])):
            return made
    return None


def _is_named_by_variable(made: ast.Dict) -> bool:
    """Whether a dictionary begins with a variable as its name, or has one that does."""
    parts = parts_by_key(made)
    inner = parts.get("function")
    named = (parts_by_key(inner) if isinstance(inner, ast.Dict) else parts).get("name")
    return isinstance(named, ast.Name)
