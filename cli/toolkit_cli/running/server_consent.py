"""The gate that asks for consent to start a project's MCP servers, for commands without other approvals."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.settings.configuration import Configuration


def gate_for(configuration: "Configuration") -> "Gate | None":
    """Return a gate that asks for consent to start servers; `None` if no servers are configured."""
    if not configuration.mcp:
        return None
    from toolkit_cli.running.answer_sources import Answers, make_gate  # few projects have servers
    from toolkit_cli.screen import Screen

    return make_gate(Answers(), Screen(), configuration.approval_timeout)
