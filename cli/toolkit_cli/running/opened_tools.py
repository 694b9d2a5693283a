"""Opens the tools for the targets on the command line: all, exactly one, or all configured ones."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from typer._click.globals import get_current_context

from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.settings.configuration import Configuration
    from toolkit.sources.opening import Opened
    from toolkit.tools.base import Tool


_READY = "builtin"


def open_all(
    targets: Sequence[str], configuration: "Configuration", gate: "Gate | None" = None, *, looks: bool = False
) -> "Opened":
    """Open the targets, or all configured sources if there are none; secrets of the tools are redacted from now on.

    Args:
        targets: The targets as typed.
        configuration: The configuration, in which names are looked up.
        gate: Asks for consent before an MCP server of the project is contacted.
        looks: Whether the tools are only inspected, not called.
    """
    from toolkit.sources.modules import collected_warnings  # help and completion need none
    from toolkit.sources.opening import open_targets  # as above

    with collected_warnings() as found:
        opened = open_targets(targets, configuration, gate, looks=looks)
    tell_warnings(found)
    for tool in opened.tools.values():
        console.redactor().learn(*tool.own_secrets)
    return opened if looks else _without_notes(opened)


def tell_warnings(found: Collection[str]) -> None:
    """Print how many warnings there were, or all of them with `-v` or `--debug`; nothing with `--quiet`."""
    context = get_current_context(silent=True)
    options = {} if context is None else context.params
    if not found or options.get("quiet"):
        return
    if options.get("verbose") or options.get("debug"):
        console.say("\n".join(found))
        return
    flag = "-v" if "verbose" in options else "--debug" if "debug" in options else ""
    hint = f" ({flag} shows them)" if flag else ""
    console.say(f"{len(found)} warning{'s' if len(found) != 1 else ''} of imported modules{hint}")


def _without_notes(opened: "Opened") -> "Opened":
    """Leave out notes about built-in tools that are not configured."""
    return opened._replace(problems=[problem for problem in opened.problems if problem.severity != "info"])


def open_configured(
    targets: Sequence[str] | None, configuration: "Configuration", gate: "Gate | None" = None
) -> "Opened":
    """Open the targets to inspect them, or all configured sources and built-in tools if there are none.

    Files that define no tools are not imported. No consent is needed, since nothing is called.

    Args:
        targets: The targets as typed.
        configuration: The configuration, in which names are looked up.
        gate: Asks for consent before an MCP server of the project is contacted.

    Returns:
        The tools by name, and the problems with tools that could not be opened.
    """
    from toolkit.sources.opening import Opened  # help and completion need none

    if targets:
        return open_all(targets, configuration, gate, looks=True)
    own = open_all([], configuration, gate, looks=True) if configuration.sources else Opened({}, [])
    ready = open_all([_READY], configuration, looks=True)
    # A configured tool takes precedence over a built-in one of the same name, as in every lookup.
    return Opened(
        {**own.tools, **{name: tool for name, tool in ready.tools.items() if name not in own.tools}},
        own.problems,
        own.files,
    )


def named_servers(targets: Sequence[str], configuration: "Configuration") -> "list[McpServer]":
    """Return the MCP servers that are opened as a whole.

    Args:
        targets: The targets as typed; if empty, the configured sources.
        configuration: The configuration with the servers.
    """
    named = targets or configuration.sources
    return [server for name, server in configuration.mcp.items() if name in named]


def open_one(
    target: str, configuration: "Configuration", gate: "Gate | None", use: str, *, warn: bool, looks: bool = False
) -> "Tool":
    """Return the only tool of a target.

    Args:
        target: The target as typed.
        configuration: The configuration, in which names are looked up.
        gate: Asks for consent before an MCP server of the project is contacted.
        use: Why there must be one tool, for the error message, such as "`run` calls one of them".
        warn: Whether to report warnings about the target.
        looks: Whether the tool is only inspected, not called.

    Raises:
        Failure: If the target has no tool or several tools, or is broken.
    """
    opened = open_all([target], configuration, gate, looks=looks)
    end_at_errors(opened.problems)
    if warn:
        report(opened.problems)
    if len(opened.tools) == 1:
        return next(iter(opened.tools.values()))

    from toolkit_cli.rendering.tool_kinds import address_of  # only a failure names them

    addresses = [address_of(tool.spec, target) for tool in opened.tools.values()]
    hint = f"name one: {', '.join(addresses)}" if addresses else None
    raise Failure(ExitCode.USAGE, f"'{target}' contains {len(addresses)} tools; {use}", hint=hint)


def gate_for(configuration: "Configuration") -> "Gate | None":
    """Return a gate that asks for consent to start servers; `None` if no servers are configured."""
    if not configuration.mcp:
        return None
    from toolkit_cli.running.answer_sources import Answers, make_gate  # few projects have servers

    return make_gate(Answers(), Screen(), configuration.approval_timeout)
