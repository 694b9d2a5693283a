"""The ready tools under the names that targets use."""

from toolkit.builtin import ready_tools
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.sources.collected import Collected

ALL_READY = "builtin"
"""The name of all ready tools together."""


def ready_names() -> list[str]:
    """Return the name of every ready tool."""
    return list(ready_tools())


def open_ready(name: str) -> Collected | None:
    """Return the ready tool of a name; None if there is none of this name. None is imported but the one."""
    if (tool := ready_tools().get(name)) is None:
        return None
    try:
        return Collected([tool.build()], [])
    except ConfigurationError as error:
        problem = Problem("TK003", f"the ready tool '{name}' cannot work here: {error}")
        return Collected([], list(error.problems or [problem]))
