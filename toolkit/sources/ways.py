"""Remembers the ways by which tools were found, for rules that deny a file or an object."""

import sys
from collections.abc import Iterable, Iterator
from types import MethodType, ModuleType

from toolkit.tools.base import Tool, innermost
from toolkit.tools.marking import box_of


def note_ways(tools: Iterable[Tool], module: ModuleType, source: str) -> None:
    """Remember for tools, and for those behind facades, that a module passed them on, and its names for their objects.

    Args:
        tools: The tools that were found in the module.
        module: The module.
        source: The module as it was named.
    """
    for tool in _with_inner(tools):
        tool.pass_on(source)
        if isinstance(module.__file__, str):
            tool.pass_on(module.__file__)
        for owner in _names_of_object(tool, module):
            tool.pass_on(owner=owner)


def _with_inner(tools: Iterable[Tool]) -> Iterator[Tool]:
    facades = sys.modules.get("toolkit.disclosure.facades")  # without this module, nothing is a facade
    for tool in tools:
        yield tool
        if facades is not None and isinstance(inner := innermost(tool), facades.UnfoldingTool):
            yield from _with_inner(inner.inner_tools)


def _names_of_object(tool: Tool, module: ModuleType) -> Iterator[str]:
    """Yield the names of the object whose method a tool is: that of its toolbox, and those of its class's objects."""
    method = vars(innermost(tool)).get("function")
    if type(method) is MethodType:
        cls = type(method.__self__)
        if (box := box_of(cls)) is not None:
            yield str(box.name)
        yield from (name for name, thing in list(vars(module).items()) if type(thing) is cls)
