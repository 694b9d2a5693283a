"""Finds the file and the class that define a function, without running code of the user."""

from types import FunctionType, MethodType
from typing import Any

_MOST_WRAPPED = 100


def file_of(function: Any) -> str | None:
    """Return the file with the code of a function or method, inside its decorators, or `None` for anything else."""
    inner = _innermost(function)
    return inner.__code__.co_filename if inner is not None else None


def owners_of(function: Any) -> frozenset[str]:
    """Return the name of the class that defines a method, and that of the class of its object, if there are any."""
    inner = _innermost(function)
    above = inner.__qualname__.split(".")[-2:-1] if inner is not None else []
    if type(function) is MethodType:
        owner: Any = function.__self__
        above.append((owner if issubclass(type(owner), type) else type(owner)).__name__)
    return frozenset(one for one in above if one != "<locals>")


def _innermost(function: Any) -> FunctionType | None:
    for _ in range(_MOST_WRAPPED):
        function = function.__func__ if type(function) is MethodType else function
        if type(function) is not FunctionType:
            return None
        if "__wrapped__" not in function.__dict__:
            return function
        function = function.__dict__["__wrapped__"]
    return None
