"""Creates Google ADK's tool contexts; the values of our context are the state of the session."""

from importlib import import_module
from typing import Any

from toolkit.tools.context import ToolContext

_APP = "toolkit"


def tool_context(context: ToolContext, call_id: str, *, is_approved: bool = False) -> Any:
    """Return an ADK `ToolContext` for a call, with a session of its own.

    ADK is installed if one of its tools exists, and most of the modules are already imported.

    Args:
        context: The context of the call.
        call_id: The id of the call.
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
    return theirs(invocation, function_call_id=call_id, tool_confirmation=confirmed if is_approved else None)
