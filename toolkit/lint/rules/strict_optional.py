"""TK305: an optional parameter, where a strict mode requires all of them."""

from toolkit.codes import STRICT_OPTIONAL
from toolkit.dialects.provider_limits import Objection
from toolkit.documents.nodes import Mapping, Scalar, Sequence, plain
from toolkit.lint.clues.json_edits import replacing, with_entry, with_item
from toolkit.lint.clues.provider_objections import ProviderRule, limited_in
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.problems import Edit, Fix


class StrictOptional(ProviderRule):
    """A property is optional, but OpenAI's strict mode requires every property.

    ## Why

    In strict mode, a request with an optional property fails. Make it required and allow `null` instead. For Python
    tools, the export does this; a definition in JSON is sent unchanged.

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

    code = STRICT_OPTIONAL
    severity = "error"
    fix = "safe"
    providers = limited_in("all_required")

    def fix_for(self, tool: ToolDefinition, path: tuple[str | int, ...], objection: Objection) -> Fix | None:
        if len(path) < 2:  # noqa: PLR2004 - 'properties' and a name
            return None
        member, owner = tool.node(*path), tool.node(*path[:-2])
        if not isinstance(owner, Mapping) or not isinstance(member, Mapping):
            return None
        letting = _letting_null(member)
        if letting is None:
            return None
        required, name = owner.get("required"), path[-1]
        needed = with_item(required, name) if isinstance(required, Sequence) else with_entry(owner, "required", [name])
        return self.fixed_by("Require it, and let it be null", *letting, needed)


def _letting_null(member: Mapping) -> list[Edit] | None:
    """Return the edits that let a member be null: none if it already may be, None if its form does not allow it."""
    kind, choices, union = member.get("type"), member.get("enum"), member.get("anyOf")
    edits = []
    match kind:
        case Scalar():
            edits.append(replacing(kind, [kind.value, "null"]))
        case Sequence() if "null" not in plain(kind):
            edits.append(with_item(kind, "null"))
        case None if not isinstance(union, Sequence):
            return None
    if isinstance(choices, Sequence) and None not in plain(choices):
        edits.append(with_item(choices, None))
    if isinstance(union, Sequence) and {"type": "null"} not in plain(union):
        edits.append(with_item(union, {"type": "null"}))
    return edits
