"""Checks that a tool of a user-defined class implements the interface of `Tool`, before other code relies on it.

Its attributes can be properties that raise, or have any value. Each is read once here, and reported if it is wrong.
"""

import inspect
from collections.abc import Callable
from dataclasses import fields
from logging import Logger
from typing import Any, NamedTuple, get_args

from toolkit.approvals.policies import DescribedCall
from toolkit.codes import MISSING_DESCRIPTION, NOT_A_TOOL, ROOT_NOT_OBJECT
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem, set_missing_locations
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Pipe
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import (
    describe_error,
    is_routine,
    is_text,
    kind_of,
    module_of_class,
    plain_text,
    short_repr,
)
from toolkit.tools.marking import box_of
from toolkit.tools.spec import ToolSpec
from toolkit.tools.spec_fields import plain_fields


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


_OF_TOOL = {name: inspect.getattr_static(Tool, name) for name in _REQUIREMENTS}

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
            return None, [Problem(NOT_A_TOOL, f"the tool inside {_called(tool)} is not a Tool", place)]
        spec = tool.spec
        if not issubclass(type(spec), ToolSpec):
            hint = "write spec = ToolSpec(name, description, parameters)"
            message = f"the spec of {_called(tool)} must be a ToolSpec, not {short_repr(spec)}"
            return None, [Problem(NOT_A_TOOL, message, place, hint=hint)]
        fields_ = {each.name: getattr(spec, each.name) for each in fields(ToolSpec)}
    except InvalidTools as error:
        return None, set_missing_locations(error.problems, place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a property in the user's code can raise anything
        message = f"the specification of {_called(tool)} cannot be read: {describe_error(error)}"
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
            if inspect.getattr_static(type(tool), name, None) is _OF_TOOL[name] and name not in _dict_of(tool):
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
        message = f"the {what} of {_called(tool)} is {short_repr(value)}, but its spec says {short_repr(expected)}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a property in the user's code can raise anything
        message = f"the {what} of {_called(tool)} cannot be read: {describe_error(error)}"
    return [Problem(NOT_A_TOOL, message, place)]


def _called(tool: Tool) -> str:
    return f"an object of type {kind_of(tool)!r}"
