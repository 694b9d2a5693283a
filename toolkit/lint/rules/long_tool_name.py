"""TK102: a name that is longer than some providers accept."""

from collections.abc import Iterator

from toolkit.codes import LONG_TOOL_NAME
from toolkit.dialects.conformance import name_objections
from toolkit.dialects.providers import LIMITS
from toolkit.lint.clues.provider_objections import ProviderRule
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Problem


class LongToolName(ProviderRule):
    '''The name of a tool is longer than its providers accept.

    ## Why

    A request with such a name fails as a whole, with all its other tools. The name that is sent counts, including the
    prefix of a server or a group. Most providers accept 64 characters. If newer versions accept more, a name between
    the two limits is a warning.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def find_all_customers_that_have_ordered_more_than_once_within_the_last_year(city: str) -> str:
        """Find the customers of a city that came back within a year."""
        return f"nobody in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def find_returning_customers(city: str) -> str:
        """Find the customers of a city that came back within a year."""
        return f"nobody in {city}"
    ```

    ## Source

    - OpenAI, `FunctionDefinition.name`: "with a maximum length of 64" (`openai` 3.54.0,
      `types/shared_params/function_definition.py`, checked 2026-11-22)
    - Amazon Bedrock, `ToolName`: 1 to 64 characters (`botocore` 1.44.5, `bedrock-runtime/service-2.json`, checked
      2026-11-22)
    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): 1 to 128 characters
      (checked 2026-11-22)
    '''

    code = LONG_TOOL_NAME
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Check the name, which the source shows unless an option computes it."""
        function = tool.function
        if not tool.is_named or (tool.terms and tool.terms.rewrites_names):
            return
        if tool.spec is not None:
            yield from super().check_tool(tool)
        elif function is not None and ("name" not in function.options or function.option("name")):
            for provider in self.settings.providers:
                for objection in name_objections(tool.name, LIMITS[provider], tool.source or ""):
                    if objection.code == self.code:
                        yield self.objecting(tool, objection)
