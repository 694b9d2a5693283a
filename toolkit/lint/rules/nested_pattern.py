"""TK316: a pattern inside the items of a list."""

from toolkit.codes import NESTED_PATTERN
from toolkit.dialects.provider_limits import Objection
from toolkit.documents.nodes import Mapping
from toolkit.lint.clues.json_edits import without_entry
from toolkit.lint.clues.provider_objections import ProviderRule, limited_in
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Fix


class NestedPattern(ProviderRule):
    """A list has items with a `pattern`, which llama.cpp cannot turn into a grammar.

    ## Why

    The llama.cpp server turns all tools of a request into one grammar. A pattern at the top level works, but a pattern
    inside the items of an array breaks the grammar, and the whole request fails with `failed to parse grammar`.

    ## Example

    ```json
    [
      {
        "name": "track",
        "description": "Track some parcels.",
        "parameters": {
          "type": "object",
          "properties": {"numbers": {"type": "array", "items": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{9}$"}}}
        }
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "track",
        "description": "Track some parcels.",
        "parameters": {
          "type": "object",
          "properties": {"numbers": {"type": "array", "items": {"type": "string", "description": "Two letters and nine digits."}}}
        }
      }
    ]
    ```

    ## Source

    - llama.cpp, [issue 25895](https://github.com/ggml-org/llama.cpp/issues/25895) (checked 2026-11-22)
    """

    code = NESTED_PATTERN
    severity = "error"
    fix = "unsafe"
    providers = limited_in("nested_pattern")

    def fix_for(self, tool: ToolDefinition, path: tuple[str | int, ...], objection: Objection) -> Fix | None:
        node = tool.node(*path[:-1])
        if not isinstance(node, Mapping) or "pattern" not in node.entries:
            return None
        return self.fixed_by("Remove the pattern", without_entry(node, "pattern"))
