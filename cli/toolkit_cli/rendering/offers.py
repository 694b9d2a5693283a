"""Renders whether a model is offered each tool, and why not: a policy, a facade before it, or a server's settings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolkit.approvals.policies import ByRisk, Policy
from toolkit.disclosure.denials import denial_of
from toolkit.disclosure.offering import fold, paths_of
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit_cli.rendering.policy_tables import reason_for
from toolkit_cli.rendering.styles import Line, one_line, table

if TYPE_CHECKING:
    from toolkit.mcp.settings.server_settings import McpServer
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


def left_out_offers(
    servers: "Iterable[McpServer]", values: Mapping[str, Any], tools: "Sequence[Tool]", problems: Sequence[Problem]
) -> list[ToolOffer]:
    """Return the tools that no model is offered because their server's settings, or `toolkit.lock`, leave them out.

    Args:
        servers: The servers; one without any tool that is left is not contacted, since it may have no consent.
        values: The values of the context with which they were contacted.
        tools: The tools that are left.
        problems: The problems of the others.
    """
    from toolkit.mcp.client.server_sessions import ServerUnreachable, connection_to, wait_for  # few lists have servers
    from toolkit.mcp.diagnosis.tool_checks import left_out_tools
    from toolkit.mcp.tools.remote import RemoteTool, offered_name

    used = {(tool.server.name, tool.wire_name) for tool in tools if isinstance(tool, RemoteTool)}
    offers = []
    for server in servers:
        names = {name for of, name in used if of == server.name}
        if not names:
            continue
        try:
            listing = wait_for(connection_to(server, values).listing())
        except (ConfigurationError, ServerUnreachable):
            continue  # it has ended since its tools were opened
        for one in left_out_tools(server, listing, names, problems):
            why = f"{one.reason} in [mcp.{server.name}]" if one.by in {"tools", "exclude"} else one.reason
            offers.append(ToolOffer(offered_name(server, one.name), "no", f"left out: {why}"))
    return offers


def listed_offers(offers: Iterable[ToolOffer], width: int) -> list[Line]:
    """Return a table of tools: name, whether a model is offered the tool, and why not."""
    return table(("NAME", "OFFERED", "WHY"), [(one_line(one.name), one.offered, one.why) for one in offers], width)
