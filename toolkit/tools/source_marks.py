"""Source marks: the names by which the source of a Python file shows that it defines tools, before anything runs.

Each kind of tool has one `SourceMarks`. A room that knows another kind makes its own, and whoever reads sources puts
them all into one table.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple


class SourceMarks(NamedTuple):
    """The names that define tools of one kind.

    A name is a full dotted name, in which `*` stands for any characters and `()` for what a call returns: the pattern
    `fastmcp.FastMCP().tool` is the method `tool` of every object of the class `fastmcp.FastMCP`.

    Attributes:
        packages: The packages that the names belong to.
        decorators: What marks the function or class below it.
        classes: A class made from one of these is a tool, and so is an object of it.
        makers: What a call of one of these returns is a tool, or holds some.
    """

    packages: tuple[str, ...]
    decorators: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()


OUR_MARKS = SourceMarks(
    packages=("toolkit",),
    decorators=("toolkit.tool", "toolkit.*.tool", "toolkit.toolbox", "toolkit.*.toolbox"),
    classes=(
        "toolkit.*Tool",
        "toolkit.Pipeline",
        "toolkit.*.Pipeline",
        "toolkit.builtin.*",
        "toolkit.*.Subagent",
        "toolkit.*.ToolSearch",
        "toolkit.*.McpFacade",
        "toolkit.disclosure.*.Facade",
    ),
    makers=(
        "toolkit.from_function",
        "toolkit.*.from_function",
        "toolkit.from_object",
        "toolkit.*.from_object",
        "toolkit.resolve_tools",
        "toolkit.*.resolve_tools",
        "toolkit.load_pipeline",
        "toolkit.*.load_pipeline",
        "toolkit.*.renamed",
        "toolkit.*.sink_artifacts",
        "toolkit.*.publish_to_blackboard",
        "toolkit.*.replan_*",
    ),
)


def is_among(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a dotted name is one that the patterns mean."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
