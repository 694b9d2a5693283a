"""The rules for names of tools, and names that occur twice."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolkit.codes import DUPLICATE_TOOL_NAME, INVALID_TOOL_NAME
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


class Claim(NamedTuple):
    """A tool's claim to its name.

    Attributes:
        name: The name.
        source: The source of the tool.
        find_place: Returns where the tool is defined; called only if the name is already taken.
    """

    name: str
    source: str | None
    find_place: Callable[[], Location | None]


def name_collisions(claims: Iterable[Claim]) -> list[Problem]:
    """Return a problem for each tool that has the same name as an earlier one."""
    first: dict[str, Claim] = {}
    problems = []
    for claim in claims:
        holder = first.setdefault(claim.name, claim)
        if holder is not claim:
            problems.append(collision(claim.name, claim.find_place(), holder.find_place(), holder.source))
    return problems


def collision(name: str, here: Location | None, there: Location | None, source: str | None) -> Problem:
    """Return the problem that the tool `here` has the same name as the one `there`, or else the one in `source`."""
    origin = f", which is already a tool of {source!r}" if source and there is None else ""
    return Problem(
        DUPLICATE_TOOL_NAME,
        f"duplicate tool name {name!r}{origin}",
        here,
        hint=f"rename one: @tool(name='other_{name}') or tool.with_name('other_{name}')",
        related=((there, "first defined here"),) if there else (),
    )
