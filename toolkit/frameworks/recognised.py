"""Recognised objects: what a class of a framework is to us, and the Tools that its objects stand for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self

from toolkit.errors import InvalidTools
from toolkit.frameworks.exported_calls import exported_tool
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.versions import Versions, unsupported_version
from toolkit.problems import Location, Problem
from toolkit.tools.foreign_values import bases_of_class, module_of_class, name_of_class
from toolkit.tools.frameworks import (
    framework_of,
    framework_of_holder,
    framework_of_mark,
    framework_of_variables,
    part_of,
)
from toolkit.tools.origins import function_of, place_of_tool
from toolkit.tools.places import place_of
from toolkit.tools.tool_checks import vetted


class ForeignClass(NamedTuple):
    """A class of a framework, for a row of the `CLASSES` of its `objects`.

    Attributes:
        tools_of: Return the Tools of an object of the class, and what is wrong with those that cannot be one. It may
            raise anything that the framework raises; InvalidTools carries problems of its own.
        is_tool: Whether each object is one tool, so that a class which a user derives from it defines one. Where it is
            not, the object holds tools that may stand in the module as well.
    """

    tools_of: Callable[[Any], Iterable[ForeignTool | Problem]]
    is_tool: bool = True

    @classmethod
    def holding(
        cls, held: Callable[[Any], Iterable[Any]], tools_of: Callable[[Any], Iterable[ForeignTool | Problem]]
    ) -> Self:
        """Return a class whose objects hold tools, or objects that hold some: what they hold, and the Tools of each."""
        return cls(lambda holder: chain.from_iterable(map(tools_of, held(holder))), is_tool=False)


class _Known(NamedTuple):
    """A class, and what of its framework is known."""

    row: ForeignClass
    versions: Versions | None


def foreign_tools(thing: Any, source: str | None = None) -> tuple[list[ForeignTool], list[Problem]] | None:
    """Return the Tools that an object of a framework stands for, and their problems; None if it is not such an object.

    Args:
        thing: Any object, or a function that a framework has marked.
        source: What the tools belong to, such as a file.

    Raises:
        InvalidTools: If it can be none, such as with a version of the framework that is not supported.
    """
    known = _of_mark(thing) or _of_class(type(thing))
    if known is None:
        return None
    if known.versions and (problem := unsupported_version(known.versions)):
        raise InvalidTools(problems=[problem])
    tools: list[ForeignTool] = []
    problems: list[Problem] = []
    for each in known.row.tools_of(thing):
        if isinstance(each, Problem):
            problems.append(each)
            continue
        if (ours := exported_tool(each.function, each.thing)) is not None:
            each.function = function_of(ours)
        place = _place(each) if ours is None else place_of_tool(ours)
        each.spec = replace(each.spec, source=source or each.spec.source, location=place)
        each.is_held = not known.row.is_tool
        problems += vetted(each)[1]
        tools.append(each)
    return tools, problems


def _place(tool: ForeignTool) -> Location | None:
    """Return where a tool is defined: the place that its framework gives, or else that of its function."""
    return tool.spec.location or (None if tool.function is None else place_of(tool.function))


def is_foreign(thing: Any) -> bool:
    """Return whether an object stands for Tools."""
    return (_of_mark(thing) or _of_class(type(thing))) is not None


def foreign_class(cls: type) -> ForeignClass | None:
    """Return what a class is to us, itself or through what it is derived from; None if no framework knows it."""
    known = _of_class(cls)
    return known and known.row


def object_of_module(module: ModuleType) -> Any:
    """Return the object of a framework that a module stands for as a whole; None where it stands for none."""
    framework = framework_of_variables(module)
    objects = framework and part_of(framework, "objects")
    return objects.object_of_module(module) if objects else None


def _of_class(cls: type) -> _Known | None:
    for base in bases_of_class(cls):
        module = module_of_class(base)
        framework = framework_of(module)
        objects = framework and part_of(framework, "objects")
        if objects:
            classes: Mapping[str, ForeignClass] = objects.CLASSES
            if (row := classes.get(f"{module}.{name_of_class(base)}")) is not None:
                return _Known(row, getattr(objects, "VERSIONS", None))
    return _of_part(framework_of_holder(cls), "HOLDERS")


def _of_mark(thing: Any) -> _Known | None:
    """Return what a function is that a framework has marked."""
    return _of_part(framework_of_mark(thing), "MARKED")


def _of_part(framework: str | None, row: Literal["MARKED", "HOLDERS"]) -> _Known | None:
    """Return what the objects of a framework say of things that are of no class of it."""
    objects = framework and part_of(framework, "objects")
    return _Known(getattr(objects, row), getattr(objects, "VERSIONS", None)) if objects else None
