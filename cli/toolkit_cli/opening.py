"""Opening: what was named on the command line becomes tools; where nothing was named, all that there are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit_cli import console

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration
    from toolkit.sources.opening import Opened

_READY = "builtin"


def open_all(
    targets: Sequence[str], configuration: "Configuration", gate: "Gate | None" = None, *, looks: bool = False
) -> "Opened":
    """Open the targets, or, without any, every configured source; from now on no secret that a tool holds is written.

    Args:
        targets: As they were typed.
        configuration: Where names are looked up.
        gate: Who is asked before an MCP server of the project is reached.
        looks: Whether the tools are only looked at.
    """
    from toolkit.sources.opening import open_targets  # noqa: PLC0415 - help and completion need none

    opened = open_targets(targets, configuration, gate, looks=looks)
    for tool in opened.tools.values():
        console.redactor().learn(*tool.own_secrets)
    return opened if looks else _without_notes(opened)


def _without_notes(opened: "Opened") -> "Opened":
    """Leave out the notes on built-in tools that are not configured: those who use the others did not ask."""
    return opened._replace(problems=[problem for problem in opened.problems if problem.severity != "info"])


def open_configured(
    targets: Sequence[str] | None, configuration: "Configuration", gate: "Gate | None" = None
) -> "Opened":
    """Open the targets to look at them, or, without any, every configured source and the built-in tools.

    No file is imported whose source defines no tools, and no consent is needed: nothing is to be called.

    Args:
        targets: As they were typed.
        configuration: Where names are looked up.
        gate: Who is asked before an MCP server of the project is reached.

    Returns:
        The tools by name, and what is wrong with the rest.
    """
    from toolkit.sources.opening import Opened  # noqa: PLC0415 - help and completion need none

    if targets:
        return open_all(targets, configuration, gate, looks=True)
    own = open_all([], configuration, gate, looks=True) if configuration.sources else Opened({}, [])
    ready = open_all([_READY], configuration, looks=True)
    # A tool of one's own stands before a built-in one of the same name, as it does wherever names are looked up.
    return Opened(
        {**own.tools, **{name: tool for name, tool in ready.tools.items() if name not in own.tools}},
        own.problems,
        own.files,
    )
