"""Finds the methods of a class that are marked as tools, and the options that they get from the class."""

import inspect
from typing import Any

from toolkit.tools.foreign_values import bases_of_class, is_text, members_of_class
from toolkit.tools.marking import box_of, mark_of


def marked_methods(cls: type) -> list[str]:
    """Return the names of a class's marked methods, including inherited and private ones, in order of definition.

    A method that overrides a marked one is a tool only if it is marked itself.
    """
    bases = reversed(bases_of_class(cls))
    names = dict.fromkeys(name for base in bases for name in members_of_class(base) if is_text(name))
    return [name for name in names if mark_of(_plain_member(cls, name)) is not None]


def _plain_member(cls: type, name: str) -> Any:
    """Return a member without binding it or running a property."""
    member = inspect.getattr_static(cls, name, None)
    return getattr(member, "__func__", member) if issubclass(type(member), staticmethod | classmethod) else member


def category_from_class(candidate: Any, method: Any) -> dict[str, str]:
    """Return the category that a method gets from its class, unless it sets its own."""
    box = box_of(candidate)
    return {"category": box.name} if box and not (mark_of(method) or {}).get("category") else {}
