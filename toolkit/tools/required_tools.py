"""Checks that a group or a server has its required tools."""

from collections.abc import Iterable, Sequence

from toolkit.codes import INCOMPLETE_GROUP
from toolkit.problems import Location, Problem, did_you_mean


def missing_tools(whose: str, required: Iterable[str], names: Sequence[str], place: Location | None) -> list[Problem]:
    """Return a problem for each required tool that is missing.

    Args:
        whose: The owner of the tools, for the message: `group 'files'`.
        required: The names of the required tools.
        names: The names of the existing tools.
        place: Where the owner is defined.
    """
    there = f"it has {', '.join(sorted(names))}" if names else "it has no tools"
    return [
        Problem(
            INCOMPLETE_GROUP,
            f"{whose} lacks its required tool '{name}'",
            place,
            hint=did_you_mean(name, names, otherwise=there),
        )
        for name in required
        if name not in names
    ]
