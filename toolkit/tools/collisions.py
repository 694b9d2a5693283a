"""Reports tools that have the same name."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolkit.codes import DUPLICATE_TOOL_NAME
from toolkit.problems import Location, Problem


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
