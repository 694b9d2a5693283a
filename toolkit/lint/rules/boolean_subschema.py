"""TK315: a property whose schema is only true or false."""

from collections.abc import Iterator, Mapping

from toolkit.codes import BOOLEAN_SUBSCHEMA
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Edit, Fix, Problem


class BooleanSubschema(Rule):
    """The schema of a property is only `true` or `false`.

    ## Why

    JSON Schema allows this, and MCP servers written in Go generate it for values of any type. Many clients expect the
    schema of a property to be an object, and reject the whole list of tools because of one such property.

    ## Example

    ```json
    [
      {
        "name": "store",
        "description": "Store a value under a key for later.",
        "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}, "value": true}}
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "store",
        "description": "Store a value under a key for later.",
        "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}, "value": {}}}
      }
    ]
    ```

    ## Source

    - JSON Schema 2020-12, [boolean schemas](https://json-schema.org/draft/2020-12/json-schema-core#section-4.3.2):
      `true` means the same as `{}` (checked 2026-11-22)
    - MCP TypeScript SDK, `ToolSchema`: the properties of `inputSchema` are objects (checked 2026-11-22)
    """

    code = BOOLEAN_SUBSCHEMA
    severity = "error"
    fix = "safe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for path, schema in tool.schemas():
            properties = schema.get("properties")
            for name, inner in properties.items() if isinstance(properties, Mapping) else ():
                if isinstance(inner, bool):
                    where = (*path, "properties", name)
                    written = "{}" if inner else '{"not": {}}'
                    message = f"the schema of {name!r} in {tool.name!r} is only {str(inner).lower()}"
                    fix = self._fix(tool, where, written)
                    yield self.problem(message, tool.place(*where), hint=f"write {written}", fix=fix)

    def _fix(self, tool: ToolDefinition, path: tuple[str | int, ...], written: str) -> Fix | None:
        node = tool.node(*path)
        return None if node is None else self.fixed_by(f"Write {written}", Edit(node.location, written))
