"""A file that is searched for tools, with the finders of its project and notes on what was not found."""

import ast
from typing import Any

from toolkit.source_code.call_scopes import is_of_marked, takes_parameter
from toolkit.source_code.finders import Finders
from toolkit.source_code.known_marks import framework_with
from toolkit.source_code.list_elements import Expression
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.meanings import Defined
from toolkit.source_code.registrations import Registered
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile
from toolkit.source_code.unfollowed_calls import Unfollowed, is_minor
from toolkit.source_code.written_tools import OURS, Function, WrittenTool, value_of
from toolkit.tools.foreign.source_marks import OUR_MARKS, Registration, SourceMarks


class FileView:
    """A file that is searched for tools; the classes that find them share it.

    Attributes:
        finders: The finders of its project.
        source: The file.
        named: The marks in factories, calls of which show the names of their tools.
        unfollowed: The calls that register tools that the file does not show.
        lists_tools: Whether the file has a function that lists the tools of a server.
    """

    def __init__(self, finders: Finders, source: SourceFile) -> None:
        """Create a view of a file of which nothing is known yet."""
        self.finders = finders
        self.source = source
        self.named: list[ast.expr] = []
        self.unfollowed: list[Unfollowed] = []
        self.lists_tools = False

    def tool(
        self, marks: SourceMarks, kind: str, node: ast.stmt | ast.expr, *, framework: str | None = None, **known: Any
    ) -> WrittenTool:
        """Return a tool of the file, of the framework of its marks if no other one is given."""
        framework = framework or framework_with(marks) or OURS
        return WrittenTool(self.source.path, framework, marks, kind, node, **known)

    def name(
        self, mark: ast.expr, registration: Registration, otherwise: str | None, names: LocalNames | None
    ) -> str | None:
        """Return the name that a decorator or call gives a tool, or another one if it gives none."""
        return self.finders.names.of_mark(Expression(self.source, mark, names), registration, otherwise)

    def of_dictionary(self, marks: SourceMarks, kind: str, defined: ast.Dict) -> WrittenTool:
        """Return the tool that a dictionary defines."""
        named = value_of(defined, "name")
        name = None if named is None else self.finders.constants.text(self.source, named)
        return self.tool(marks, kind, defined, name=name, declared=defined)

    def functions(self, given: ast.expr, names: LocalNames | None, source: SourceFile | None = None) -> list[Defined]:
        """Return the functions that an expression in this file, or in another one, may be."""
        found = dict.fromkeys(self.finders.meanings.of(source or self.source, given, names))
        return [one for one in found if isinstance(one, Defined) and isinstance(one.node, FUNCTIONS)]

    def is_marked(self, defined: Defined, marks: SourceMarks | None = None) -> bool:
        """Whether a decorator, possibly only one of some marks, makes a function a tool."""
        find = self.finders.registrations.of_decorator
        decorators = defined.node.decorator_list
        scope = scope_around(defined.source.tree, defined.node) if decorators else None
        registered = (find(defined.source, one, scope) for one in decorators)
        return any(one is not None and one.marks is (marks or one.marks) for one in registered)

    def note(self, call: ast.Call, found: Registered, given: ast.expr, names: LocalNames | None) -> None:
        """Note a call that may register any number of tools; not one for an object of a framework."""
        is_object = any(isinstance(one, str) for one in self.finders.meanings.of(self.source, given, names))
        if not found.marks.serves and names is not None and takes_parameter(given, names):
            return  # a function that makes tools of what it receives, for an agent of whoever calls it
        if found.marks is not OUR_MARKS and not is_object and not is_of_marked(self.source, names):
            self.leave_open(call, found, names)

    def leave_open(self, call: ast.Call, found: Registered, names: LocalNames | None) -> None:
        """Note a call that registers tools that the file does not show."""
        is_mild = not found.marks.serves and is_minor(self.source, call, names)
        self.unfollowed.append(Unfollowed(call, found.marks.title, is_mild))


def as_function(node: Definition) -> Function | None:
    """Return a definition if it is a function."""
    return node if isinstance(node, FUNCTIONS) else None
