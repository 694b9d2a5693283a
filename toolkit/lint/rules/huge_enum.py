"""TK310: a long list of values."""

from collections.abc import Iterator

from toolkit.codes import HUGE_ENUM
from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.provider_objections import ProviderRule
from toolkit.problems import Problem


class HugeEnum(ProviderRule):
    """A value is one of more than 50.

    ## Why

    The whole list is sent with every request and paid for each time, and a model that has to choose among hundreds
    of values takes a similar one. OpenAI's strict mode refuses more than 1,000 values in one tool. Instead, take a
    text that the tool looks up, and answer with the nearest values if it is not found. The figure is
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
    - the lower figure is this project's own
    """

    code = HUGE_ENUM
    limits = {"max-enum-values": 50}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        yield from super().check_tool(tool)
        for path, schema in tool.schemas():
            values = schema.get("enum")
            if isinstance(values, list) and len(values) > self.limit("max-enum-values"):
                message = f"a value of {tool.name!r} is one of {len(values)}"
                hint = f"list at most {self.limit('max-enum-values')}, or take a text that the tool looks up"
                yield self.problem(message, tool.place(*path, "enum"), hint=hint)
