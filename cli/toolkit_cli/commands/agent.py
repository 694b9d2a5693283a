"""`toolkit agent`: let a model work on a task with tools, or chat with it."""

from toolkit_cli.agent_options import AgentOptions


def agent(options: AgentOptions) -> int:
    """Let a model work on a task with tools, or chat with it; only its answers go to stdout.

    You are asked before each call that the model makes, unless the tool is marked as read-only. Without a terminal,
    calls that no flag allows are rejected, and the model sees the rejection; the exit code is then 3.
    """
    from toolkit_cli.agent_runs import run_agent  # help needs none of it

    return run_agent(options)
