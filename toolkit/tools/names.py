"""Names: what a tool may be called. The only place that knows.

A tool of one's own is named with letters, digits, underscores and hyphens, which every provider takes
after any prefix. A remote tool keeps the name it has on the wire.
"""

import re

from toolkit.codes import INVALID_TOOL_NAME
from toolkit.problems import Location, Problem

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_OWN_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def name_problem(name: object, location: Location | None = None) -> Problem | None:
    """Return what is wrong with the name of a tool of one's own, or `None` if it is good."""
    if not isinstance(name, str):
        return Problem(INVALID_TOOL_NAME, f"the name of a tool must be text, not {type(name).__name__}", location)
    if not name.strip():
        return Problem(
            INVALID_TOOL_NAME, "the name of a tool must not be blank", location, hint="give it one with name='…'"
        )
    if _OWN_NAME.fullmatch(name):
        return None
    return Problem(
        INVALID_TOOL_NAME,
        f"invalid tool name {name!r}: only letters, digits, underscores and hyphens are allowed",
        location,
        hint=f"call it {legal_name(name)!r}",
    )


def legal_name(text: str) -> str:
    """Return the nearest legal name to any text: `get-forecast.v2` becomes `get_forecast_v2`."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "tool"


def words_of(name: str) -> list[str]:
    """Return the words of a name in small letters: `deleteOldFiles2` is delete, old, files, 2."""
    return [word.lower() for word in _WORD.findall(name)]
