"""Required texts: a text tool takes all that it is given for its text; a client that gives none is refused."""

from collections.abc import Mapping
from typing import Any

from toolkit.tools.base import Tool
from toolkit.tools.shapes.arguments import read_arguments
from toolkit.tools.shapes.schema_types import shape_of_schema


def check_required_text(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check that the text of a text tool is there; other tools check all their arguments themselves.

    Raises:
        ToolArgumentsError: If it is not; the message names a parameter that was meant.
    """
    if tool.pipe == "text" and any(arguments.get(name) is None for name in tool.spec.required):
        read_arguments(shape_of_schema(tool.spec.parameters, foreign=True), arguments, frozenset())
