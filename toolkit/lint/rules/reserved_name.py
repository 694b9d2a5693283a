"""TK104: a tool with the name of a tool that a provider runs itself."""

from collections.abc import Iterator, Mapping

from toolkit.codes import RESERVED_NAME
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_HOSTED: Mapping[str, str] = {
    **dict.fromkeys(
        ("web_search", "code_interpreter", "file_search", "image_generation", "computer_use_preview"), "OpenAI"
    ),
    **dict.fromkeys(
        ("bash", "computer", "str_replace_based_edit_tool", "str_replace_editor", "web_fetch"), "Anthropic"
    ),
    **dict.fromkeys(("code_execution", "google_search", "url_context"), "Gemini"),
}


class ReservedName(Rule):
    '''A tool has the name of a tool that a provider runs itself.

    ## Why

    Models are trained on the tools of their own provider, so they expect `bash` or `web_search` to do what these do,
    with the same parameters. Another tool of that name is called in the wrong way, is refused if both are offered, and
    receives calls that were meant for the other.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def bash(order: str) -> str:
        """Send an order for bread to the baker's machine."""
        return f"ordered {order}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def order_bread(order: str) -> str:
        """Send an order for bread to the baker's machine."""
        return f"ordered {order}"
    ```

    ## Source

    - OpenAI, [Using tools](https://developers.openai.com/api/docs/guides/tools); Anthropic,
      [Tool use](https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview) (checked 2026-11-22)
    '''

    code = RESERVED_NAME
    default = False

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        provider = _HOSTED.get(tool.name.lower().replace("-", "_"))
        if provider is None or _is_ready(tool) or not tool.is_named:
            return
        message = f"{tool.name!r} is the name of a tool that {provider} runs itself"
        yield self.problem(
            message, tool.location, hint="choose a name that says what this tool does, such as 'search_catalogue'"
        )


def _is_ready(tool: ToolDefinition) -> bool:
    """Whether it is a ready tool of this package, which users select by this name."""
    return tool.origin == "object" and tool.location is None and tool.source in {"builtin", tool.name}
