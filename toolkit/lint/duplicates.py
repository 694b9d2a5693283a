"""Duplicates: tools of one name in different places, which could not be opened together."""

from collections.abc import Iterable, Mapping
from typing import Any

from toolkit.problems import Location, Problem
from toolkit.tools.places import place_in_file
from toolkit.tools.resolution import collision


def duplicate_names(tools: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """Return a problem for each tool whose name another one has; a tool that was reached in two ways is one.

    Args:
        tools: What the child process tells of each tool, and `child`, which one told it.
    """
    first: dict[str, Mapping[str, Any]] = {}
    problems = []
    for tool in tools:
        holder = first.setdefault(tool["name"], tool)
        if not _are_one(holder, tool):
            problems.append(collision(tool["name"], _place(tool), _place(holder), holder["source"]))
    return problems


def _are_one(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one["child"] == other["child"] and one["identity"] == other["identity"]:
        return True
    return any(one[key] is not None and one[key] == other[key] for key in ("definition", "location"))


def _place(tool: Mapping[str, Any]) -> Location | None:
    if tool["location"]:
        return Location(*tool["location"])
    return place_in_file(*tool["definition"]) if tool["definition"] else None
