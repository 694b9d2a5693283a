"""Renders the tools behind a facade as a tree and as plain data."""

from collections.abc import Iterator, Sequence
from typing import Any

from toolkit.disclosure.trees import Branch
from toolkit_cli.rendering.branches import stem
from toolkit_cli.rendering.escaping import cut, one_line
from toolkit_cli.rendering.styles import Line

_NARROWEST = 20


def drawn_tree(tree: Branch, width: int) -> list[Line]:
    """Return the tools behind a facade as a tree, each with the start of its description."""
    if not tree.branches:
        return [[("strong", "Tools")], [("plain", "  created when it is called")]]
    return [[("strong", "Tools")], *_below(tree.branches, "  ", width)]


def tree_record(tree: Branch) -> list[dict[str, Any]]:
    """Return the tools behind a facade as plain data; a category has no description."""
    return [
        {"name": branch.name, "description": branch.tool.description if branch.tool else None}
        | ({"tools": tree_record(branch)} if branch.is_facade or branch.tool is None else {})
        for branch in tree.branches
    ]


def _below(branches: Sequence[Branch], indent: str, width: int) -> Iterator[Line]:
    for place, branch in enumerate(branches):
        first, below = stem(is_last=place == len(branches) - 1)
        yield _headline(branch, indent + first, width)
        yield from _below(branch.branches, indent + below, width)


def _headline(branch: Branch, before: str, width: int) -> Line:
    if branch.tool is None:
        return [("quiet", before), ("plain", one_line(branch.name))]
    counted = f" ({_tools(len(branch.branches))})" if branch.is_facade else ""
    name = one_line(branch.name)
    room = max(width - len(before) - len(name) - len(counted) - 2, _NARROWEST)
    text = cut(one_line(branch.tool.description), room)
    return [("quiet", before), ("strong", name), ("plain", f"{counted}  {text}".rstrip())]


def _tools(count: int) -> str:
    return f"{count} tool" if count == 1 else f"{count} tools"
