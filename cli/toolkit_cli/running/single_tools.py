"""Single tools: the one tool that a target names."""

from typing import TYPE_CHECKING

from toolkit.tools.base import Tool
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.opening import open_all

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration


def open_one(
    target: str, configuration: "Configuration", gate: "Gate | None", use: str, *, warn: bool, looks: bool = False
) -> Tool:
    """Return the one tool that the target names, with a word on what is odd about it; programs ask `lint` for that.

    Args:
        target: As it was typed.
        configuration: Where names are looked up.
        gate: Who is asked before an MCP server of the project is reached.
        use: What is done with it, in words: `run` calls one of them.
        warn: Whether to say what is odd about it.
        looks: Whether the tool is only looked at.

    Raises:
        Failure: If there is none, or more than one, or it is broken.
    """
    opened = open_all([target], configuration, gate, looks=looks)
    end_at_errors(opened.problems)
    if warn:
        report(opened.problems)
    if len(opened.tools) == 1:
        return next(iter(opened.tools.values()))
    from toolkit_cli.rendering.tools import address_of  # noqa: PLC0415 - only bad news needs it

    addresses = [address_of(tool.spec) for tool in opened.tools.values()]
    hint = f"name one: {', '.join(addresses)}" if addresses else None
    raise Failure(ExitCode.USAGE, f"'{target}' holds {len(addresses)} tools; {use}", hint=hint)
