"""`toolkit agent`: let a model do a task with tools, or chat with it, and ask before anything that may do harm."""

from toolkit_cli.agent_launching import launch_agent
from toolkit_cli.agent_options import AgentOptions


def agent(said: AgentOptions) -> int:
    """Let a model do a task with tools, or chat with it; stdout carries its answers alone.

    What the model wants to call is asked about unless the tool is marked as read-only. Where nobody can be asked, and
    no flag allows the call, the model learns that it was refused.
    """
    return launch_agent(said)
