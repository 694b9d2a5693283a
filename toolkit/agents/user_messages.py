"""Tools with which an agent sends messages to its user while it works, through the channel of its run."""

from typing import Annotated, Literal

from toolkit.errors import ToolArgumentsError
from toolkit.runs.records import Message
from toolkit.tools.context import ToolContext
from toolkit.tools.marking import tool

_REPORTED = "Progress reported: "
_SENT = "Message sent to the user."


@tool(read_only=True, open_world=False)
def progress(status: Annotated[str, "What you are doing now, in a few words."], context: ToolContext) -> str:
    """Show the user what you are doing. The status is temporary and not part of the answer."""
    text = _checked(status, "status")
    if _send(text, "progress", context):
        return f"{_REPORTED}{text}"
    return "Progress noted, but no one is watching."


@tool(read_only=True, open_world=False)
def communicate(message: Annotated[str, "The message for the user."], context: ToolContext) -> str:
    """Send the user a lasting message, such as a result or a link, and continue your work."""
    if _send(_checked(message, "message"), "message", context):
        return _SENT
    return "Message noted, but no one can read it."


def has_reached_user(tool: str, output: str) -> bool:
    """Return whether a message of one of these tools has reached the user, according to the tool's output."""
    return (tool == "progress" and output.startswith(_REPORTED)) or (tool == "communicate" and output == _SENT)


def _checked(text: str, parameter: str) -> str:
    if not text.strip():
        raise ToolArgumentsError(f"'{parameter}' is empty: write a message, or do not call this tool")
    return text.strip()


def _send(text: str, kind: Literal["progress", "message"], context: ToolContext) -> bool:
    """Send a message through the channel of the run, and return whether there is one."""
    run = context.run
    if run is not None and run.send(Message(text, kind, context.tool, run.id)):
        return True
    context.logger.warning("no channel for the message: %s", text)
    return False
