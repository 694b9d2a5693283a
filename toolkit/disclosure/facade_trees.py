"""Shows which tools are behind which facades, and finds a tool by its dotted name."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolkit.disclosure.facades import UnfoldingTool
from toolkit.disclosure.offering import fold
from toolkit.disclosure.progressive import facade_in
from toolkit.tools.base import Tool


class Branch(NamedTuple):
    """A tool or a category of tools, with the tools behind it.

    Attributes:
        name: The name of the tool or category.
        tool: The tool; None for a category.
        branches: The tools behind it; empty unless it is a category or a facade.
        is_facade: Whether the tool is a facade.
    """

    name: str
    tool: Tool | None
    branches: "tuple[Branch, ...]" = ()
    is_facade: bool = False


def tree_of(tool: Tool) -> Branch:
    """Return a tool with all tools known to be behind it."""
    facade = facade_in(tool)
    if facade is None:
        return Branch(tool.name, tool)
    if isinstance(facade, UnfoldingTool) and facade.categories:
        parts = facade.categories.items()
        branches = tuple(Branch(name, None, tuple(map(tree_of, tools))) for name, tools in parts)
    else:
        branches = tuple(map(tree_of, facade.inner_tools))
    return Branch(tool.name, tool, branches, is_facade=True)


def leaves_of(tools: Iterable[Tool]) -> list[Tool]:
    """Return every tool that can be reached, including facades, each once, outer tools first."""
    return [tool for _, tool in paths_of(tools)]


def are_read_only(tools: Iterable[Tool]) -> bool:
    """Return whether tools, and all tools that they may ever reveal, are marked as read-only."""
    for tool in leaves_of(tools):
        facade = facade_in(tool)
        if not tool.spec.read_only or (facade is not None and not facade.shows_all):
            return False
    return True


def paths_of(tools: Iterable[Tool]) -> list[tuple[tuple[str, ...], Tool]]:
    """Return the tools that `leaves_of` returns, each with the names that lead to it; the last is its own."""
    found: dict[int, tuple[tuple[str, ...], Tool]] = {}
    waiting: list[tuple[tuple[str, ...], Tool]] = [((tool.name,), tool) for tool in tools]
    while waiting:
        path, tool = waiting.pop(0)
        if id(tool) not in found:
            found[id(tool)] = path, tool
            facade = facade_in(tool)
            waiting += [((*path, inner.name), inner) for inner in (facade.inner_tools if facade is not None else ())]
    return list(found.values())


def tool_at(tools: Sequence[Tool], path: str) -> Tool | None:
    """Return the tool at a dotted name (`facade.inner`, or the name of a toolbox), or None."""
    here: Sequence[Tool] = fold(tools)
    found: Tool | None = None
    for name in path.split("."):
        found = next((tool for tool in here if tool.name == name), None)
        if found is None:
            return None
        facade = facade_in(found)
        here = facade.inner_tools if facade is not None else ()
    return found


def dotted_names(tools: Sequence[Tool]) -> list[str]:
    """Return the names of all facades, and the dotted names of the tools behind them."""
    return [name for tool in fold(tools) if facade_in(tool) is not None for name in _names_from(tool)]


def _names_from(tool: Tool) -> list[str]:
    facade = facade_in(tool)
    inner = facade.inner_tools if facade is not None else ()
    return [tool.name, *(f"{tool.name}.{name}" for each in inner for name in _names_from(each))]
