"""Resolves tools, functions and objects to a mapping of tools by name, or reports everything that prevents it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

from toolkit.codes import INCOMPLETE_GROUP, NOT_A_TOOL
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.tools.base import Tool
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import (
    describe_error,
    is_routine,
    kind_of,
    module_of_class,
    name_of_class,
)
from toolkit.tools.frameworks import may_be_foreign, recogniser
from toolkit.tools.functions import build_function
from toolkit.tools.marking import box_of, category_from_class, mark_of, marked_methods
from toolkit.tools.names import Claim, name_collisions
from toolkit.tools.origins import place_of_tool
from toolkit.tools.text import AdaptedTextTool, looks_like_text_tool
from toolkit.tools.tool_checks import check_tool, place_of_thing


def resolve_tools(candidates: Iterable[Any]) -> dict[str, Tool]:
    """Return the tools of any mix of objects, by name.

    Args:
        candidates: Tools, marked functions, objects with marked methods, and objects with `execute(text)`, in a list or
            as the values of a mapping.

    Raises:
        InvalidTools: If a candidate is not a valid tool, or two have the same name; `problems` lists everything.
    """
    tools: list[Tool] = []
    problems: list[Problem] = []
    for position, candidate in enumerate(tools_among(candidates)):
        built, found = build_tools(candidate)
        tools += built
        problems += [_at(position, problem) for problem in found]
    raise_errors(InvalidTools, [*problems, *collisions(tools)])
    return {tool.name: tool for tool in tools}


def tools_among(candidates: Iterable[Any]) -> Iterable[Any]:
    """Return the values of a mapping, such as that of `load_tools`, and anything else as it is."""
    return candidates.values() if isinstance(candidates, Mapping) else candidates


def _at(position: int, problem: Problem) -> Problem:
    """Return a problem of a candidate, with its position in the list if the problem has no location."""
    return problem if problem.location else replace(problem, message=f"tools[{position}]: {problem.message}")


def from_object(thing: Any) -> list[Tool]:
    """Return the tools of an object: its marked methods, or the object itself if it has `execute(text)`.

    Raises:
        InvalidTools: If a tool is not valid, or if `thing` is `None`, an unmarked function or a class; `problems`
            lists everything that is wrong.
    """
    if _has_no_tools(thing):
        return []
    tools, problems = build_tools(thing)
    raise_errors(InvalidTools, [*problems, *collisions(tools)])
    return tools


def _has_no_tools(thing: Any) -> bool:
    """Return whether this is an object without tools; `None`, an unmarked function or a class is a mistake instead."""
    is_other_kind = issubclass(type(thing), Tool | type) or is_routine(thing) or mark_of(thing) is not None
    is_other_kind = is_other_kind or may_be_foreign(thing)
    is_other_kind = is_other_kind or thing is None
    return not is_other_kind and not marked_methods(type(thing)) and not looks_like_text_tool(thing)


def build_tools(candidate: Any, *, source: str | None = None) -> tuple[list[Tool], list[Problem]]:
    """Return the tools of a candidate and all problems with it, including exceptions that its code raises."""
    try:
        return _build(candidate, source)
    except KeyboardInterrupt:
        raise
    except InvalidTools as error:
        return [], list(error.problems)
    except BaseException as error:  # noqa: BLE001 - properties and metaclasses of users' objects can raise anything
        message = f"{_called(candidate)} cannot be made a tool: {describe_error(error)}"
        return [], [Problem(NOT_A_TOOL, message, place_of_thing(candidate))]


def _called(candidate: Any) -> str:
    if type(candidate) is FunctionType:
        return f"the function {candidate.__name__!r}"
    return f"an object of type {kind_of(candidate)!r}"


def _build(candidate: Any, source: str | None) -> tuple[list[Tool], list[Problem]]:
    if issubclass(type(candidate), Tool):
        return check_tool(candidate)
    is_ours = type(candidate) is FunctionType and mark_of(candidate) is not None
    if (
        not is_ours
        and may_be_foreign(candidate)
        and (found := recogniser().foreign_tools(candidate, source)) is not None
    ):
        foreign: tuple[list[Tool], list[Problem]] = found
        return foreign
    if issubclass(type(candidate), type):
        name = name_of_class(candidate)
        return [], [
            Problem(NOT_A_TOOL, f"{name!r} is a class", place_of(candidate), hint=f"create an object: {name}()")
        ]
    if mark_of(candidate) is not None:
        tool, problems = build_function(candidate, {}, source=source)
        return [tool] if tool else [], problems
    methods = [getattr(candidate, name) for name in marked_methods(type(candidate))]
    if methods:
        built = [build_function(method, category_from_class(candidate, method), source=source) for method in methods]
        tools: list[Tool] = [made for made, _ in built if made]
        if (box := box_of(candidate)) is not None:
            for each in tools:
                each.toolbox = candidate
                each.pass_on(owner=str(box.name))
        return tools, [problem for _, found in built for problem in found]
    if looks_like_text_tool(candidate):
        return _adapt(candidate)
    return [], [_no_tool(candidate)]


def _adapt(candidate: Any) -> tuple[list[Tool], list[Problem]]:
    try:
        tool = AdaptedTextTool(candidate)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the object's attributes are the user's code
        message = f"the attributes of an object of type '{kind_of(candidate)}' cannot be read: {describe_error(error)}"
        return [], [Problem(NOT_A_TOOL, message, place_of_thing(candidate))]
    return check_tool(tool)


def collisions(tools: Iterable[Tool]) -> list[Problem]:
    """Return a problem for each tool that has the same name as an earlier one."""
    different = {id(tool): tool for tool in tools}.values()
    return name_collisions(Claim(tool.name, tool.spec.source, partial(place_of_tool, tool)) for tool in different)


def _no_tool(candidate: Any) -> Problem:
    name = candidate.__qualname__ if is_routine(candidate) else None
    if name:
        message, hint = (
            f"the function {name!r} is not marked as a tool",
            f"mark it with @tool, or use from_function({name})",
        )
    elif isinstance(candidate, str):
        message = f"the text {candidate[:60]!r} is not a tool"
        hint = "load_tools opens tools by name or file, and returns a dictionary of tools"
    else:
        message = f"an object of type '{module_of_class(type(candidate))}.{kind_of(candidate)}' is not a tool"
        hint = "mark its methods with @tool, or give it a name, a description and execute(text)"
    return Problem(NOT_A_TOOL, message, place_of(candidate) if name else place_of(type(candidate)), hint=hint)


def missing_tools(whose: str, required: Iterable[str], names: Sequence[str], place: Location | None) -> list[Problem]:
    """Return a problem for each required tool that is missing.

    Args:
        whose: The owner of the tools, for the message: `group 'files'`.
        required: The names of the required tools.
        names: The names of the existing tools.
        place: Where the owner is defined.
    """
    there = f"it has {', '.join(sorted(names))}" if names else "it has no tools"
    return [
        Problem(
            INCOMPLETE_GROUP,
            f"{whose} lacks its required tool '{name}'",
            place,
            hint=did_you_mean(name, names, otherwise=there),
        )
        for name in required
        if name not in names
    ]
