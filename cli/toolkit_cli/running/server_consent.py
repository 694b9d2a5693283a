"""Who is asked before an MCP server that a project names is started, in commands that ask nothing else."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration


def gate_for(configuration: "Configuration") -> "Gate | None":
    """Return who is asked; nobody where no server is configured, which is how most projects are."""
    if not configuration.mcp:
        return None
    from toolkit_cli.running.answer_sources import Answers, make_gate  # noqa: PLC0415 - few projects have servers
    from toolkit_cli.screen import Screen  # noqa: PLC0415 - as above

    return make_gate(Answers(), Screen(), configuration.approval_timeout)
