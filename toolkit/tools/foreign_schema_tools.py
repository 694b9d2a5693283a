"""Tools with a schema from another source, such as an MCP server, which also validates the arguments itself."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.shapes.arguments import read_arguments

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape


class ForeignSchemaTool(Tool):
    """Base class of tools whose arguments are validated against a schema from another source, as far as possible."""

    suspends = True

    def parse(self, arguments: Arguments) -> Any:
        """Validate the arguments against the schema, as far as possible."""
        return read_arguments(self._shape, arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data, with secrets masked."""
        return self.veil.over(plain_data(parsed))

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return the schema's defaults for omitted parameters."""
        schemas = self.spec.properties.items()
        return {name: one["default"] for name, one in schemas if name not in parsed and "default" in one}

    @cached_property
    def _shape(self) -> "Shape":
        from toolkit.tools.shapes.foreign_schemas import shape_of_arguments  # noqa: PLC0415 - only a call needs it

        return shape_of_arguments(self.spec.parameters)
