"""Turns tools into what a model is offered: the methods of a toolbox become one facade."""

from collections.abc import Iterable, Sequence
from typing import Any

from toolkit.disclosure.facades import built_for_models, facade_with
from toolkit.disclosure.toolboxes import contents_of
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import errors_among
from toolkit.tools.base import Tool
from toolkit.tools.resolution import collisions


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
