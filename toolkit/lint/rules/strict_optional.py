"""TK305: a parameter that may be left out, where a strict mode wants all of them."""

from toolkit.dialects.changes import Objection
from toolkit.documents.nodes import Mapping, Scalar, Sequence
from toolkit.lint.definitions import ToolDefinition, nearest_node
from toolkit.lint.json_edits import replacing, with_entry, with_item
from toolkit.lint.objecting import ProviderRule
from toolkit.problems import Fix


class StrictOptional(ProviderRule):
    """A property is not required, and OpenAI's strict mode wants every one.

    ## Why

    In strict mode a request fails in which a property may be left out. What is optional is required there and may be
    `null`. Python tools are exported so; a definition in JSON is sent as it stands.

    ## Example

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {
          "type": "object",
          "properties": {
            "city": {"type": "string", "description": "The name of the city."},
            "units": {"type": "string", "description": "The units of the answer."}
          },
          "required": ["city"],
          "additionalProperties": false
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
            "units": {"type": ["string", "null"], "description": "The units of the answer."}
          },
          "required": ["city", "units"],
          "additionalProperties": false
        }
      }
    ]
    ```

    ## Source

    - OpenAI, [structured outputs](https://developers.openai.com/api/docs/guides/structured-outputs): "all fields must be
      required" (checked 2026-11-22)
    """

    code = "TK305"
    name = "strict-optional"
    severity = "error"
    fix = "safe"
    providers = ("openai-strict",)

    def cure(self, tool: ToolDefinition, path: tuple[str | int, ...], objection: Objection) -> Fix | None:  # noqa: ARG002
        if tool.document is None or len(path) < 2:  # noqa: PLR2004 - 'properties' and a name
            return None
        member, owner = nearest_node(tool.document, path), nearest_node(tool.document, path[:-2])
        kind = member.get("type") if isinstance(member, Mapping) else None
        if not isinstance(owner, Mapping) or not isinstance(kind, Scalar) or "enum" in getattr(member, "entries", {}):
            return None
        required = owner.get("required")
        name = path[-1]
        needed = with_item(required, name) if isinstance(required, Sequence) else with_entry(owner, "required", [name])
        return self.fixed_by("Require it, and let it be null", replacing(kind, [kind.value, "null"]), needed)
