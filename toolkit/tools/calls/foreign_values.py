"""Inspects arbitrary objects without trusting their classes.

A class can make any operation raise, call `sys.exit` or return something false. These functions use only types that
Python itself defines, and never raise anything but `KeyboardInterrupt`.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

_LONGEST = 60
_LONGEST_MESSAGE = 300


def is_text(value: object) -> bool:
    """Return whether a value really is a string, whatever its `__class__` claims."""
    return issubclass(type(value), str)


def is_routine(value: object) -> bool:
    """Return whether a value really is a function or a method, whatever its `__class__` claims."""
    return call_safely(lambda: inspect.isroutine(value), otherwise=False)


def plain_text(value: str) -> str:
    """Convert a string to `str` itself, since a subclass can override any method."""
    return str.__str__(value)


def kind_of(value: object) -> str:
    """Return the qualified name of a value's type."""
    return name_of_class(type(value))


def name_of_class(cls: type) -> str:
    """Return the qualified name of a class; a metaclass cannot change it."""
    return str(type.__dict__["__qualname__"].__get__(cls))


def module_of_class(cls: type) -> str:
    """Return the name of the module that defines a class; a metaclass cannot change it."""
    module = call_safely(lambda: type.__dict__["__module__"].__get__(cls), "")
    return plain_text(module) if is_text(module) else ""


def bases_of_class(cls: type) -> tuple[type, ...]:
    """Return the method resolution order of a class; a metaclass cannot change it."""
    bases: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    return bases


def has_base(cls: type, name: str) -> bool:
    """Return whether a class or one of its bases has this qualified name."""
    return any(name_of_class(base) == name for base in bases_of_class(cls))


def members_of_class(cls: type) -> Mapping[str, Any]:
    """Return the members that a class defines itself; a metaclass cannot change them."""
    members: Mapping[str, Any] = type.__dict__["__dict__"].__get__(cls)
    return members


def member_of_class(cls: type, name: str) -> Any:
    """Return a member of a class or of its bases without binding it, or `None`; a metaclass cannot change it."""
    found = (members_of_class(base) for base in bases_of_class(cls))
    return next((members[name] for members in found if name in members), None)


def short_repr(value: object) -> str:
    """Return the shortened `repr` of a value, or the name of its type if that fails."""
    text = call_safely(lambda: repr(value), "")
    if not is_text(text) or not text:
        return f"an object of type {kind_of(value)!r}"
    text = plain_text(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def describe_error(error: BaseException) -> str:
    """Return the type and the message of an exception in one short line; without the message if `str` fails."""
    text = call_safely(lambda: str(error), "")
    line = " ".join(plain_text(text).split()) if is_text(text) else ""
    if len(line) > _LONGEST_MESSAGE:
        line = f"{line[:_LONGEST_MESSAGE]}…"
    return f"{kind_of(error)}: {line}" if line else kind_of(error)


def call_safely(ask: Callable[[], T], otherwise: T) -> T:
    """Return the result of untrusted code, or `otherwise` if it raises anything but `KeyboardInterrupt`."""
    try:
        return ask()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - untrusted code can raise anything, including SystemExit
        return otherwise
