"""`toolkit run`: call a tool, run a pipeline or an agent, and ask before anything dangerous."""

from toolkit_cli.launching import launch
from toolkit_cli.run_options import RunOptions


def run(said: RunOptions) -> int:
    """Call a tool, run a pipeline, or let an agent work; stdout carries the result alone.

    Before anything destructive you are asked, on a terminal. Without one, whatever would have to be asked fails before
    any work, and the flag that allows it is named.
    """
    return launch(said)
