"""Summaries: short descriptions of runs and their objects for a model."""

from types import NoneType
from typing import Any

from toolkit.json_texts import json_text


def shortened(text: str, limit: int) -> str:
    """Return a text, or its beginning and how long it is where it is longer than so many characters."""
    return text if len(text) <= limit else f"{text[:limit]}… [{limit} of {len(text)} characters]"


def time_in_words(seconds: float) -> str:
    """Return a span of time for reading: `12ms`, `1.5s`, `1m 1s`, `1h 2m 5s`."""
    if seconds < 1:
        return f"{int(seconds * 1000)}ms"
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{int(seconds * 10) / 10:g}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m {rest}s" if hours else f"{minutes}m {rest}s"


def described(thing: Any) -> str:
    """Return an object in words: text as it is, plain data as JSON, anything else as its class describes itself.

    An object whose class has no description is shown by its class name alone, since its data may be private.
    """
    if isinstance(thing, str):
        return thing
    if type(thing) in (dict, list, tuple, bool, int, float, NoneType):
        try:
            return json_text(thing, default=_in_words)
        except (TypeError, ValueError, RecursionError):
            return _named(thing)
    return _in_words(thing)


def _in_words(thing: Any) -> str:
    if isinstance(thing, bytes | bytearray | memoryview):
        return f"<{len(bytes(thing))} bytes>"
    own = {member for base in type(thing).__mro__ if base is not object for member in vars(base)}
    if own.isdisjoint(("__str__", "__repr__")):
        return _named(thing)
    try:
        return str(thing)
    except Exception:  # noqa: BLE001 - what an object's class does is foreign code
        return _named(thing)


def _named(thing: Any) -> str:
    return f"<{type(thing).__name__}>"
