"""TK507: a tool's marks contradict each other."""

import ast
from collections.abc import Iterator

from toolkit.codes import CONTRADICTORY_HINTS
from toolkit.lint.clues.effects import Effect, effects_of
from toolkit.lint.clues.guards import carriers_of, names_in
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.written_tools import value_of


class ContradictoryHints(Rule):
    '''A tool is marked as read-only, but changes something or is also marked as destructive.

    ## Why

    A tool marked `read_only` runs without approval, in parallel with others, and is retried after a failure. A client
    that trusts the mark lets a model write and delete without asking.

    ## Example

    ```python
    from pathlib import Path

    from toolkit import tool


    @tool(read_only=True)
    def note(text: str) -> str:
        """Keep a note for later."""
        Path("notes.txt").write_text(text)
        return "noted"
    ```

    ## Instead

    ```python
    from pathlib import Path

    from toolkit import tool


    @tool(destructive=False)
    def note(text: str) -> str:
        """Keep a note for later."""
        Path("notes.txt").write_text(text)
        return "noted"
    ```

    ## Source

    - MCP 2025-11-25, [ToolAnnotations](https://modelcontextprotocol.io/specification/2025-11-25/schema): `destructiveHint` is
      "meaningful only when `readOnlyHint == false`" (checked 2026-11-22)
    '''

    code = CONTRADICTORY_HINTS
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.spec is not None and tool.spec.read_only and tool.spec.destructive:
            message = f"tool {tool.name!r} is marked both read-only and destructive"
            yield self.problem(message, tool.location, hint="remove one of the two")
        function = tool.function
        is_read_only = function is not None and function.option("read_only") is True
        if function is not None and is_read_only and (effect := next(effects_of(function), None)):
            message = f"tool {tool.name!r} is marked read-only, but uses '{effect.what}'"
            related = [(function.file.location(function.options["read_only"]), "marked here")]
            place = function.file.location(effect.node)
            yield self.problem(message, place, hint="remove 'read_only=True'", related=related)
        if function is not None and (mark := _foreign_read_only(tool, function)) is not None:
            effect = next((one for one in effects_of(function) if _is_chosen(function, one)), None)
            if effect is not None:
                message = f"tool {tool.name!r} is marked read-only, but uses '{effect.what}'"
                related = [(function.file.location(mark), "marked here")]
                place = function.file.location(effect.node)
                yield self.problem(message, place, hint="remove 'readOnlyHint'", related=related)


def _foreign_read_only(tool: ToolDefinition, function: PythonFunction) -> ast.expr | None:
    """Return what marks a tool of another framework as read-only, such as `annotations={"readOnlyHint": True}`."""
    declared = function.written.argument(tool.terms.declared) if function.written and tool.terms else None
    match declared:
        case ast.Dict():
            given = value_of(declared, "readOnlyHint")
        case ast.Call(keywords=keywords):
            names = ("readOnlyHint", "read_only_hint")
            given = next((one.value for one in keywords if one.arg in names), None)
        case _:
            given = None
    return declared if isinstance(given, ast.Constant) and given.value is True else None


def _is_chosen(function: PythonFunction, effect: Effect) -> bool:
    """Whether an effect is more than a cache of the tool's own: a model chooses the place, or something is lost."""
    if effect.kind != "write":
        return True
    names = names_in(effect.node)
    return any(names & carriers_of(function, one.name) for one in function.parameters)
