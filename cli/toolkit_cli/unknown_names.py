"""Unknown names: what is reported where an option or an argument names something that is not configured."""

from collections.abc import Collection, Iterable

from toolkit.problems import Problem, did_you_mean


def unknown_names(
    names: Iterable[str], known: Collection[str], what: str, *, option: str | None = None, code: str = ""
) -> list[Problem]:
    """Return a problem for each name that nothing has.

    Args:
        names: The names that were typed.
        known: Those that there are.
        what: What they are names of: `group`; of `MCP server`, the hint speaks of servers.
        option: The option that they were typed after, if any.
        code: The code of the problem.
    """
    several = f"{what.rpartition(' ')[2]}s"
    otherwise = f"the {several} are {', '.join(known)}" if known else "none is configured"
    before = "" if option is None else f"{option}: "
    return [
        Problem(code, f"{before}there is no {what} '{name}'", hint=did_you_mean(name, known, otherwise=otherwise))
        for name in names
        if name not in known
    ]
