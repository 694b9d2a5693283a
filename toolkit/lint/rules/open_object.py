"""TK317: an object that allows undescribed members, where a provider wants it closed."""

from collections.abc import Iterator

from toolkit.codes import OPEN_OBJECT
from toolkit.dialects.provider_limits import Objection
from toolkit.documents.nodes import Mapping
from toolkit.lint.clues.json_edits import with_entry
from toolkit.lint.clues.provider_objections import ProviderRule, limited_in
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Fix, Problem


class OpenObject(ProviderRule):
    """An object allows members that are not described, but a provider wants it closed.

    ## Why

    Strict modes refuse an object without `"additionalProperties": false`. MCP recommends it for tools without
    parameters: without it, neither a model nor a validator knows that there is nothing to send. For Python tools, the
    export adds it; a definition in JSON is sent unchanged.

    ## Example

    ```json
    [{"name": "now", "description": "Tell the time of day.", "inputSchema": {"type": "object"}}]
    ```

    ## Instead

    ```json
    [{"name": "now", "description": "Tell the time of day.", "inputSchema": {"type": "object", "additionalProperties": false}}]
    ```

    ## Source

    - MCP 2026-07-28, [Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools): tools without parameters
      (checked 2026-11-22)
    - OpenAI, [structured outputs](https://developers.openai.com/api/docs/guides/structured-outputs): "additionalProperties:
      false must always be set in objects" (checked 2026-11-22)
    """

    code = OPEN_OBJECT
    severity = "info"
    fix = "safe"
    providers = limited_in("closed", "closed_if_empty")

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Check the parameters; a JSON list of names and descriptions alone has none."""
        if tool.origin != "json" or tool.document is not None:
            yield from super().check_tool(tool)

    def fix_for(self, tool: ToolDefinition, path: tuple[str | int, ...], objection: Objection) -> Fix | None:
        node = tool.node(*path)
        if not isinstance(node, Mapping) or "type" not in node.entries:
            return None
        return self.fixed_by("Close it", with_entry(node, "additionalProperties", value=False))
