"""Find the definitions that a file makes of the calls of its functions, and in the turns of its loops.

Such a function returns a dictionary, or appends it to a list: `_declare("find", "Find an order.", {…})`. A loop, or a
comprehension, makes one of each row of a table.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.source_code.local_names import scope_around
from toolkit.source_code.loops import Loops
from toolkit.source_code.source_files import SourceFile, last_name, statements_below
from toolkit.source_code.syntax_nodes import FunctionNode, parts_by_key
from toolkit.source_code.written_calls import filled_by_call


class MadeDefinition(NamedTuple):
    """A dictionary that a file makes, at the place of the call or the row, and the one that it is made from."""

    whole: ast.Dict
    template: ast.Dict


def made_of_rows(source: SourceFile, loops: Loops) -> Iterator[MadeDefinition]:
    """Yield what the loops of a file make of each row that the file has, if a row gives it a name."""
    for node in source.nodes:
        if isinstance(node, ast.Dict) and (name := _name_in(node)) is not None and not _is_shown(name):
            for turn in loops.turns_around(source, name, scope_around(source.tree, node)):
                made = turn.shown_in(source, node)
                if (named := _name_in(made)) is not None and _is_shown(named):
                    yield MadeDefinition(made, node)


def made_by_calls(source: SourceFile) -> Iterator[MadeDefinition]:
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
    return isinstance(_name_in(made), ast.Name)


def _name_in(made: ast.Dict) -> ast.expr | None:
    """Return the name in a definition, or in the object in it that has the name."""
    parts = parts_by_key(made)
    inner = parts.get("function")
    return (parts_by_key(inner) if isinstance(inner, ast.Dict) else parts).get("name")


def _is_shown(name: ast.expr) -> bool:
    """Whether a name is written where it is: as a text, or as one that is put together of texts."""
    if isinstance(name, ast.JoinedStr):
        return all(_is_shown(one.value if isinstance(one, ast.FormattedValue) else one) for one in name.values)
    return isinstance(name, ast.Constant)
