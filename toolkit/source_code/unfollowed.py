"""Find calls that register tools which the source does not show, such as what a loop receives."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.codes import NO_TOOLS
from toolkit.problems import Location, Problem
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.registrations import argument_of
from toolkit.source_code.source_files import Definition, SourceFile, last_name, statements_below
from toolkit.tools.foreign.frameworks import is_mark
from toolkit.tools.foreign.source_marks import Registration

_FOLLOW = "import the file where the framework is installed, or name a decorator of the project in 'tool-decorators'"
LISTING = "list_tools"


class Unfollowed(NamedTuple):
    """A call that registers a tool of a framework, given by its title, but of what is only known at run time."""

    call: ast.Call
    framework: str

    def problem_in(self, file: str) -> Problem:
        """Return the problem that not all tools of a file are known."""
        written = ast.unparse(self.call.func)
        message = f"{self.framework} may have more tools: the source does not show what '{written}(…)' registers"
        place = Location(file, self.call.lineno, self.call.col_offset + 1)
        return Problem(NO_TOOLS, message, place, "warning", _FOLLOW)


def copied_from(call: ast.Call, registration: Registration) -> ast.Name | None:
    """Return the variable from which a definition takes its name: `tool` of `tool.name` or `tool["name"]`."""
    match argument_of(call, registration.name):
        case ast.Attribute(value=ast.Name(id=name) as other) | ast.Subscript(value=ast.Name(id=name) as other):
            return None if name in {"self", "cls"} else other
    return None


def is_received(source: SourceFile, name: str, names: LocalNames | None) -> bool:
    """Return whether a function receives a variable, or a loop or a comprehension yields it."""
    if names is not None and names.is_parameter(name):
        return True
    return any(_binds(one.target, name) for one in _loops(source, names))


def iterated(source: SourceFile, name: str, names: LocalNames | None) -> list[ast.expr]:
    """Return what the loops and comprehensions of a scope that yield a variable go through."""
    return [one.iter for one in _loops(source, names) if _binds(one.target, name)]


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


def wrapped_by(function: Definition) -> ast.expr | None:
    """Return the function whose name and parameters another one copies with `functools.wraps`, or `None`."""
    calls = (one for one in function.decorator_list if isinstance(one, ast.Call))
    return next((one.args[0] for one in calls if one.args and last_name(one.func) == "wraps"), None)


def _without_call(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _loops(source: SourceFile, names: LocalNames | None) -> Iterator[ast.For | ast.AsyncFor | ast.comprehension]:
    return (one for one in _nodes(source, names) if isinstance(one, ast.comprehension | ast.For | ast.AsyncFor))


def _nodes(source: SourceFile, names: LocalNames | None) -> Iterator[ast.AST]:
    """Yield the nodes of a scope; those of the top level are without functions and classes."""
    outer = [one for one in statements_below(source.tree) if not isinstance(one, Definition)]
    return (part for one in (outer if names is None else [names.node]) for part in ast.walk(one))


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(target))
