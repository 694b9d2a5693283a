"""Calls that register tools which the source does not show, such as what a loop receives, and whether they matter."""

import ast
from collections.abc import Collection
from typing import NamedTuple

from toolkit.codes import NO_TOOLS
from toolkit.problems import Location, Problem, Severity
from toolkit.source_code.call_scopes import iterated
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import parts_by_key

_FOLLOW = (
    "import the file where the framework is installed, name a decorator of the project in 'tool-decorators', or name "
    "the JSON file that has the definitions"
)
_OF_PROTOCOL = "inputSchema"
"""The schema of a tool that a client has received from a server."""
_SAVE = "save the definitions that the program sends as JSON: `toolkit lint tools.json` checks them"


class Unfollowed(NamedTuple):
    """A call that registers a tool of a framework, given by its title, but of what is only known at run time.

    A conversion of other objects, such as a dictionary, may be made of tools that are found elsewhere, so it only
    matters if none is found. It is minor if the call makes tools of what whoever calls it knows, or of what is one
    already: see `is_minor` and `is_relayed`.
    """

    call: ast.Call | ast.Dict
    framework: str
    is_minor: bool = False
    is_conversion: bool = False

    def problem_in(self, file: str) -> Problem:
        """Return the problem that not all tools of a file are known."""
        place = Location(file, self.call.lineno, self.call.col_offset + 1)
        severity: Severity = "info" if self.is_minor else "warning"
        if isinstance(self.call, ast.Dict):
            pairs = zip(self.call.keys, self.call.values, strict=True)
            named = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "name"]
            written = ", ".join(map(ast.unparse, named))
            message = f"no tools were found: the source does not show the names of those with {{'name': {written}, …}}"
            return Problem(NO_TOOLS, message, place, severity, _SAVE)
        written = ast.unparse(self.call.func)
        message = f"{self.framework} may have more tools: the source does not show what '{written}(…)' registers"
        return Problem(NO_TOOLS, message, place, severity, _FOLLOW)


def is_minor(source: SourceFile, call: ast.AST, names: LocalNames | None) -> bool:
    """Return whether a call that registers tools for a program's own agent hides none of the project.

    It makes a tool of what its function receives, of what it tests to be one already, or only if the file is run.
    """
    used = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
    through = {
        part.id
        for name in used
        for one in iterated(source, name, names)
        for part in ast.walk(one)
        if isinstance(part, ast.Name)
    }
    if names is not None and any(map(names.is_parameter, used | through)):
        return True
    tests = [one.test for one in ast.walk(source.tree) if isinstance(one, ast.If | ast.IfExp) and _has(one, call)]
    return any(_tests_kind(one, used) or _tests_program(one) for one in tests)


def is_relayed(converted: ast.Dict, names: LocalNames | None) -> bool:
    """Return whether a dictionary describes a tool of a server to which the program is a client."""
    named = parts_by_key(converted).get("name")
    if not (isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name)):
        return False
    schema = ast.dump(ast.Attribute(named.value, _OF_PROTOCOL, ast.Load()))
    around = ast.walk(converted if names is None else names.node)
    return any(isinstance(one, ast.Attribute) and ast.dump(one) == schema for one in around)


def _has(node: ast.AST, call: ast.AST) -> bool:
    return any(one is call for one in ast.walk(node))


def _tests_kind(test: ast.expr, names: Collection[str]) -> bool:
    """Whether a condition is about the class of one of some variables."""
    calls = (one for one in ast.walk(test) if isinstance(one, ast.Call) and last_name(one.func) == "isinstance")
    return any(isinstance(one, ast.Name) and one.id in names for call in calls for one in call.args[:1])


def _tests_program(test: ast.expr) -> bool:
    """Whether a condition is that the file is run as a program."""
    return isinstance(test, ast.Compare) and last_name(test.left) == "__name__"
