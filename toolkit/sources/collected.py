"""What opening one thing gives: tools, and what is wrong with the rest."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Self

from toolkit.codes import NOT_FOUND
from toolkit.problems import Problem, did_you_mean, errors_among

if TYPE_CHECKING:  # lint needs no tools, but their marks
    from toolkit.tools.base import Tool


class Collected(NamedTuple):
    """Tools in the order they were found, and every problem on the way; both lists grow."""

    tools: "list[Tool]"
    problems: list[Problem]

    @classmethod
    def nothing(cls, *problems: Problem) -> Self:
        """Return no tools, and why."""
        return cls([], list(problems))

    def add(self, other: "Collected") -> None:
        """Take in what something else gave."""
        self.tools.extend(other.tools)
        self.problems.extend(other.problems)

    def pick(self, name: str, within: str, known: Iterable[str] = ()) -> "Collected":
        """Return the one tool of a name; what is wrong with the others is only a warning then.

        Args:
            name: The tool's name.
            within: What the place that it is looked for in is called.
            known: Names that may have been meant besides the tools'.
        """
        if (named := named_tool(self.tools, name)) is not None:
            found = [named]
            return Collected(found, [as_warning(problem) for problem in self.problems])
        names = [*(tool.name for tool in self.tools), *inner_names(self.tools), *known]
        missing = Problem(NOT_FOUND, f"nothing is named '{name}' in '{within}'", hint=did_you_mean(name, names))
        return Collected([], [missing, *(as_warning(problem) for problem in errors_among(self.problems))])


def named_tool(tools: "Sequence[Tool]", path: str) -> "Tool | None":
    """Return the tool that a name means among others, or behind a facade of theirs, or None.

    Behind a facade it is the dotted name that counts, or its own name if there is but one of it.
    """
    if (found := next((tool for tool in tools if tool.name == path), None)) is not None:
        return found
    facades_exist = "toolkit.disclosure.progressive" in sys.modules
    if not facades_exist and all(tool.toolbox is None for tool in tools):
        return None
    from toolkit.disclosure.folding import fold  # noqa: PLC0415 - few projects have facades
    from toolkit.disclosure.trees import leaves_of, tool_at  # noqa: PLC0415

    if (found := tool_at(tools, path)) is not None:
        return found
    named = [tool for tool in leaves_of(fold(tools)) if tool.name == path]
    return named[0] if len(named) == 1 else None


def inner_names(tools: "Sequence[Tool]") -> list[str]:
    """Return the dotted names of the tools behind facades, for hints."""
    if "toolkit.disclosure.progressive" not in sys.modules and all(tool.toolbox is None for tool in tools):
        return []
    from toolkit.disclosure.trees import dotted_names  # noqa: PLC0415 - few projects have facades

    return dotted_names(tools)


def as_warning(problem: Problem) -> Problem:
    """Return the problem as one that stops nothing."""
    return replace(problem, severity="warning") if problem.severity == "error" else problem


def table_of(tools: "Iterable[Tool]") -> "tuple[dict[str, Tool], list[Problem]]":
    """Return the tools by name, and a problem for each that has the name of another; the first stands.

    A tool that was reached in two ways is one tool.
    """
    distinct = list({id(tool): tool for tool in tools}.values())
    table: dict[str, Tool] = {}
    for tool in distinct:
        table.setdefault(tool.name, tool)
    if len(table) == len(distinct):
        return table, []
    from toolkit.tools.resolution import collisions  # noqa: PLC0415 - only bad news needs it

    return table, collisions(distinct)
