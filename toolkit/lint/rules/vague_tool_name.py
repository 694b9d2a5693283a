"""TK106: a name that fits every tool."""

from collections.abc import Iterator, Sequence

from toolkit.codes import VAGUE_TOOL_NAME
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.tools.definition.names import words_of

_VAGUE = {
    "run", "do", "process", "data", "tool", "helper", "func", "function", "main", "go", "thing", "stuff", "misc", "util",
    "utils", "handler", "handle", "action", "task", "work", "test", "foo", "bar", "something", "api", "call", "command",
}  # fmt: skip
_USUAL = {("run", "command"), ("run", "test")}  # what terminals and test runners do


class VagueToolName(Rule):
    '''The name of a tool would fit any other tool as well.

    ## Why

    A model looks at the name first. `process` or `tool1` does not say when the tool is useful, neither to the model
    nor in logs and questions. Use a verb and its object: `convert_currency`.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def tool1(amount: float, currency: str) -> float:
        """Convert an amount of euros into another currency."""
        return amount * len(currency)
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def convert_currency(amount: float, currency: str) -> float:
        """Convert an amount of euros into another currency."""
        return amount * len(currency)
    ```

    ## Source

    - Anthropic, [Writing tools for agents](https://www.anthropic.com/engineering/writing-tools-for-agents): names that say what a
      tool is for (checked 2026-11-22)
    '''

    code = VAGUE_TOOL_NAME
    default = False

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        words = [word for word in words_of(tool.name) if not word.isdigit()]
        if _are_vague(words) and tool.is_named and tool.origin in {"python", "json"}:
            hint = "use a verb and a noun: what it does, and to what"
            yield self.problem(f"the name {tool.name!r} is too general: it could be any tool", tool.location, hint=hint)


def _are_vague(words: Sequence[str]) -> bool:
    """Whether the words are vague together; a letter before other words is a term, as in `t_test`."""
    if (len(words) > 1 and len(words[0]) == 1) or tuple(words) in _USUAL:
        return False
    return bool(words) and all(word in _VAGUE or len(word) == 1 for word in words)
