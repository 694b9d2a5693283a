"""TK302: the parameters are not one object."""

from collections.abc import Iterator

from toolkit.codes import ROOT_NOT_OBJECT
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.schemas.keywords import TYPE

_UNIONS = ("anyOf", "oneOf", "allOf")


class RootNotObject(Rule):
    """The parameters of a tool are not one JSON object with named members.

    ## Why

    Every provider requires `"type": "object"` at the root of the parameters, and refuses a union there, because
    arguments are always named. Instead of a union, use one object with optional members, or several tools.

    ## Example

    ```json
    [{"name": "add", "description": "Add numbers and return their sum.", "parameters": {"type": "array", "items": {"type": "number"}}}]
    ```

    ## Instead

    ```json
    [
      {
        "name": "add",
        "description": "Add numbers and return their sum.",
        "parameters": {
          "type": "object",
          "properties": {"numbers": {"type": "array", "items": {"type": "number"}, "description": "What to add up."}},
          "required": ["numbers"]
        }
      }
    ]
    ```

    ## Source

    - Anthropic, `ToolParam.input_schema.type`: `Required[Literal["object"]]` (`anthropic`, `types/tool_param.py`, checked
      2026-11-21)
    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): `inputSchema` must be
      an object schema (checked 2026-11-21)
    """

    code = ROOT_NOT_OBJECT
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.schema is None:
            return
        if tool.schema.get("type") != "object" and ("type" not in tool.schema or TYPE.fits(tool.schema["type"])):
            message = f"the parameters of {tool.name!r} must be a JSON Schema of type 'object'"
            yield self.problem(message, tool.place("type"), hint='write {"type": "object", "properties": {…}}')
        for union in _UNIONS:
            if union in tool.schema:
                message = f"the parameters of {tool.name!r} have '{union}' at the root, which providers refuse"
                hint = "use one object with optional members, or several tools"
                yield self.problem(message, tool.place(union), hint=hint)
