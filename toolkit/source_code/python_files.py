"""Python files as rules see them: the functions in a source that are tools.

Nothing is run: a tool is recognized by its decorator, `@tool` or `@toolkit.tool`, whatever name it is imported as.
"""

import ast
import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import SourceFile
from toolkit.source_code.syntax_nodes import FunctionNode
from toolkit.tools.frameworks import framework_of

if TYPE_CHECKING:
    from toolkit.source_code.written_tools import WrittenTool

_OUR_CALL = "from_function("
# Each pattern begins with literal text, which is ten times faster to search for than the start of a line.
_OTHER_DECORATOR = re.compile(r"\n[ \t]*@(?!tool\b|toolbox\b|toolkit\b)[\w.]*tool\b")
_OTHER_CALL = re.compile(r"\.tool\((?<!\btoolkit\.tool\()")


class Reader(Protocol):
    """Finds the tools of other frameworks in a parsed file."""

    def tools_in(self, source: SourceFile) -> tuple["WrittenTool", ...]:
        """Return the tools in the order of the file."""


class PythonFile(PythonSource):
    """The source of a Python file, and the functions and classes in it."""

    def __init__(self, file: str, text: str, reader: "Reader | None" = None, tree: ast.Module | None = None) -> None:
        """Parse the source.

        Args:
            file: The file name in the locations of problems.
            text: The source, with its original line ends.
            reader: Finds the tools of other frameworks; without it, they are ignored.
            tree: The syntax tree of the source, if it was parsed before.

        Raises:
            SyntaxError: If the source is not valid Python.
        """
        super().__init__(file, text, tree)
        self._reader = reader

    @cached_property
    def functions(self) -> tuple[PythonFunction, ...]:
        """Every function in the file, including methods and inner functions, in the order of the file."""
        return tuple(
            PythonFunction(self, node, owner) for node, owner in self.definitions if isinstance(node, FunctionNode)
        )

    @cached_property
    def tools(self) -> tuple[PythonFunction, ...]:
        """The functions that are marked with our `@tool`, or passed to `from_function`."""
        marked = (function for function in self.functions if function.mark is not None)
        made = _OUR_CALL in self.text and self._found
        return (*marked, *(self._made(one) for one in made or () if one.framework == "toolkit" and self._is_made(one)))

    @property
    def may_hold_others(self) -> bool:
        """Whether the file may define tools of other frameworks: it imports one, or has another `tool` decorator."""
        return bool(self.frameworks or _OTHER_DECORATOR.search(f"\n{self.text}") or _OTHER_CALL.search(self.text))

    @cached_property
    def frameworks(self) -> tuple[str, ...]:
        """The other frameworks that the file imports."""
        return tuple(dict.fromkeys(filter(None, map(framework_of, self.imports.values()))))

    @cached_property
    def written(self) -> tuple["WrittenTool", ...]:
        """The tools of other frameworks that the file defines."""
        found = self._found if self.may_hold_others else ()
        return tuple(tool for tool in found if tool.framework != "toolkit")

    @cached_property
    def _found(self) -> tuple["WrittenTool", ...]:
        if self._reader is None:
            return ()
        return self._reader.tools_in(SourceFile(os.path.realpath(self.file), self.tree))

    def _is_made(self, tool: "WrittenTool") -> bool:
        is_here = tool.home == os.path.realpath(self.file)
        return tool.kind == "from_function" and is_here and isinstance(tool.function, FunctionNode)

    def _made(self, tool: "WrittenTool") -> PythonFunction:
        own = next(function for function in self.functions if function.node is tool.function)
        return PythonFunction(self, own.node, own.owner, made_by=tool.mark)

    @cached_property
    def framework_functions(self) -> Mapping["WrittenTool", PythonFunction]:
        """The functions in this file that tools of other frameworks call."""
        if not self.written:
            return {}
        own = {function.node: function.owner for function in self.functions}
        here = os.path.realpath(self.file)
        return {
            tool: PythonFunction(self, tool.function, own.get(tool.function), tool)
            for tool in self.written
            if tool.home == here and isinstance(tool.function, FunctionNode)
        }
