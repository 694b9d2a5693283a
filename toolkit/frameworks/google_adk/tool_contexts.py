"""Google ADK's tool contexts: what a tool of it learns of its session, whose state are the values of our context."""

from importlib import import_module
from typing import Any

from toolkit.tools.context import ToolContext

_APP = "toolkit"


def tool_context(context: ToolContext, *, is_approved: bool = False) -> Any:
    """Return a `ToolContext` of ADK for a call, in a session of its own.

    Its modules are there, since a tool of it is: most are loaded already.

    Args:
        context: What the caller hands in.
        is_approved: Whether a reviewer has approved the call.
    """
    sessions = import_module("google.adk.sessions")
    invocation = import_module("google.adk.agents.invocation_context").InvocationContext(
        session_service=sessions.InMemorySessionService(),
        session=sessions.Session(id=_APP, app_name=_APP, user_id=_APP, state=dict(context.values)),
        agent=import_module("google.adk.agents").Agent(name=_APP),
        invocation_id=_APP,
    )
    confirmed = import_module("google.adk.tools.tool_confirmation").ToolConfirmation(confirmed=True)
    theirs = import_module("google.adk.tools.tool_context").ToolContext
    return theirs(invocation, function_call_id=_APP, tool_confirmation=confirmed if is_approved else None)
