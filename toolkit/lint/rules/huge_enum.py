"""TK310: an enum with too many values."""

from collections.abc import Iterator

from toolkit.codes import HUGE_ENUM
from toolkit.lint.clues.provider_objections import ProviderRule
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Problem


class HugeEnum(ProviderRule):
    """An enum has more than 50 values.

    ## Why

    The whole list is sent with every request, so you pay for it each time, and a model that has to choose among
    hundreds of values may choose a similar one. OpenAI's strict mode rejects more than 1,000 values in one tool.
    Instead, accept a string that the tool looks up, and answer with the closest values if it is not found. The limit is
    `max-enum-values` in `[tool.toolkit.lint]`.

    ## Example

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {"type": "object", "properties": {"day": {"type": "integer", "enum": [
          1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51
        ]}}}
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {"type": "object", "properties": {"day": {"type": "integer", "minimum": 1, "maximum": 51}}}
      }
    ]
    ```

    ## Source

    - OpenAI, [structured outputs](https://developers.openai.com/api/docs/guides/structured-outputs): at most 1,000 values
      (checked 2026-11-22)
    - the lower limit is this project's choice
    """

    code = HUGE_ENUM
    limits = {"max-enum-values": 50}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        yield from super().check_tool(tool)
        for path, schema in tool.schemas():
            values = schema.get("enum")
            if isinstance(values, list) and len(values) > self.limit("max-enum-values"):
                message = f"an enum of {tool.name!r} has {len(values)} values"
                hint = f"list at most {self.limit('max-enum-values')}, or accept a string that the tool looks up"
                yield self.problem(message, tool.place(*path, "enum"), hint=hint)
