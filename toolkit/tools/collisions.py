"""Collisions: two tools of one name."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolkit.codes import DUPLICATE_TOOL_NAME
from toolkit.problems import Location, Problem


class Claim(NamedTuple):
    """A tool that has a name.

    Attributes:
        name: The name.
        source: Where the tool comes from.
        find_place: Returns where it is defined; that is asked only where a name is taken.
    """

    name: str
    source: str | None
    find_place: Callable[[], Location | None]


def clashes(claims: Iterable[Claim]) -> list[Problem]:
    """Return a problem for each tool whose name another one before it has."""
    first: dict[str, Claim] = {}
    problems = []
    for claim in claims:
        holder = first.setdefault(claim.name, claim)
        if holder is not claim:
            problems.append(collision(claim.name, claim.find_place(), holder.find_place(), holder.source))
    return problems


def collision(name: str, here: Location | None, there: Location | None, source: str | None) -> Problem:
    """Return the problem that the tool `here` has the name of the one `there`, or else in `source`."""
    origin = f", which is already a tool of {source!r}" if source and there is None else ""
    return Problem(
        DUPLICATE_TOOL_NAME,
        f"duplicate tool name {name!r}{origin}",
        here,
        hint=f"rename one: @tool(name='other_{name}') or tool.with_name('other_{name}')",
        related=((there, "first defined here"),) if there else (),
    )
