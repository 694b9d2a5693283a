"""Recognised objects: what a class of a framework is to us, and the Tools that its objects stand for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.tools.foreign_values import bases_of_class, module_of_class, name_of_class
from toolkit.tools.frameworks import framework_of, part_of


class ForeignClass(NamedTuple):
    """A class of a framework, for a row of the `CLASSES` of its `objects`.

    Attributes:
        tools_of: Return the Tools of an object of the class.
        is_tool: Whether each object is one tool, so that a class which a user derives from it defines one.
    """

    tools_of: Callable[[Any], Iterable[ForeignTool]]
    is_tool: bool = True


def foreign_tools(thing: Any, source: str | None = None) -> list[ForeignTool] | None:
    """Return the Tools that an object of a framework stands for; None if it is no such object.

    Args:
        thing: Any object, or a function that a framework has marked.
        source: What the tools belong to, such as a file.
    """
    found = foreign_class(type(thing))
    if found is None:
        return None
    tools = list(found.tools_of(thing))
    for tool in tools:
        tool.spec = replace(tool.spec, source=source) if source else tool.spec
    return tools


def foreign_class(cls: type) -> ForeignClass | None:
    """Return what a class is to us, itself or through what it is derived from; None if no framework knows it."""
    for base in bases_of_class(cls):
        module = module_of_class(base)
        framework = framework_of(module)
        objects = framework and part_of(framework, "objects")
        if objects:
            known: Mapping[str, ForeignClass] = objects.CLASSES
            if (row := known.get(f"{module}.{name_of_class(base)}")) is not None:
                return row
    return None
