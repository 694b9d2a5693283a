"""TK508: a tool that does not declare its effects."""

from collections.abc import Iterator

from toolkit.codes import MISSING_ANNOTATIONS
from toolkit.lint.clues.effects import effects_of, with_option
from toolkit.lint.clues.wording import READING
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.names import words_of


class MissingAnnotations(Rule):
    '''A tool has none of MCP's hints: whether it is read-only, destructive, idempotent or reaches the outside world.

    ## Why

    A client assumes that a tool without hints destroys things and reaches the outside world, so it asks for approval
    each time, or does not offer the tool. Declare what applies: many clients call a read-only tool without asking. The
    fix guesses from names and calls, so review it.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def count_words(text: str) -> int:
        """Count the words of a text."""
        return len(text.split())
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(read_only=True)
    def count_words(text: str) -> int:
        """Count the words of a text."""
        return len(text.split())
    ```

    ## Source

    - MCP 2025-11-25, [ToolAnnotations](https://modelcontextprotocol.io/specification/2025-11-25/schema): `destructiveHint` and
      `openWorldHint` are true by default (checked 2026-11-22)
    '''

    code = MISSING_ANNOTATIONS
    severity = "info"
    fix = "unsafe"
    providers = ("mcp",)

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        spec = tool.spec
        if spec is None or tool.origin == "pipeline":
            return
        if all(hint is None for hint in (spec.read_only, spec.destructive, spec.idempotent, spec.open_world)):
            message = f"tool {tool.name!r} has no hints about its effects, so clients assume the worst"
            hint = "write @tool(read_only=True) or @tool(destructive=…)" if tool.function else 'add "annotations"'
            if tool.terms is not None:
                if tool.terms.effects is None:
                    return  # its tools cannot declare effects
                hint = f"write {tool.terms.effects}, or what applies to it"
            yield self.problem(message, tool.location, hint=hint, fix=self._marking(tool.function))

    def _marking(self, function: PythonFunction | None) -> Fix | None:
        """Return the fix that marks the tool according to its name and its calls."""
        if function is None or function.mark is None:
            return None
        words, effects = words_of(function.tool_name), list(effects_of(function))
        option = "read_only=True" if not effects and words and words[0] in READING else "destructive=True"
        return self.fixed_by(f"Write {option}", with_option(function, function.mark, option))
