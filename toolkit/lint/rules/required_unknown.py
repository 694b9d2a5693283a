"""TK303: a schema requires a property that it does not describe."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolkit.codes import REQUIRED_UNKNOWN
from toolkit.documents.nodes import Sequence as SequenceNode
from toolkit.lint.clues.json_edits import without_item
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem, did_you_mean
from toolkit.regular_files import bounded_bytes
from toolkit.schemas.keywords import holders_about
from toolkit.schemas.places import steps_of
from toolkit.schemas.schema import Schema

# A branch may require a property that is described outside it.
_CONDITIONAL = holders_about("itself", "nothing")


class RequiredUnknown(Rule):
    """A schema requires a property that it does not describe.

    ## Why

    The model must send a value, but does not know which. It makes one up, or never calls the tool. Strict modes and
    Gemini reject the request. Usually, a property was renamed or removed in only one place.

    In a parameter that is an object without any properties, it is not essential. A schema without any properties, of
    which only the source was read, is not reported if its file has code that adds some.

    ## Example

    ```json
    [
      {
        "name": "forecast",
        "description": "Forecast tomorrow's weather in a city.",
        "parameters": {
          "type": "object",
          "properties": {"city": {"type": "string", "description": "The name of the city."}},
          "required": ["city", "country"]
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
          "properties": {"city": {"type": "string", "description": "The name of the city."}},
          "required": ["city"]
        }
      }
    ]
    ```

    ## Source

    - JSON Schema 2020-12, [required](https://json-schema.org/draft/2020-12/json-schema-validation#section-6.5.3): it
      lists properties, which do not have to be described (checked 2026-11-22)
    - google-gemini/gemini-cli, "required fields are not defined in the schema properties"
      ([issue 6704](https://github.com/google-gemini/gemini-cli/issues/6704), checked 2026-11-22)
    """

    code = REQUIRED_UNKNOWN
    severity = "error"
    fix = "safe"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for path, schema in tool.schemas():
            if (
                "required" in schema
                and _CONDITIONAL.isdisjoint(keyword for keyword, _ in steps_of(path))
                and not _is_open(schema)
            ):
                found = [*self._unknown(tool, path, schema)]
                yield from () if found and not schema.get("properties") and _is_completed(tool) else found

    def _unknown(
        self, tool: ToolDefinition, path: tuple[str | int, ...], schema: Mapping[str, Any]
    ) -> Iterator[Problem]:
        required, properties = schema.get("required"), schema.get("properties", {})
        if not isinstance(required, list) or not isinstance(properties, Mapping):
            return
        around = f" in {path[1]!r}" if path[:1] == ("properties",) and len(path) > 1 else ""
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                yield self.problem(
                    f"tool {tool.name!r} requires {name!r}{around}, which its schema does not describe",
                    tool.place(*path, "required", index),
                    hint=did_you_mean(
                        name, properties, otherwise="describe it under 'properties', or remove it from 'required'"
                    ),
                    fix=self._removal(tool, (*path, "required"), index),
                    is_minor=bool(around) and not properties,
                )

    def _removal(self, tool: ToolDefinition, path: tuple[str | int, ...], index: int) -> Fix | None:
        """Return the fix that removes the entry from a list in JSON."""
        node = tool.node(*path)
        if not isinstance(node, SequenceNode):
            return None
        return self.fixed_by("Remove the entry", without_item(node, index))


_COMPLETES = re.compile(
    rb"""setdefault\(\s*["']properties["']|\[["']properties["']\]\s*(?:\[[^\]\n]+\]\s*)?=(?!=)|\[["']properties["']\]\.update\("""
)
"""Where code adds properties to a schema."""


def _is_completed(tool: ToolDefinition) -> bool:
    """Return whether the file with a definition, of which only the source was read, has code that adds properties."""
    if not tool.is_written or tool.location is None:
        return False
    with suppress(OSError):
        return _COMPLETES.search(bounded_bytes(Path(tool.location.file))) is not None
    return False


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Whether properties may be described elsewhere: by a pattern, by a schema for all others, or by a reference."""
    more = schema.get("additionalProperties")
    return (isinstance(more, Mapping) and bool(more)) or Schema.of(schema).is_described_elsewhere
