"""Origins: the function that a tool was made from, and where the tool is defined."""

import inspect
from typing import Any

from toolkit.problems import Location
from toolkit.tools.base import Tool
from toolkit.tools.places import place_of


def function_of(tool: Tool) -> Any:
    """Return the function that a tool was made from, whatever wraps the tool, or None if there is none."""
    while (inner := getattr(tool, "inner", None)) is not None:
        tool = inner
    function = getattr(tool, "function", None)
    return None if function is None else inspect.unwrap(function)


def place_of_tool(tool: Tool) -> Location | None:
    """Return where a tool is defined: what its specification says, or else the place of its function."""
    function = None if tool.spec.location is not None else function_of(tool)
    return tool.spec.location if function is None else place_of(function)
