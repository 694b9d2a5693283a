"""Lists the tools of an object whose class is marked `@toolbox`, and the toolboxes inside it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.problems import Problem
from toolkit.tools.base import Tool, innermost
from toolkit.tools.definition_places import place_of
from toolkit.tools.functions import FunctionTool
from toolkit.tools.marking import ToolboxMark, box_of, mark_of, marked_methods
from toolkit.tools.resolution import build_tools

ALL = "all"
"""The category of all tools, for a toolbox in which only some tools have a category."""


class Contents(NamedTuple):
    """The contents of an object.

    Attributes:
        cls: Its class.
        mark: The mark of the class; None if it is not marked.
        tools: Its own tools.
        boxes: Objects of the marked classes inside its class.
    """

    cls: type
    mark: ToolboxMark | None
    tools: Sequence[Tool]
    boxes: Sequence[object]


def contents_of(thing: object, source: str | None = None) -> tuple[Contents, list[Problem]]:
    """Return the contents of an object, and every problem.

    A marked class inside the object's class counts as a toolbox of its own if it can be created without arguments.

    Args:
        thing: The object.
        source: The source of its tools; by default, the file where they are defined.
    """
    cls = type(thing)
    tools, problems = build_tools(thing, source=source) if marked_methods(type(thing)) else ([], [])
    boxes: list[object] = []
    for inner in _inner_classes(cls):
        try:
            boxes.append(inner())
        except Exception as error:  # noqa: BLE001 - users' constructors may raise anything
            message = f"toolbox '{inner.__qualname__}' inside '{cls.__qualname__}' cannot be created: {error}"
            problems.append(
                Problem(
                    NOT_A_TOOL,
                    message,
                    place_of(inner),
                    hint="make its constructor work without arguments, or create the facade yourself",
                )
            )
    if not tools and not boxes and not problems:
        message = f"an object of type '{cls.__qualname__}' has no tools"
        problems.append(Problem(NOT_A_TOOL, message, place_of(cls), hint="mark its methods with @tool"))
    return Contents(cls, box_of(thing), tools, boxes), problems


def categories_among(tools: Sequence[Tool], boxes: Sequence[Tool]) -> Mapping[str, list[Tool]]:
    """Return the tools of a toolbox by category, or an empty mapping if no tool has one.

    A tool without a category belongs to every category, and the additional category `all` then contains all tools.
    """
    named = [category for tool in tools if (category := own_category(tool))]
    if not named:
        return {}
    everywhere = [tool for tool in tools if own_category(tool) is None] + list(boxes)
    table = {
        category: [tool for tool in tools if own_category(tool) in (category, None)] + list(boxes)
        for category in dict.fromkeys(named)
    }
    return table | ({ALL: [*tools, *boxes]} if everywhere else {})


def own_category(tool: Tool) -> str | None:
    """Return the category that the mark of a method sets, not the category of its toolbox."""
    inner = innermost(tool)
    category: str | None = (mark_of(inner.function) or {}).get("category") if isinstance(inner, FunctionTool) else None
    return category


def _inner_classes(cls: type) -> list[Any]:
    members = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
    return [member for member in members.values() if isinstance(member, type) and box_of(member) is not None]
