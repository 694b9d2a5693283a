"""Updates the tools that a loop offers to a model after a call has revealed others."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolkit.disclosure.guides import GuideTool, guide_in
from toolkit.disclosure.progressive import ProgressiveTool
from toolkit.tools.base import Tool, WrappedTool, innermost
from toolkit.tools.results import ToolResult
from toolkit.tools.revealing import Unfolded


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
    standing = tools.get(called)
    gone: set[int] = set()
    if (before := guide_in(standing)) is not None:
        gone = {id(tool) for tool in before.tools} - {id(tool) for tool in unfolded.tools}
    guides = {guide.name: guide for guide in _guides(unfolded, called, standing)}
    kept: dict[str, Tool] = {}
    if not unfolded.exclusive:
        kept = {
            name: tool
            for name, tool in tools.items()
            if name != called and name not in guides and not gone & set(_layers(tool))
        }
    revealed, changed = _named(unfolded, called, kept)
    remark = f"Renamed to avoid conflicts: {', '.join(changed)}." if changed else ""
    return Offer({**kept, **guides, **revealed}, remark)


def _guides(unfolded: Unfolded, called: str, standing: Tool | None) -> Iterator[Tool]:
    """Yield the guides under the name that was called, inside the wrappers of the facade."""
    before = guide_in(standing)
    for guide in unfolded.guides:
        if isinstance(guide, GuideTool):
            behind = standing if before is None else before.inner
            yield guide if behind is None else guide.standing_for(behind)
        elif guide.name == unfolded.facade and standing is not None:
            yield standing  # a facade that is not replaced
        elif called == unfolded.facade:
            yield guide
        else:
            yield guide.with_name(called + guide.name.removeprefix(unfolded.facade))


def _named(unfolded: Unfolded, called: str, kept: Mapping[str, Tool]) -> tuple[dict[str, Tool], list[str]]:
    """Return the revealed tools by unique names, and the notice of the changed ones."""
    there = {layer for tool in kept.values() for layer in _layers(tool)}
    revealed: dict[str, Tool] = {}
    changed: list[str] = []
    for tool in unfolded.tools:
        if id(tool) in there:
            continue
        name = tool.name
        while name in kept or name in revealed:
            name = f"{called}_{name}"
        if name != tool.name:
            changed.append(f"'{tool.name}' is '{name}'")
        revealed[name] = tool if name == tool.name else tool.with_name(name)
    return revealed, changed


def _layers(tool: Tool) -> Iterator[int]:
    """Yield the identity of a tool and of every tool that it wraps."""
    yield id(tool)
    while isinstance(tool, WrappedTool):
        tool = tool.inner
        yield id(tool)
