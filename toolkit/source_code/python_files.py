"""Python files as rules see them: the functions in a source that are tools, ours and those of other frameworks."""

import ast
import tokenize
from collections.abc import Collection, Mapping
from functools import cached_property
from io import BytesIO

from toolkit.regular_files import MOST_OF_PYTHON, bounded_bytes
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.syntax_nodes import FunctionNode, parts_of
from toolkit.source_code.tool_reader import ToolReader, is_out_of_reach
from toolkit.source_code.written_tools import OURS, Shown, WrittenTool
from toolkit.tools.foreign.source_marks import OUR_MARKS


def make_reader(own_decorators: Collection[str] = ()) -> ToolReader:
    """Return a reader of tools for which every file is a `PythonFile`."""
    reader = ToolReader(lambda path: PythonFile(path, source_text(path), reader=reader), own_decorators)
    return reader


def source_text(path: str) -> str:
    """Return the source of a Python file, with its original line ends.

    Raises:
        OSError: If the file cannot be read, or is too large.
        SyntaxError: If its encoding is unknown.
        ValueError: If it has another encoding than it says.
    """
    source = bounded_bytes(path, most=MOST_OF_PYTHON)
    encoding, _ = tokenize.detect_encoding(BytesIO(source).readline)
    return source.decode(encoding)


class PythonFile(PythonSource):
    """The source of a Python file, and the functions and classes in it."""

    @cached_property
    def functions(self) -> tuple[PythonFunction, ...]:
        """Every function in the file, including methods and inner functions, in the order of the file."""
        marked = {tool.function: tool for tool in self._ours if tool.kind == "decorator"}
        return tuple(
            PythonFunction(self, node, owner, marked.get(node))
            for node, owner in self.definitions
            if isinstance(node, FunctionNode)
        )

    @cached_property
    def tools(self) -> tuple[PythonFunction, ...]:
        """The functions that are marked with our `@tool`, or passed to `tool` or `from_function`."""
        marked = (function for function in self.functions if function.mark is not None)
        return (*marked, *(self.function_of(one) for one in self._ours if one.kind != "decorator"))

    @cached_property
    def out_of_reach(self) -> tuple[PythonFunction, ...]:
        """The marked methods that are no tools, because their class is inside another one, where nothing finds it."""
        inner = {
            node: owner for node, owner in self.definitions if isinstance(node, ast.ClassDef) and owner is not None
        }
        methods = [one for one in self.functions if one.owner in inner and one.mark is None] if inner else []
        return tuple(one for one in methods if self._has_our_mark(one) and self._is_hidden(one.owner, inner))

    def is_held(self, tool: WrittenTool) -> bool:
        """Return whether the top level of the file binds a tool, rather than only passing it on."""
        return tool.mark in self._held

    @cached_property
    def _held(self) -> frozenset[ast.expr]:
        found: list[ast.expr] = list(self.values)
        for value in found:
            found += parts_of(value)
        return frozenset(found)

    def _has_our_mark(self, function: PythonFunction) -> bool:
        marks = (self.reader.registrations.of_decorator(self, one, None) for one in function.node.decorator_list)
        return any(one is not None and one.marks is OUR_MARKS for one in marks)

    def _is_hidden(self, cls: ast.ClassDef | None, inner: Mapping[ast.ClassDef, ast.ClassDef]) -> bool:
        return cls is not None and is_out_of_reach(self, LocalNames(cls, LocalNames(inner[cls], None)))

    @cached_property
    def frameworks(self) -> tuple[str, ...]:
        """The other frameworks that the file imports, without packages of the project with their names."""
        return self.reader.meanings.frameworks_in(self)

    @cached_property
    def written(self) -> tuple[WrittenTool, ...]:
        """The tools of other frameworks that the file defines, and those of ours that are classes."""
        return tuple(tool for tool in self.shown.tools if tool.framework != OURS or tool.as_class is not None)

    @cached_property
    def elsewhere(self) -> tuple[WrittenTool, ...]:
        """The tools of this package that the file makes of functions that are not in it."""
        others = (tool for tool in self.shown.tools if not self._is_here(tool))
        return tuple(tool for tool in others if tool.framework == OURS and tool.as_class is None)

    def function_behind(self, tool: WrittenTool) -> PythonFunction | None:
        """Return the function that a tool calls, in whichever file it is; None if the source does not show it."""
        if self._is_here(tool):
            return self.function_of(tool)
        home = None if tool.home is None else self.reader.meanings.source(tool.home)
        is_shown = isinstance(home, PythonFile) and isinstance(tool.function, FunctionNode)
        return home.function_of(tool) if is_shown else None  # type: ignore[union-attr]  # as checked

    @cached_property
    def framework_functions(self) -> Mapping[WrittenTool, PythonFunction]:
        """The functions in this file that tools of other frameworks, and classes that are tools, call."""
        return {tool: self.function_of(tool) for tool in self.written if self._is_here(tool)}

    @cached_property
    def outer_functions(self) -> tuple[PythonFunction, ...]:
        """The functions in other files of the project that this file makes tools."""
        made = (tool for tool in self.shown.tools if tool.as_class is None and not self._is_here(tool))
        return tuple(filter(None, map(self.function_behind, made)))

    @cached_property
    def _ours(self) -> tuple[WrittenTool, ...]:
        """The functions of this file that our marks make tools, each as a tool."""
        here = (tool for tool in self.shown.tools if self._is_here(tool))
        return tuple(tool for tool in here if tool.framework == OURS and tool.as_class is None)

    @cached_property
    def shown(self) -> Shown:
        """The tools of any framework that the file defines, and the calls for others that it does not show."""
        is_worth_reading = self.reader.hints.may_have_tools(self.path, self.text.encode(errors="replace"))
        return self.reader.shown_in(self) if is_worth_reading else Shown()

    def _is_here(self, tool: WrittenTool) -> bool:
        return tool.home == self.path and isinstance(tool.function, FunctionNode)

    def function_of(self, tool: WrittenTool) -> PythonFunction:
        """Return the function in this file that a tool calls."""
        assert isinstance(tool.function, FunctionNode)  # as asked before
        return PythonFunction(self, tool.function, self._owners.get(tool.function), tool)

    @cached_property
    def _owners(self) -> Mapping[FunctionNode, ast.ClassDef | None]:
        return {node: owner for node, owner in self.definitions if isinstance(node, FunctionNode)}
