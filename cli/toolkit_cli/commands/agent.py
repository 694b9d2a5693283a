"""`toolkit agent`: let a model do a task with tools, or chat with it, and ask before anything that may do harm."""

from toolkit_cli.agent_launching import launch_agent
from toolkit_cli.agent_options import AgentOptions


def agent(options: AgentOptions) -> int:
    """Let a model do a task with tools, or chat with it; only its answers go to stdout.

    You are asked before each call that the model chooses, unless the tool is marked as read-only. If nobody can be
    asked and no flag allows the call, it is refused, and the model is informed.
    """
    return launch_agent(options)
