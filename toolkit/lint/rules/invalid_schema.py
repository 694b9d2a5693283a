"""TK324: a schema that is not JSON Schema, or that no value can fit."""

from collections.abc import Iterator

from toolkit.codes import INVALID_SCHEMA
from toolkit.documents.nodes import plain
from toolkit.lint.definitions.tool_definitions import ToolDefinition, nearest_node
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.schemas.faults import faults_in
from toolkit.schemas.places import steps_of


class InvalidSchema(Rule):
    """A schema is not valid JSON Schema, or no value can match it.

    ## Why

    Providers answer such a definition with an error, and the whole request fails: for a misspelled type, a `$ref` to a
    missing definition, a bound that is not a number, an enum without values. Clients that do not reject it interpret it
    differently. A schema that contradicts itself makes every call fail, such as a `const` that is not in the `enum`, and
    a `$ref` that leads back to itself can make a program hang. Definitions in JSON, and those of servers, are
    checked against the draft of JSON Schema that they name in `$schema`, or else against all drafts from 4 to 2020-12.

    ## Example

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {
          "type": "object",
          "properties": {
            "city": {"type": "strng", "description": "The name of the city."},
            "days": {"type": "integer", "minimum": 7, "maximum": 1, "description": "How many days."}
          }
        }
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {
          "type": "object",
          "properties": {
            "city": {"type": "string", "description": "The name of the city."},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "How many days."}
          }
        }
      }
    ]
    ```

    ## Source

    - JSON Schema 2020-12, [validation](https://json-schema.org/draft/2020-12/json-schema-validation): what each keyword's
      value must be (checked 2026-11-22)
    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): `inputSchema` is a
      valid JSON Schema (checked 2026-11-22)
    """

    code = INVALID_SCHEMA
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.origin not in ("json", "object"):
            return  # a generated schema is valid
        for fault in faults_in(tool.schema):
            message = f"{_called(fault.pointer)} of {tool.name!r} {fault.message}"
            yield self.problem(message, tool.place(*fault.pointer), hint=fault.hint)
        yield from self._of_result(tool)

    def _of_result(self, tool: ToolDefinition) -> Iterator[Problem]:
        output = plain(tool.result) if tool.result is not None else tool.spec and tool.spec.output_schema
        if tool.result is not None and not isinstance(output, dict):
            message = f"the schema of the result of {tool.name!r} must be an object"
            yield self.problem(message, tool.result.location, hint='write {"type": "object", "properties": {…}}')
            return
        for fault in faults_in(output or {}):
            place = tool.location if tool.result is None else nearest_node(tool.result, fault.pointer).location
            yield self.problem(f"the result of {tool.name!r} {fault.message}", place, hint=fault.hint)


def _called(pointer: tuple[str | int, ...]) -> str:
    """Return a readable name of a part of the parameters: the property names that lead to it."""
    names = [str(name) for keyword, name in steps_of(pointer) if keyword == "properties" and name is not None]
    return f"parameter {'.'.join(names)!r}" if names else "the schema"
