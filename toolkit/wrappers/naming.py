"""Filters and renames the tools of an object."""

from collections.abc import Callable
from typing import Any

from toolkit.codes import NOT_A_TOOL
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Problem
from toolkit.tools.base import Tool
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.kinds.resolution import build_tools, collisions

Naming = Callable[[str], str]


def tool_object(
    thing: Any, *, prefix: str = "", naming: Naming | None = None, keep: Callable[[str], bool] | None = None
) -> list[Tool]:
    """Return the tools of an object: `tool_object(Calculator(), prefix="calc_", keep=lambda name: name != "log")`.

    Args:
        thing: An object with marked methods or `execute(text)`, a marked function, or a Tool.
        prefix: Prefix for each name, including an underscore if you want one.
        naming: Returns the new name for a tool's own name; replaces `prefix`.
        keep: Returns, for a tool's own name, whether to include the tool.

    Raises:
        InvalidTools: With every problem found: in the object, and names that are invalid or not unique.
    """
    if isinstance(thing, list | tuple | set | frozenset | dict):
        message = f"a {type(thing).__name__} is not an object with tools"
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, hint="call tool_object for each of them")])
    tools, problems = build_tools(thing)
    raise_errors(InvalidTools, problems)
    kept = [tool for tool in tools if keep is None or keep(tool.name)]
    if not kept:
        message = f"'keep' excludes every tool of the object of type '{type(thing).__qualname__}'"
        names = ", ".join(tool.name for tool in tools)
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, place_of(type(thing)), hint=f"it has {names}")])
    named = [renamed(tool, naming or (lambda name: prefix + name)) for tool in kept]
    raise_errors(InvalidTools, collisions(named))
    return named


def renamed(tool: Tool, naming: Naming) -> Tool:
    """Return a tool under the name that `naming` returns for its own name.

    Raises:
        InvalidTools: If the new name is not a valid tool name.
    """
    name = naming(tool.name)
    return tool if name == tool.name else tool.with_name(name)
