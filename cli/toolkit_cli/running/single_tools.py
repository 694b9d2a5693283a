"""Opens a target that must contain exactly one tool."""

from typing import TYPE_CHECKING

from toolkit.tools.base import Tool
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.opened_tools import open_all
from toolkit_cli.rendering.tools import address_of

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration


def open_one(
    target: str, configuration: "Configuration", gate: "Gate | None", use: str, *, warn: bool, looks: bool = False
) -> Tool:
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

    addresses = [address_of(tool.spec) for tool in opened.tools.values()]
    hint = f"name one: {', '.join(addresses)}" if addresses else None
    raise Failure(ExitCode.USAGE, f"'{target}' contains {len(addresses)} tools; {use}", hint=hint)
