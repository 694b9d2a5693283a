"""What a model is offered: tools folded into facades, and updates after a call has revealed others.

Lists show which tools are behind which facades, and find a tool by its dotted name.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.disclosure.facades import UnfoldingTool, built_for_models, contents_of, facade_with
from toolkit.disclosure.progressive import ContextTool, GuideTool, ProgressiveTool, context_of, facade_in, guide_in
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import errors_among
from toolkit.tools.base import Tool, Unfolded, WrappedTool, innermost
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.kinds.resolution import collisions


class Offer(NamedTuple):
    """The tools that a model is offered from now on.

    Attributes:
        tools: The tools by name.
        remark: Text to append to the result of the call, such as names that had to change; may be empty.
    """

    tools: dict[str, Tool]
    remark: str


def unfolded_by(result: ToolResult) -> Unfolded | None:
    """Return what a call has revealed, or None if it was not a call of a facade."""
    return result.artifact if isinstance(result.artifact, Unfolded) else None


def facade_of(tool: Tool | None) -> ProgressiveTool | None:
    """Return the facade that a tool is, or that it replaces as a guide, ignoring wrappers; or None."""
    inner = innermost(tool) if tool is not None else None
    return inner if isinstance(inner, ProgressiveTool) else None


def offer(tools: Mapping[str, Tool], called: str, unfolded: Unfolded) -> Offer:
    """Return the tools that a model is offered after a call of a facade.

    The guides and the revealed tools replace the facade. The other tools stay, unless the facade is exclusive. If a
    revealed tool has the name of one that stays, the name of the facade is put in front of its name.

    Args:
        tools: The tools offered before.
        called: The name under which the facade was called.
        unfolded: What the call has revealed.
    """
    before = guide_in(tools.get(called))
    gone: set[int] = set()
    if before is not None:
        gone = {id(tool) for tool in before.tools} - {id(tool) for tool in unfolded.tools}
    kept: dict[str, Tool] = {}
    if not unfolded.exclusive:
        kept = {
            name: tool
            for name, tool in tools.items()
            if name != called and not _describes(tool, before) and not gone & set(_layers(tool))
        }
    offered = _named(unfolded, called, kept)
    revealed = {tool.name: tool for tool in offered if tool.name not in kept}
    guides = {guide.name: guide for guide in _guides(unfolded, called, tools.get(called), offered, {*kept, *revealed})}
    changed = [
        f"'{old.name}' is '{new.name}'"
        for old, new in zip(unfolded.tools, offered, strict=True)
        if new.name in revealed and new.name != old.name
    ]
    remark = f"Renamed to avoid conflicts: {', '.join(changed)}." if changed else ""
    return Offer({**kept, **guides, **revealed}, remark)


def _describes(tool: Tool, guide: GuideTool | None) -> bool:
    """Return whether a tool is the description that was offered together with a guide."""
    inner = innermost(tool)
    return guide is not None and isinstance(inner, ContextTool) and inner.facade is guide.facade


def _guides(
    unfolded: Unfolded, called: str, standing: Tool | None, offered: Sequence[Tool], taken: Collection[str]
) -> Iterator[Tool]:
    """Yield the guides under the name that was called, inside the wrappers of the facade."""
    before = guide_in(standing)
    for guide in unfolded.guides:
        inner = innermost(guide)
        if isinstance(guide, GuideTool):
            behind = standing if before is None else before.inner
            yield guide.standing_for(behind or guide.inner, offered)
        elif guide.name == unfolded.facade and standing is not None:
            yield standing  # a facade that is not replaced
        else:
            name = _free(called + guide.name.removeprefix(unfolded.facade), called, taken)
            context = context_of(inner.facade, offered) if isinstance(inner, ContextTool) else guide
            yield context if context.name == name else context.with_name(name)


def _named(unfolded: Unfolded, called: str, kept: Mapping[str, Tool]) -> list[Tool]:
    """Return the revealed tools as they are offered: under unique names, or as they are offered already."""
    there = {layer: tool for tool in kept.values() for layer in _layers(tool)}
    offered: list[Tool] = []
    for tool in unfolded.tools:
        name = _free(tool.name, called, {*kept, *(other.name for other in offered)})
        offered.append(there.get(id(tool)) or (tool if name == tool.name else tool.with_name(name)))
    return offered


def _free(name: str, called: str, taken: Collection[str]) -> str:
    while name in taken:
        name = f"{called}_{name}"
    return name


def _layers(tool: Tool) -> Iterator[int]:
    """Yield the identity of a tool and of every tool that it wraps."""
    yield id(tool)
    while isinstance(tool, WrappedTool):
        tool = tool.inner
        yield id(tool)


def folded_tools(candidates: Iterable[Any]) -> dict[str, Tool]:
    """Return tools by name as a model is offered them: each toolbox object becomes one facade.

    Args:
        candidates: Anything that `resolve_tools` takes; tools that are all the methods of one toolbox are folded too.

    Raises:
        InvalidTools: With every problem: candidates that are not tools, and names that are invalid or used twice.
    """
    tools, problems = built_for_models(candidates)
    folded = fold(tools)
    raise_errors(InvalidTools, [*problems, *collisions(folded)])
    return {tool.name: tool for tool in folded}


def fold(tools: Sequence[Tool]) -> list[Tool]:
    """Return the tools, with all methods of a toolbox replaced by its facade; an incomplete set stays as it is.

    The facade takes the position of the first method, and keeps the methods with their wrappers.
    """
    boxed: dict[int, list[Tool]] = {}
    for tool in tools:
        if tool.toolbox is not None:
            boxed.setdefault(id(tool.toolbox), []).append(tool)
    facades = {key: _facade(members[0].toolbox, members) for key, members in boxed.items()}
    placed: dict[int, Tool] = {}
    for tool in tools:
        facade = facades.get(id(tool.toolbox)) if tool.toolbox is not None else None
        placed.setdefault(id(facade or tool), facade or tool)
    return list(placed.values())


def _facade(box: object, members: Sequence[Tool]) -> Tool | None:
    """Return the facade of a toolbox with these methods, or None if some methods are missing."""
    contents, problems = contents_of(box)
    if contents.mark is None or errors_among(problems) or len(members) < len(contents.tools):
        return None
    try:
        return facade_with(contents._replace(tools=members), *contents.mark)
    except InvalidTools:
        return None


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
