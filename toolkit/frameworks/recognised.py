"""Recognizes objects of frameworks by their classes, and returns their Tools."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self

from toolkit.codes import NOT_A_TOOL
from toolkit.errors import InvalidTools
from toolkit.frameworks.exported_calls import exported_tool
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.problems import Location, Problem, how_to_install
from toolkit.releases import numbers_of
from toolkit.tools.calls.foreign_values import bases_of_class, module_of_class, name_of_class
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.foreign.frameworks import (
    framework_of,
    framework_of_holder,
    framework_of_mark,
    framework_of_variables,
    support_for,
)
from toolkit.tools.kinds.resolution import check_tool
from toolkit.tools.origins import function_of, place_of_tool


class Versions(NamedTuple):
    """The supported versions of a framework, for its `VERSIONS`.

    Attributes:
        distribution: The name of its package on PyPI.
        first: The first supported version, such as `(2, 14)`.
    """

    distribution: str
    first: tuple[int, ...]


def unsupported_version(versions: Versions) -> Problem | None:
    """Return the problem if the installed version is too old; newer versions are accepted."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version(versions.distribution)
    except PackageNotFoundError:
        return None
    if numbers_of(installed) >= versions.first:
        return None
    first = ".".join(map(str, versions.first))
    message = f"tools of {versions.distribution} {installed} cannot be used: the first supported version is {first}"
    return Problem(NOT_A_TOOL, message, hint=f"upgrade it: {how_to_install(f'{versions.distribution}>={first}')}")


class ForeignClass(NamedTuple):
    """A class of a framework, for a row of its `CLASSES`.

    Attributes:
        tools_of: Returns the Tools of an object of the class, and problems of those that cannot become a Tool. It may
            raise anything that the framework raises; InvalidTools carries problems of its own.
        is_tool: Whether each object is one tool, so that a subclass written by a user defines a tool. Otherwise the
            object contains tools, which may also be variables of the same module.
    """

    tools_of: Callable[[Any], Iterable[ForeignTool | Problem]]
    is_tool: bool = True

    @classmethod
    def holding(
        cls, held: Callable[[Any], Iterable[Any]], tools_of: Callable[[Any], Iterable[ForeignTool | Problem]]
    ) -> Self:
        """Return a row for a class of containers: the objects in a container, and the Tools of each object."""
        return cls(lambda holder: chain.from_iterable(map(tools_of, held(holder))), is_tool=False)


class _Known(NamedTuple):
    """A class, and the supported versions of its framework."""

    row: ForeignClass
    versions: Versions | None


def foreign_tools(thing: Any, source: str | None = None) -> tuple[list[ForeignTool], list[Problem]] | None:
    """Return the Tools of a framework's object, and their problems; None if it is not such an object.

    Args:
        thing: Any object, or a function that a framework has marked.
        source: The source of the tools, such as a file.

    Raises:
        InvalidTools: If the object cannot be used, for example because the framework's version is not supported.
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
        problems += check_tool(each)[1]
        tools.append(each)
    return tools, problems


def _place(tool: ForeignTool) -> Location | None:
    """Return where a tool is defined: the location from its framework, or else that of its function."""
    return tool.spec.location or (None if tool.function is None else place_of(tool.function))


def is_foreign(thing: Any) -> bool:
    """Return whether an object belongs to a framework and has Tools."""
    return (_of_mark(thing) or _of_class(type(thing))) is not None


def foreign_class(cls: type) -> ForeignClass | None:
    """Return the row for a class, or for one of its bases; None if it belongs to no framework."""
    known = _of_class(cls)
    return known and known.row


def object_of_module(module: ModuleType) -> Any:
    """Return the framework object that a whole module represents, or None."""
    framework = framework_of_variables(module)
    return support_for(framework).object_of_module(module) if framework else None


def _of_class(cls: type) -> _Known | None:
    for base in bases_of_class(cls):
        module = module_of_class(base)
        if framework := framework_of(module):
            support = support_for(framework)
            classes: Mapping[str, ForeignClass] = getattr(support, "CLASSES", {})
            if (row := classes.get(f"{module}.{name_of_class(base)}")) is not None:
                return _Known(row, getattr(support, "VERSIONS", None))
    return _of_part(framework_of_holder(cls), "HOLDERS")


def _of_mark(thing: Any) -> _Known | None:
    """Return the row for a function that a framework has marked, or None."""
    return _of_part(framework_of_mark(thing), "MARKED")


def _of_part(framework: str | None, row: Literal["MARKED", "HOLDERS"]) -> _Known | None:
    """Return a framework's row for objects that are not of its own classes."""
    if not framework:
        return None
    support = support_for(framework)
    return _Known(getattr(support, row), getattr(support, "VERSIONS", None))
