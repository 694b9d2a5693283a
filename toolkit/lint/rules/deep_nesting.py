"""TK309: objects inside objects inside objects."""

from collections.abc import Iterator

from toolkit.codes import DEEP_NESTING
from toolkit.lint.clues.provider_objections import ProviderRule
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Problem
from toolkit.schemas.schema import Schema


class DeepNesting(ProviderRule):
    """The arguments of a tool have objects more than 3 levels deep.

    ## Why

    The more deeply an argument is nested, the more often a model puts it at the wrong level or omits a level. OpenAI's
    strict mode rejects more than 10 levels. Models get flat arguments right, so accept only the fields that you need,
    or names that the tool looks up itself. The limit is `max-depth` in `[tool.toolkit.lint]`.

    ## Example

    ```json
    [
      {
        "name": "order",
        "description": "Order something for a customer.",
        "parameters": {
          "type": "object",
          "properties": {"order": {"type": "object", "properties": {"customer": {"type": "object", "properties": {
            "address": {"type": "object", "properties": {"place": {"type": "object", "properties": {"city": {"type": "string"}}}}}
          }}}}}
        }
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "order",
        "description": "Order something for a customer.",
        "parameters": {"type": "object", "properties": {"customer": {"type": "string"}, "city": {"type": "string"}}}
      }
    ]
    ```

    ## Source

    - OpenAI, [structured outputs](https://developers.openai.com/api/docs/guides/structured-outputs): at most 10 levels
      (checked 2026-11-22)
    - the lower limit is this project's choice
    """

    code = DEEP_NESTING
    limits = {"max-depth": 3}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        yield from super().check_tool(tool)
        for parameter in tool.parameters:
            depth = Schema(tool.schema, parameter.schema, ("properties", parameter.name)).depth()
            if depth > self.limit("max-depth"):
                message = f"parameter {parameter.name!r} of {tool.name!r} has objects {depth} levels deep"
                place = tool.place("properties", parameter.name)
                yield self.problem(
                    message, place, hint=f"use at most {self.limit('max-depth')}: accept the fields directly"
                )
