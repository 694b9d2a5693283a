"""TK103: two tools with the same name."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.codes import DUPLICATE_TOOL_NAME
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.tools.definition.names import collision

if TYPE_CHECKING:
    from toolkit.source_code.written_tools import WrittenTool


class DuplicateToolName(Rule):
    '''Two different tools have the same name.

    ## Why

    Models, pipelines and the command line identify tools by name. Providers reject a request with two tools of the same
    name, and if both are opened, only one of them can be used. A tool that is imported into a second file still counts
    as one tool, and definitions in JSON are only compared with those in the same folder.

    Names that differ only in case and punctuation, such as `find-order` and `Find_Order`, are reported too, because
    a program that adapts names to a provider may make them identical. Classes that only look like tools of this package,
    in files that do not import it, are not compared: the registry of their project may replace one by another.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def weather(city: str) -> str:
        """Tell today's weather in a city."""
        return f"sun in {city}"


    @tool(name="weather")
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"rain in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def weather(city: str) -> str:
        """Tell today's weather in a city."""
        return f"sun in {city}"


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"rain in {city}"
    ```

    ## Source

    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): "Tool names SHOULD be
      unique within a server" (checked 2026-11-21)
    - names that providers accept, [Dialects](../dialects.md) (checked 2026-11-22); ignoring case and punctuation is
      this project's choice
    '''

    code = DUPLICATE_TOOL_NAME
    severity = "error"

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        first: dict[tuple[str, str], ToolDefinition] = {}
        near: dict[tuple[str, str], ToolDefinition] = {}
        for tool in (one for one in tools if one.is_named and not one.is_lookalike):
            place = _folder_of(tool)
            holder = first.setdefault((place, tool.name), tool)
            if holder is not tool:
                found = collision(tool.name, tool.location, holder.location, holder.source)
                is_own = tool.origin != "json" and tool.framework is None
                hint = found.hint if is_own else _HINT
                yield self.problem(found.message, found.location, hint=hint, related=found.related)
            elif (other := near.setdefault((place, _fold(tool.name)), tool)) is not tool:
                yield self._alike(tool, other)

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        """Check the source for a name that occurs twice in one server or in one list of definitions."""
        first: dict[tuple[object, ...], ast.stmt | ast.expr] = {}
        named = [(tool, tool.name, _holder_of(tool, module)) for tool in module.written if tool.name is not None]
        times = Counter((name, holder) for _, name, holder in named)
        twice = [one for one in named if one[2] is not None and times[one[1:]] > 1]
        blocks = _blocks_of(module) if twice else {}
        for tool, name, holder in twice:
            block = blocks.get(tool.node)
            if block is None or (block[1] == "elts") != (holder == _LIST):
                continue
            key = (name, holder, _times_bound(holder, tool.node, module), block)
            if (other := first.setdefault(key, tool.node)) is not tool.node:
                place = module.framework_functions.get(tool)
                there = place.location if place else module.location(tool.node)
                found = collision(name, there, module.location(other), module.file)
                yield self.problem(found.message, found.location, hint=_HINT, related=found.related)

    def _alike(self, tool: ToolDefinition, other: ToolDefinition) -> Problem:
        folded = _fold(tool.name)
        message = f"tool names {other.name!r} and {tool.name!r} are both {folded!r} after sanitising"
        related = [(other.location, "the other one")] if other.location else []
        hint = "rename one, so that more than case and punctuation tells them apart"
        return self.problem(message, tool.location, hint=hint, related=related)


_LIST = "a list"
_HINT = "give one of them another name"


def _folder_of(tool: ToolDefinition) -> str:
    """Return the folder of a definition in JSON, since each folder counts as one server; empty for other tools."""
    return str(Path(tool.location.file).parent) if tool.origin == "json" and tool.location is not None else ""


def _blocks_of(module: PythonFile) -> dict[ast.AST, tuple[ast.AST, str]]:
    """Return the block or list that contains each statement or list item, since branches exclude one another."""
    return {
        inner: (outer, field)
        for outer in module.nodes
        for field, value in ast.iter_fields(outer)
        if isinstance(value, list)
        for inner in value
        if isinstance(inner, ast.AST)
    }


def _holder_of(tool: "WrittenTool", module: PythonFile) -> str | None:
    """Return the source text of what a tool belongs to; None if that is unknown, or if names may repeat in it."""
    call = tool.mark
    if isinstance(call, ast.Call) and any(one.arg in {None, "version"} for one in call.keywords):
        return None
    if tool.registration is not None and tool.registration.way == "definition" and tool.registration.schema:
        return _LIST if tool.node is call else None
    mark = call.func if isinstance(call, ast.Call) else call
    is_method = tool.kind == "decorator" and isinstance(mark, ast.Attribute)
    return module.segment(mark.value) if is_method and isinstance(mark, ast.Attribute) else None


def _times_bound(holder: str | None, node: ast.stmt | ast.expr, module: PythonFile) -> int:
    """Return how often a variable was assigned before a tool, since each value may be another server."""
    assigned = (one for one in module.tree.body if isinstance(one, ast.Assign) and one.lineno < node.lineno)
    targets = (target for one in assigned for target in one.targets)
    return sum(isinstance(one, ast.Name) and one.id == holder for one in targets)


def _fold(name: str) -> str:
    """Return a name without case, with underscores for everything except letters, digits and underscores."""
    return re.sub(r"\W", "_", name.casefold())
