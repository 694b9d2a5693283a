"""Find the tools that are instances of the same class: a call or a statement gives each its name."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.source_code.class_tools import name_place, own_name
from toolkit.source_code.constants import Constants
from toolkit.source_code.known_marks import MarksTable
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.meanings import Defined, Meaning, Object
from toolkit.source_code.source_files import SourceFile
from toolkit.source_code.written_calls import argument_of
from toolkit.tools.foreign.source_marks import SourceMarks, ToolClasses, is_among

_NAMES = {"name", "tool_name"}


class NamedInstance(NamedTuple):
    """A tool with a name of its own, and the call or the statement that names it."""

    marks: SourceMarks
    node: ast.Call | ast.Assign
    name: str


class Instances:
    """Finds instances that are named."""

    def __init__(self, constants: Constants, marks: MarksTable) -> None:
        self._constants = constants
        self._meanings = constants.meanings
        self._marks = marks

    def made_by(self, source: SourceFile, call: ast.Call, names: LocalNames | None) -> NamedInstance | None:
        """Return the tool that a call makes of a class which has no name of its own, or `None`."""
        for cls in self._meanings.of(source, call.func, names) if call.args or call.keywords else ():
            for marks, kind in self._kinds_of(cls):
                line = self._constants.meanings.line_of(cls) if isinstance(cls, Defined) else []
                named = argument_of(call, name_place(line, kind)) if own_name(line, kind) is None else None
                name = None if named is None else self._constants.text(source, named, names)
                if name:
                    return NamedInstance(marks, call, name)
        return None

    def renamed_in(self, source: SourceFile) -> Iterator[NamedInstance]:
        """Yield the tools that statements rename: `google = Search()`, and then `google.name = "google"`."""
        for one in source.statements:
            match one:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name() as variable, attr=attribute)], value=value):
                    names = scope_around(source.tree, one) if attribute in _NAMES else None
                    made = self._meanings.of(source, variable, names) if attribute in _NAMES else ()
                    classes = [Defined(each.source, each.node) for each in made if isinstance(each, Object)]
                    kinds = (pair for cls in classes for pair in self._kinds_of(cls) if pair[1].name == attribute)
                    marks, _ = next(kinds, (None, None))
                    name = None if marks is None else self._constants.text(source, value, names)
                    if marks is not None and name:
                        yield NamedInstance(marks, one, name)

    def _kinds_of(self, cls: Meaning) -> Iterator[tuple[SourceMarks, ToolClasses]]:
        """Yield how a class of the project defines a tool whose name is an attribute."""
        if not (isinstance(cls, Defined) and isinstance(cls.node, ast.ClassDef)):
            return
        for base in dict.fromkeys(self._meanings.made_from(cls)):
            marks = self._marks.of(base)
            for kind in marks.tool_classes if marks else ():
                if marks is not None and not kind.listing and is_among(base, kind.bases):
                    yield marks, kind
