"""TK103: two tools of one name."""

from collections.abc import Iterator, Sequence

from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class DuplicateToolName(Rule):
    '''Two different tools have the same name.

    ## Why

    Names are how a model, a pipeline and the command line tell tools apart. Providers refuse a request with two tools of
    one name, and whoever opens both can use only one of them. A tool that is imported into a second file is still one
    tool.

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
    '''

    code = "TK103"
    name = "duplicate-tool-name"
    severity = "error"

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        first: dict[str, ToolDefinition] = {}
        for tool in tools:
            holder = first.setdefault(tool.name, tool)
            if holder is not tool:
                from toolkit.tools.resolution import collision  # noqa: PLC0415 - only bad news needs it

                found = collision(tool.name, tool.location, holder.location, holder.source)
                yield self.problem(found.message, found.location, hint=found.hint, related=found.related)
