"""The ready tools under the names that targets use."""

from toolkit.builtin import ready_tools
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.sources.collected import Collected

ALL = "builtin"
"""The name of all ready tools together."""


def ready_names() -> list[str]:
    """Return the name of every ready tool, and the one that means them all."""
    return [ALL, *ready_tools()]


def open_ready(name: str) -> Collected | None:
    """Return the ready tool of a name, or all of them for `builtin`; None if there is none of this name."""
    known = ready_tools()
    if name != ALL and name not in known:
        return None
    found = Collected.nothing()
    for each in known if name == ALL else [name]:
        try:
            found.tools.append(known[each].build())
        except ConfigurationError as error:
            problem = Problem("TK003", f"the ready tool '{each}' cannot work here: {error}")
            found.problems.extend(error.problems or [problem])
    return found
