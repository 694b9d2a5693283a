"""Finds the function from which a tool was created, and where the tool is defined."""

import inspect
from typing import Any

from toolkit.problems import Location
from toolkit.tools.base import Tool, innermost
from toolkit.tools.foreign_values import call_safely, is_routine
from toolkit.tools.places import place_of


def function_of(tool: Tool) -> Any:
    """Return the function from which a tool was created, inside all wrappers, or `None` if there is none."""
    inner = innermost(tool)
    function: Any = call_safely(lambda: inspect.unwrap(vars(inner)["function"]), None)
    return function if is_routine(function) else None


def place_of_tool(tool: Tool) -> Location | None:
    """Return where a tool is defined: the location in its specification, or else that of its function."""
    function = None if tool.spec.location is not None else function_of(tool)
    return tool.spec.location if function is None else place_of(function)
