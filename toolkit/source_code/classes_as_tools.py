"""Find out which classes are tools: by their base class, as a copy of one, or by their attributes."""

import ast
from collections.abc import Iterator

from toolkit.source_code.class_tools import class_tools
from toolkit.source_code.constants import value_in
from toolkit.source_code.file_views import FileView
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined
from toolkit.source_code.own_packages import names_in_frameworks
from toolkit.source_code.registrations import OTHERS, is_of_others
from toolkit.source_code.source_files import FUNCTIONS, last_name
from toolkit.source_code.syntax_nodes import own_nodes
from toolkit.source_code.written_tools import OURS, WrittenTool
from toolkit.tools.foreign.source_marks import OUR_MARKS, SourceMarks, ToolClasses, is_among

_BY_ATTRIBUTES = next(one for one in OUR_MARKS.tool_classes if not one.bases)


class ClassesAsTools:
    """Finds the tools that the classes of a file are."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source

    def of_class(self, node: ast.ClassDef, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a class is, or lists."""
        cls = Defined(self._source, node)
        for base in dict.fromkeys(self._finders.meanings.made_from(cls, names=names)):
            for marks, kind in self._kinds_below(base):
                found = list(self._tools_of_class(marks, kind, cls))
                yield from found
                if found:
                    return
        if (known := self._kind_of_copy(cls)) is not None:
            yield from (one for one in self._tools_of_class(*known, cls) if one.name is not None)
            return
        if names is not None or not looks_like_a_tool(node) or self._finders.declared.is_described(cls):
            yield from self._of_others(cls)
            return
        if self._source.imports_package(OURS) or not _is_command(node):
            yield from self._tools_of_class(OUR_MARKS, _BY_ATTRIBUTES, cls)

    def _of_others(self, cls: Defined) -> Iterator[WrittenTool]:
        """Yield the tool that a class with a name and a description is whose base class is of an unknown framework."""
        marks = marks_of(OTHERS)
        if marks is None or not isinstance(cls.node, ast.ClassDef):
            return
        bases = [one for one in cls.node.bases if is_of_others(self._finders.meanings, self._source, one)]
        for name in filter(None, map(self._source.meaning, bases)):
            for kind in (one for one in marks.tool_classes if is_among(name, one.bases)):
                found = self._tools_of_class(marks, kind, cls)
                yield from (one for one in found if one.name is not None and _describes_itself(one))

    def _kinds_below(self, base: str) -> Iterator[tuple[SourceMarks, ToolClasses]]:
        """Yield how classes with a base class, given by its dotted name, define tools."""
        marks = self._finders.marks.of(base)
        if marks is not None:
            yield from ((marks, kind) for kind in marks.tool_classes if is_among(base, kind.bases))

    def _kind_of_copy(self, cls: Defined) -> tuple[SourceMarks, ToolClasses] | None:
        """Return how a class defines a tool whose base class is in the source of a framework, or in a copy of it.

        That base class runs calls, and no other class is derived from this one.
        """
        for base in self._finders.meanings.bases_of(cls):
            methods = {one.name for one in base.node.body if isinstance(one, FUNCTIONS)}
            for name in names_in_frameworks(base.source.path, base.node.name):
                known = (one for one in self._kinds_below(name) if not methods.isdisjoint(one[1].methods))
                if (found := next(known, None)) is not None:
                    return None if self._finders.uses.derived_from(cls) else found
        return None

    def _tools_of_class(self, marks: SourceMarks, kind: ToolClasses, cls: Defined) -> Iterator[WrittenTool]:
        for one in class_tools(self._finders.constants, self._finders.uses, cls, kind):
            shown = one.method if kind.listing and one.method is not None and one.method in one.node.body else one.node
            yield self._view.tool(
                marks, kind.listing or "class", shown, name=one.name, function=one.method, home=one.home, as_class=one
            )


def _describes_itself(tool: WrittenTool) -> bool:
    return tool.as_class is not None and tool.as_class.value(tool.as_class.kind.description) is not None


def looks_like_a_tool(node: ast.ClassDef) -> bool:
    """Whether a class is a tool by its attributes alone, whatever it is derived from."""
    has_method = any(isinstance(one, FUNCTIONS) and one.name in _BY_ATTRIBUTES.methods for one in node.body)
    return has_method and all(value_in(node, one) for one in (_BY_ATTRIBUTES.name, _BY_ATTRIBUTES.description))


def _is_command(node: ast.ClassDef) -> bool:
    """Whether a class that looks like a tool is a command for people: by its name, or as it answers bit by bit."""
    if any(last_name(one).endswith("Command") for one in (ast.Name(node.name), *node.bases)):
        return True
    methods = (one for one in node.body if isinstance(one, FUNCTIONS) and one.name in _BY_ATTRIBUTES.methods)
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for one in methods for part in own_nodes(one.body))
