"""Reads the tools that the marked methods of a class define, without creating an object of the class."""

import inspect
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

from toolkit.codes import NOT_A_TOOL
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Problem
from toolkit.tools.collisions import Claim, name_collisions
from toolkit.tools.foreign_values import kind_of
from toolkit.tools.function_readings import FunctionReading, read_function
from toolkit.tools.marked_methods import category_from_class, marked_methods
from toolkit.tools.places import place_of


def read_methods(cls: object) -> list[FunctionReading]:
    """Read the definitions of the tools that the marked methods of a class define.

    Raises:
        InvalidTools: If a method is not a valid tool, or this is not a class; `problems` lists everything that is
            wrong.
    """
    return [reading for _, reading in methods_of(cls)]


def methods_of(cls: object) -> list[tuple[Callable[..., Any], FunctionReading]]:
    """Return the marked methods of a class, bound to nothing, with the definitions of the tools; see `read_methods`."""
    if not isinstance(cls, type):
        message = f"an object of type {kind_of(cls)!r} is not a class"
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, hint="for an object, write from_object(…)")])
    methods = [_bound_to_nothing(cls, name) for name in marked_methods(cls)]
    read = [(method, *read_function(method, category_from_class(cls, method))) for method in methods]
    good = [(method, reading) for method, reading, _ in read if reading is not None]
    claims = [_claim(method, reading) for method, reading in good]
    raise_errors(InvalidTools, [*(problem for *_, found in read for problem in found), *name_collisions(claims)])
    return good


def _claim(method: Any, reading: FunctionReading) -> Claim:
    return Claim(reading.fields["name"], reading.fields["source"], partial(place_of, inspect.unwrap(method)))


def _bound_to_nothing(cls: type, name: str) -> Any:
    """Return a method bound to a placeholder, so that its signature is that of a bound method; it cannot be called."""
    member = inspect.getattr_static(cls, name)
    return getattr(cls, name) if isinstance(member, staticmethod | classmethod) else MethodType(member, object())
