"""Required tools: those without which a group or a server is of no use."""

from collections.abc import Iterable, Sequence

from toolkit.codes import INCOMPLETE_GROUP
from toolkit.problems import Location, Problem, did_you_mean


def missing_tools(whose: str, required: Iterable[str], names: Sequence[str], place: Location | None) -> list[Problem]:
    """Return a problem for each required tool that is not there.

    Args:
        whose: What lacks them, in words: `group 'files'`.
        required: The names that are needed.
        names: Those that there are.
        place: Where it is defined.
    """
    there = f"it has {', '.join(sorted(names))}" if names else "it has none at all"
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
