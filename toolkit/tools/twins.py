"""Decides which of several tools with one name is meant, where one of them was made from another."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.origins import origins_of_tool

T = TypeVar("T", bound=Tool)


def without_covered(tools: Sequence[T]) -> list[T]:
    """Return tools without those that another one of the same name was made from.

    A wrapper replaces the tool that it wraps. A Tool that an author created, such as `ConfirmedTool(from_function(pay),
    …)`, replaces the tool that was found because its function is marked. Neither does if it is less careful.
    """
    named: dict[str, list[T]] = {}
    for tool in tools:
        named.setdefault(tool.name, []).append(tool)
    if len(named) == len(tools):
        return list(tools)
    return [tool for tool in tools if not any(covers(other, tool) for other in named[tool.name])]


def covers(tool: Tool, other: Tool) -> bool:
    """Return whether a tool was made from another one, and replaces it where both have the same name."""
    if tool is other or tool.name != other.name or _is_less_careful(tool, other):
        return False
    if any(inner is other for inner in _wrapped(tool)):
        return True
    if other.found_at is None or tool.found_at is not None:
        return False
    made, declared = origins_of_tool(tool), origins_of_tool(other)
    if made.same & declared.same:
        return True
    kin = declared.same | declared.kin if other.found_at == "class" else declared.same
    return bool(kin & (made.kin | made.parts))


def _wrapped(tool: Tool) -> Iterable[Tool]:
    while isinstance(tool, WrappedTool):
        tool = tool.inner
        yield tool


def _is_less_careful(tool: Tool, other: Tool) -> bool:
    """Whether the marks of a tool allow calls that those of the other one do not."""
    spec, its = tool.spec, other.spec
    return (
        (its.requires_approval and not spec.requires_approval)
        or (its.destructive and not spec.destructive)
        or (spec.read_only and not its.read_only)
        or (other.demands and not tool.demands)
    )
