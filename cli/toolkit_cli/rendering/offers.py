"""Renders whether a model is offered each tool, and why not: a policy that denies it, or a facade before it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolkit.approvals.policies import ByRisk, Policy
from toolkit.disclosure.denials import denial_of
from toolkit.disclosure.offering import fold, paths_of
from toolkit_cli.rendering.policy_tables import reason_for
from toolkit_cli.rendering.styles import Line, one_line, table

if TYPE_CHECKING:
    from toolkit.tools.base import Tool


class ToolOffer(NamedTuple):
    """Whether a model is offered a tool.

    Attributes:
        name: The dotted name of the tool, beginning with the facades before it.
        offered: `yes`, `later` for a tool behind a facade, or `no`.
        why: The reason, unless the tool is offered at once.
    """

    name: str
    offered: Literal["yes", "later", "no"]
    why: str


def offers_of(tools: "Sequence[Tool]", policy: Policy | None) -> list[ToolOffer]:
    """Return for each tool, and each behind a facade, whether a model is offered it under a policy."""
    offers: list[ToolOffer] = []
    denied: dict[tuple[str, ...], str] = {}
    for path, tool in paths_of(fold(list(tools))):
        before = next((path[:end] for end in range(1, len(path)) if path[:end] in denied), None)
        denial = denial_of(tool, policy or ByRisk())
        name = ".".join(path)
        if denial is not None:
            denied[path] = f"denied: {reason_for(denial)}"
            offers.append(ToolOffer(name, "no", denied[path]))
        elif before is not None:
            offers.append(ToolOffer(name, "no", f"behind '{'.'.join(before)}', which is denied"))
        elif len(path) > 1:
            offers.append(ToolOffer(name, "later", f"after a call of '{'.'.join(path[:-1])}'"))
        else:
            offers.append(ToolOffer(name, "yes", ""))
    return offers


def listed_offers(offers: Iterable[ToolOffer], width: int) -> list[Line]:
    """Return a table of tools: name, whether a model is offered the tool, and why not."""
    return table(("NAME", "OFFERED", "WHY"), [(one_line(one.name), one.offered, one.why) for one in offers], width)
