"""Foreign schema tools: tools of which others say by a schema what they take; their owner has the last word."""

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
    """A tool whose arguments are held against a schema that somebody else wrote, as far as that can be done here."""

    suspends = True

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments by name, held against the schema as far as that can be done here."""
        return read_arguments(self._shape, arguments, frozenset(self.spec.properties) - frozenset(self.spec.required))

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data, with a mask for each secret."""
        return self.veil.over(plain_data(parsed))

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return the schema's defaults for the parameters that are omitted."""
        schemas = self.spec.properties.items()
        return {name: one["default"] for name, one in schemas if name not in parsed and "default" in one}

    @cached_property
    def _shape(self) -> "Shape":
        from toolkit.tools.shapes.foreign_schemas import shape_of_arguments  # noqa: PLC0415 - only a call needs it

        return shape_of_arguments(self.spec.parameters)
