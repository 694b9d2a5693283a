"""`toolkit run`: call a tool, run a pipeline or an agent, and ask before anything dangerous."""

from toolkit_cli.launching import launch
from toolkit_cli.run_options import RunOptions


def run(options: RunOptions) -> int:
    """Call a tool, run a pipeline, or let an agent work; only the result goes to stdout.

    You are asked in the terminal before anything destructive runs. Without a terminal, a run that would have to ask
    fails before it starts, and names the flag that allows it.
    """
    return launch(options)
