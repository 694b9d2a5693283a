"""Short descriptions of times and objects for a model."""

from types import NoneType
from typing import Any

from toolkit.json_texts import json_text


def shortened(text: str, limit: int) -> str:
    """Return a string, truncated to `limit` characters with a note on its length if it is longer."""
    return text if len(text) <= limit else f"{text[:limit]}… [{limit} of {len(text)} characters]"


def time_in_words(seconds: float) -> str:
    """Return a duration in words, such as `12ms`, `1.5s`, `1m 1s` or `1h 2m 5s`."""
    if seconds < 1:
        return f"{int(seconds * 1000)}ms"
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{int(seconds * 10) / 10:g}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m {rest}s" if hours else f"{minutes}m {rest}s"


def described(thing: Any) -> str:
    """Return an object as text: a string unchanged, plain data as JSON, anything else with `str`.

    If the class defines neither `__str__` nor `__repr__`, only its name is shown.
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
    except Exception:  # noqa: BLE001 - the class may raise anything
        return _named(thing)


def _named(thing: Any) -> str:
    return f"<{type(thing).__name__}>"
