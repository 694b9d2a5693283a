"""Tools with a schema from another source, such as an MCP server, which also validates the arguments."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.schemas.validation import Validator
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.definition.spec import MCP_HINTS
from toolkit.tools.shapes.schema_shapes import misfit_in_words, shape_of_schema

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape


class ForeignSchemaTool(Tool):
    """Base class of tools whose arguments are validated against a schema from another source, as far as possible."""

    suspends = True

    def parse(self, arguments: Arguments) -> Any:
        """Validate the arguments against the schema, as far as possible."""
        return self._shape.read(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data, with secrets masked."""
        return self.veil.over(plain_data(parsed))

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return the schema's defaults for omitted parameters."""
        schemas = self.spec.properties.items()
        return {name: one["default"] for name, one in schemas if name not in parsed and "default" in one}

    @cached_property
    def _shape(self) -> "Shape":
        return shape_of_arguments(self.spec.parameters)


_ANYTHING: Mapping[str, Any] = {"type": "object", "additionalProperties": True}


def shape_of_arguments(parameters: Mapping[str, Any]) -> "Shape":
    """Return the shape of a tool's arguments; the owner of the tool checks what cannot be checked here."""
    has_names = "properties" in parameters
    try:
        return shape_of_schema(parameters if has_names else _allow_extra(parameters), foreign=True)
    except ValueError:
        return shape_of_schema(_ANYTHING)


def output_mismatch(structured: Any, output_schema: Mapping[str, Any]) -> str | None:
    """Return where and how a result violates the tool's output schema, or `None` if it is valid."""
    try:
        validator = Validator(output_schema, foreign=True)
    except ValueError:
        return None
    return misfit_in_words(validator, structured)


def _allow_extra(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**schema, "additionalProperties": schema.get("additionalProperties", True)}


_MOST_ICONS = 10
_LONGEST_ICON = 100_000
_SCHEMES = ("https:", "data:image/")


def presentation_of(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the `metadata` for MCP, with the title and icons of a tool, so that they are passed on.

    Icons are URLs that clients load: only `https:` URLs and images in `data:` URLs are included.

    Args:
        wire: The tool definition in JSON form.
    """
    title = wire.get("title") or (wire.get("annotations") or {}).get("title")
    icons = [
        icon
        for icon in wire.get("icons") or ()
        if icon["src"].startswith(_SCHEMES) and len(icon["src"]) <= _LONGEST_ICON
    ]
    fields = {"title": title, "icons": icons[:_MOST_ICONS]}
    shown = {key: value for key, value in fields.items() if value}
    return {"mcp": shown} if shown else {}


def marks_of(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the hints of a tool to marks; missing hints are omitted.

    Args:
        wire: The tool definition in JSON form.
    """
    hints = wire.get("annotations") or {}
    marks = {ours: hints[theirs] for theirs, ours in MCP_HINTS.items() if hints.get(theirs) is not None}
    if marks.get("read_only"):
        marks.pop("destructive", None)  # has no meaning for a read-only tool
    return marks
