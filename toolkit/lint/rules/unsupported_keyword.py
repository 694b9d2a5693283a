"""TK304: a schema with a keyword that a provider does not understand."""

from toolkit.codes import UNSUPPORTED_KEYWORD
from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.provider_limits import Objection
from toolkit.dialects.registry import PROVIDER_DIALECTS
from toolkit.documents.nodes import Mapping, Scalar
from toolkit.lint.clues.json_edits import appending, instead_of_entry, without_entry
from toolkit.lint.clues.provider_objections import ProviderRule
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Fix

_MOVED = "moved to the description: "


class UnsupportedKeyword(ProviderRule):
    """A schema uses a keyword of JSON Schema that a provider refuses or ignores.

    ## Why

    No provider supports all of JSON Schema. Strict modes reject unknown keywords, and the request fails. Others
    drop them silently, so the model never sees a limit that you rely on. Python tools are exported in each
    provider's dialect, so for them only problems that no export can solve are reported. Definitions in JSON are
    sent unchanged. Select their provider: `--provider openai-strict`.

    ## Example

    ```json
    [
      {
        "name": "reserve",
        "description": "Reserve a table at a restaurant.",
        "parameters": {
          "type": "object",
          "properties": {"table": {"type": "object", "description": "The table.", "additionalProperties": {"type": "string"}}},
          "required": ["table"],
          "additionalProperties": false
        }
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "reserve",
        "description": "Reserve a table at a restaurant.",
        "parameters": {
          "type": "object",
          "properties": {"table": {"type": "string", "description": "The name of the table."}},
          "required": ["table"]
        }
      }
    ]
    ```

    ## Source

    - OpenAI, [structured outputs](https://developers.openai.com/api/docs/guides/structured-outputs): supported schemas
      (checked 2026-11-22)
    - Anthropic, `anthropic` 2.12.0, `lib/_parse/_transform.py`: what strict mode keeps (checked 2026-11-22)
    - Gemini, `google-genai` 3.4.0, `types.py`: `Schema` is a part of OpenAPI 3.0 (checked 2026-11-22)
    """

    code = UNSUPPORTED_KEYWORD
    severity = "error"
    fix = "unsafe"
    providers = (*(name for name in PROVIDER_DIALECTS if name != "mcp"), *CLIENTS)  # MCP accepts every keyword

    def fix_for(self, tool: ToolDefinition, path: tuple[str | int, ...], objection: Objection) -> Fix | None:
        """Return the fix that moves the keyword's meaning into the description."""
        _, _, words = (objection.hint or "").partition(_MOVED)
        node = tool.node(*path[:-1]) if path else None
        if not words or not isinstance(node, Mapping) or (key := str(path[-1])) not in node.entries:
            return None
        description = node.get("description")
        if description is None:
            edits = [instead_of_entry(node, key, "description", f"{words[0].upper()}{words[1:]}.")]
        elif isinstance(description, Scalar):
            edits = [without_entry(node, key), appending(description, f" ({words})")]
        else:
            return None
        return self.fixed_by("Move it to the description", *edits)
