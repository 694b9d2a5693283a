"""Reports names in options or arguments that are not configured."""

from collections.abc import Collection, Iterable

from toolkit.problems import Problem, did_you_mean


def unknown_names(
    names: Iterable[str], known: Collection[str], what: str, *, option: str | None = None, code: str = ""
) -> list[Problem]:
    """Return a problem for each unknown name.

    Args:
        names: The names as typed.
        known: The existing names.
        what: The kind of thing that is named, such as `group` or `MCP server`.
        option: The option with the names, if any.
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
