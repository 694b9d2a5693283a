"""Refuse calls of text tools without their required text.

Text tools do not check their arguments themselves: they treat any arguments as their text.
"""

from collections.abc import Mapping
from typing import Any

from toolkit.tools.base import Tool
from toolkit.tools.shapes.arguments import read_arguments
from toolkit.tools.shapes.schema_types import shape_of_schema


def check_required_text(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check that a call of a text tool has its text; other tools check their arguments themselves.

    Raises:
        ToolArgumentsError: If the text is missing. The message suggests the closest parameter.
    """
    if tool.pipe == "text" and any(arguments.get(name) is None for name in tool.spec.required):
        read_arguments(shape_of_schema(tool.spec.parameters, foreign=True), arguments, drops_nulls=False)
