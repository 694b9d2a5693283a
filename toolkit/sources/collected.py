"""The result of opening a source: its tools and problems."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MethodType, ModuleType
from typing import NamedTuple, Self

from toolkit.codes import NOT_FOUND
from toolkit.problems import Problem, did_you_mean, errors_among, first_names
from toolkit.tools.base import Tool, innermost
from toolkit.tools.definition.marking import box_of
from toolkit.tools.origins import without_covered


class Collected(NamedTuple):
    """Tools in the order in which they were found, and all problems. Both lists are mutable."""

    tools: "list[Tool]"
    problems: list[Problem]

    @classmethod
    def nothing(cls, *problems: Problem) -> Self:
        """Return a result without tools, but with these problems."""
        return cls([], list(problems))

    def add(self, other: "Collected") -> None:
        """Add the tools and problems of another result."""
        self.tools.extend(other.tools)
        self.problems.extend(other.problems)

    def pick(self, name: str, within: str, known: Iterable[str] = ()) -> "Collected":
        """Return the tool with a name; problems of other tools become warnings.

        Args:
            name: The tool's name.
            within: The name of the source, for messages.
            known: Further names to suggest if the tool does not exist.
        """
        if (named := named_tool(self.tools, name)) is not None:
            found = [named]
            return Collected(found, [as_warning(problem) for problem in self.problems])
        names = [*(tool.name for tool in self.tools), *inner_names(self.tools)]
        hint = did_you_mean(name, [*names, *known], otherwise=f"it has {first_names(set(names))}" if names else None)
        missing = Problem(NOT_FOUND, f"nothing is named '{name}' in '{within}'", hint=hint)
        return Collected([], [missing, *(as_warning(problem) for problem in errors_among(self.problems))])


def named_tool(tools: "Sequence[Tool]", path: str) -> "Tool | None":
    """Return the tool with a name among these tools and behind their facades, or `None`.

    A tool behind a facade has a dotted name; its bare name, or the end of the dotted name, works if it is unique.
    """
    if named := [tool for tool in tools if tool.name == path]:
        return _without_covered(named)[0]
    if not _has_facades(tools):
        return None
    from toolkit.disclosure.offering import (
        fold,  # few projects have facades
        leaves_of,
        tool_at,
    )

    if (found := tool_at(tools, path)) is not None:
        return found
    head = path.partition(".")[0]
    named = [tool for tool in leaves_of(fold(tools)) if tool.name == head]
    if len(named) != 1:
        return None
    return named[0] if head == path else tool_at(named, path)


def all_tools(tools: "Sequence[Tool]") -> "Sequence[Tool]":
    """Return tools together with those behind their facades."""
    if not _has_facades(tools):
        return tools
    from toolkit.disclosure.offering import (
        fold,  # few projects have facades
        leaves_of,
    )

    return leaves_of(fold(tools))


def inner_names(tools: "Sequence[Tool]") -> list[str]:
    """Return the dotted names of the tools behind facades, for hints."""
    if not _has_facades(tools):
        return []
    from toolkit.disclosure.offering import dotted_names  # few projects have facades

    return dotted_names(tools)


def _has_facades(tools: "Sequence[Tool]") -> bool:
    return "toolkit.disclosure.progressive" in sys.modules or any(tool.toolbox is not None for tool in tools)


def _without_covered(tools: "Sequence[Tool]") -> "Sequence[Tool]":
    """Return tools without those that another one of the same name was made from."""
    if len(tools) == 1:
        return tools
    return without_covered(tools)


def as_warning(problem: Problem) -> Problem:
    """Return an error as a warning, and any other problem unchanged."""
    return replace(problem, severity="warning") if problem.severity == "error" else problem


def table_of(tools: "Iterable[Tool]") -> "tuple[dict[str, Tool], list[Problem]]":
    """Return the tools by name, and a problem for each further tool with the same name, which is left out.

    The same tool found twice counts once.
    """
    distinct: Sequence[Tool] = list({id(tool): tool for tool in tools}.values())
    if len({tool.name for tool in distinct}) < len(distinct):
        distinct = _without_covered(distinct)
    table: dict[str, Tool] = {}
    for tool in distinct:
        table.setdefault(tool.name, tool)
    if len(table) == len(distinct):
        return table, []
    from toolkit.tools.kinds.resolution import collisions  # only needed to report problems

    return table, collisions(distinct)


def note_ways(tools: Iterable[Tool], module: ModuleType, source: str) -> None:
    """Remember for tools, and for those behind facades, that a module passed them on, and its names for their objects.

    Args:
        tools: The tools that were found in the module.
        module: The module.
        source: The module as it was named.
    """
    for tool in _with_inner(tools):
        tool.pass_on(source)
        if isinstance(module.__file__, str):
            tool.pass_on(module.__file__)
        for owner in _names_of_object(tool, module):
            tool.pass_on(owner=owner)


def _with_inner(tools: Iterable[Tool]) -> Iterator[Tool]:
    facades = sys.modules.get("toolkit.disclosure.facades")  # without this module, nothing is a facade
    for tool in tools:
        yield tool
        if facades is not None and isinstance(inner := innermost(tool), facades.UnfoldingTool):
            yield from _with_inner(inner.inner_tools)


def _names_of_object(tool: Tool, module: ModuleType) -> Iterator[str]:
    """Yield the names of the object whose method a tool is: that of its toolbox, and those of its class's objects."""
    method = vars(innermost(tool)).get("function")
    if type(method) is MethodType:
        cls = type(method.__self__)
        if (box := box_of(cls)) is not None:
            yield str(box.name)
        yield from (name for name, thing in list(vars(module).items()) if type(thing) is cls)
