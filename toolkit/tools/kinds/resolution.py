"""Resolves tools, functions and objects to a mapping of tools by name, or reports everything that prevents it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from logging import Logger
from types import FunctionType
from typing import Any, NamedTuple, get_args

from toolkit.approvals.policies import DescribedCall
from toolkit.codes import INCOMPLETE_GROUP, MISSING_DESCRIPTION, NOT_A_TOOL, ROOT_NOT_OBJECT
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Location, Problem, did_you_mean, set_missing_locations
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Pipe
from toolkit.tools.calls.foreign_values import (
    describe_error,
    is_routine,
    is_text,
    kind_of,
    member_of_class,
    module_of_class,
    name_of_class,
    plain_text,
    short_repr,
)
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import box_of, category_from_class, mark_of, marked_methods
from toolkit.tools.definition.names import Claim, name_collisions
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.definition.spec_fields import plain_fields
from toolkit.tools.foreign.frameworks import framework_of, is_only_read, may_be_foreign, recogniser, title_of
from toolkit.tools.kinds.class_tools import AdaptedTextTool, looks_like_text_tool
from toolkit.tools.kinds.function_tools import build_function
from toolkit.tools.origins import place_of_tool


class _Requirement(NamedTuple):
    """The required value of an attribute, in words, and how to check it."""

    words: str
    is_met: Callable[[Any], bool]


def _is_exactly(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


_FLAG = _Requirement("True or False", _is_exactly(bool))
_METHOD = _Requirement("a method", callable)
_REQUIREMENTS = {
    "pipe": _Requirement(
        f"one of {', '.join(map(repr, get_args(Pipe)))}", lambda value: type(value) is str and value in get_args(Pipe)
    ),
    "suspends": _FLAG,
    "uses_context": _FLAG,
    "demands": _FLAG,
    "toolbox": _Requirement(
        "an object of a class marked @toolbox", lambda value: value is None or box_of(value) is not None
    ),
    "described": _Requirement("a DescribedCall", _is_exactly(DescribedCall)),
    "hidden_parameters": _Requirement("a frozenset", _is_exactly(frozenset)),
    "identity": _Requirement("a whole number", _is_exactly(int)),
    "call_logger": _Requirement("a Logger", lambda value: issubclass(type(value), Logger)),
    **dict.fromkeys(
        ("parse", "describe", "check", "demand", "preview", "perform", "result_of", "with_name", "with_description",
         "with_note"),
        _METHOD,
    ),
    **dict.fromkeys(("call", "run"), _Requirement("that of Tool itself", lambda _: False)),
}  # fmt: skip


_OF_TOOL = {name: member_of_class(Tool, name) for name in _REQUIREMENTS}

_ABSTRACT = ("parse", "describe", "perform")
"""Methods that a subclass of `Tool` must define."""


def check_tool(tool: Tool) -> tuple[list[Tool], list[Problem]]:
    """Return the tool if it is usable, and all problems with it."""
    place = place_of_thing(tool)
    spec, problems = _spec_of(tool, place)
    if spec is None:
        return [], problems
    problems += _unmet_requirements(tool, spec, place)
    if problems:
        return [], problems
    if spec.description:
        return [tool], []
    message, hint = f"tool {spec.name!r} has no description", "describe what it does and when to use it"
    return [tool], [Problem(MISSING_DESCRIPTION, message, spec.location, severity="warning", hint=hint)]


def place_of_thing(thing: object) -> Location | None:
    """Return where a function or class, or the class of another object, is defined; `None` for our own classes."""
    if is_routine(thing) or issubclass(type(thing), type):
        return place_of(thing)  # type: ignore[arg-type]  # it is a function or a class
    cls = type(thing)
    return None if module_of_class(cls).startswith("toolkit.") else place_of(cls)


def _spec_of(tool: Tool, place: Location | None) -> tuple[ToolSpec | None, list[Problem]]:
    """Return the specification of a tool, or `None` and the problems with it."""
    try:
        if _goes_in_a_circle(tool):
            return None, [Problem(NOT_A_TOOL, f"the tool inside {_described(tool)} is not a Tool", place)]
        spec = tool.spec
        if not issubclass(type(spec), ToolSpec):
            hint = "write spec = ToolSpec(name, description, parameters)"
            message = f"the spec of {_described(tool)} must be a ToolSpec, not {short_repr(spec)}"
            return None, [Problem(NOT_A_TOOL, message, place, hint=hint)]
        fields_ = {each.name: getattr(spec, each.name) for each in fields(ToolSpec)}
    except InvalidTools as error:
        return None, set_missing_locations(error.problems, place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a property in the user's code can raise anything
        message = f"the specification of {_described(tool)} cannot be read: {describe_error(error)}"
        return None, [Problem(NOT_A_TOOL, message, place)]
    plain, problems = plain_fields(fields_, place)
    if plain.get("parameters", {}).get("type", "object") != "object":
        message = f"the parameters of {short_repr(fields_['name'])} must be a JSON Schema of type 'object'"
        problems.append(Problem(ROOT_NOT_OBJECT, message, place))
    return (None if problems else spec), problems


def _goes_in_a_circle(tool: Tool) -> bool:
    """Return whether a wrapper contains itself, contains something that is not a `Tool`, or is nested too deeply."""
    seen: set[int] = set()
    while issubclass(type(tool), WrappedTool):
        if id(tool) in seen:
            return True
        seen.add(id(tool))
        tool = tool.inner  # type: ignore[attr-defined]  # as the line above says
    return not issubclass(type(tool), Tool) or len(seen) > _MOST_WRAPPERS


_MOST_WRAPPERS = 50


def _unmet_requirements(tool: Tool, spec: ToolSpec, place: Location | None) -> list[Problem]:
    problems = [
        *_other_name(tool, "name", spec.name, place),
        *_other_name(tool, "description", spec.description, place),
    ]
    for name, requirement in _REQUIREMENTS.items():
        try:
            if member_of_class(type(tool), name) is _OF_TOOL[name] and name not in _dict_of(tool):
                if name not in _ABSTRACT:
                    continue
                message = f"the class of {spec.name!r} has no '{name}'"
            elif requirement.is_met(value := getattr(tool, name)):
                continue
            else:
                message = f"'{name}' of {spec.name!r} must be {requirement.words}, not {short_repr(value)}"
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a property in the user's code can raise anything
            message = f"'{name}' of {spec.name!r} cannot be read: {describe_error(error)}"
        problems.append(Problem(NOT_A_TOOL, message, place))
    return problems


def _dict_of(tool: Tool) -> dict[str, Any]:
    found: dict[str, Any] = object.__getattribute__(tool, "__dict__")
    return found


def _other_name(tool: Tool, what: str, expected: str, place: Location | None) -> list[Problem]:
    """Return a problem if a tool's name or description differs from that in its specification.

    An equal string of a subclass of `str` is replaced by a plain one.
    """
    try:
        value = getattr(tool, what)
        if type(value) is str and value == expected:
            return []
        if is_text(value) and plain_text(value) == expected:
            setattr(tool, what, expected)
            return []
        message = f"the {what} of {_described(tool)} is {short_repr(value)}, but its spec says {short_repr(expected)}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a property in the user's code can raise anything
        message = f"the {what} of {_described(tool)} cannot be read: {describe_error(error)}"
    return [Problem(NOT_A_TOOL, message, place)]


def _described(tool: Tool) -> str:
    return f"an object of type {kind_of(tool)!r}"


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
        module = module_of_class(type(candidate))
        message = f"an object of type '{module}.{kind_of(candidate)}' is not a tool"
        hint = "mark its methods with @tool, or give it a name, a description and execute(text)"
        if (framework := framework_of(module)) is not None and is_only_read(framework):
            hint = f"tools of {title_of(framework)} are only read in the source, by `toolkit list --static` and `lint`"
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
