"""`toolkit run`: call a tool, or run a pipeline or an agent."""

from toolkit_cli.run_options import RunOptions
from toolkit_cli.tool_runs import run_target


def run(options: RunOptions) -> int:
    """Call a tool, or run a pipeline or an agent; only the result goes to stdout.

    You are asked before anything destructive runs. Without a terminal, a run that would have to ask fails before it
    starts, and the error names the flag that allows it.
    """
    return run_target(options)
