"""The rules for names of tools.

The name of a tool of your own consists of letters, digits, underscores and hyphens, which every provider accepts after
any prefix. It does not begin with a hyphen, since a command would take it for an option. A remote tool keeps its name.
"""

import re

from toolkit.codes import INVALID_TOOL_NAME
from toolkit.problems import Location, Problem

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_OWN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)


def name_problem(name: object, location: Location | None = None) -> Problem | None:
    """Return what is wrong with the name of a tool, or `None` if it is valid."""
    if not isinstance(name, str):
        return Problem(INVALID_TOOL_NAME, f"the name of a tool must be text, not {type(name).__name__}", location)
    if not name.strip():
        return Problem(
            INVALID_TOOL_NAME, "the name of a tool must not be blank", location, hint="give it one with name='…'"
        )
    if _OWN_NAME.fullmatch(name):
        return None
    rule = "only letters, digits, underscores and hyphens are allowed"
    if name.startswith("-"):
        rule = "a name cannot begin with a hyphen, since commands would take it for an option"
    return Problem(
        INVALID_TOOL_NAME,
        f"invalid tool name {name!r}: {rule}",
        location,
        hint=f"call it {legal_name(name)!r}",
    )


def legal_name(text: str) -> str:
    """Convert any text to a valid name: `get-forecast.v2` becomes `get_forecast_v2`."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "tool"


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: `deleteOldFiles2` becomes delete, old, files, 2."""
    return [word.lower() for word in _WORD.findall(name)]
