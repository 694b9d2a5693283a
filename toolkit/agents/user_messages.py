"""User messages: tools with which an agent sends its user messages while it works, over the channel of its run."""

from typing import Annotated, Literal

from toolkit.errors import ToolArgumentsError
from toolkit.runs.records import Message
from toolkit.tools.context import ToolContext
from toolkit.tools.marking import tool

_REPORTED = "Progress reported: "
_SENT = "Message sent to the user."


@tool(read_only=True, open_world=False)
def progress(status: Annotated[str, "What you are doing now, in a few words."], context: ToolContext) -> str:
    """Tell the user what you are doing; it is shown for a while, and is not part of the answer."""
    text = _describe(status, "status")
    if _tell(text, "progress", context):
        return f"{_REPORTED}{text}"
    return "Progress noted, but no one is watching."


@tool(read_only=True, open_world=False)
def communicate(message: Annotated[str, "What the user is to know."], context: ToolContext) -> str:
    """Send the user a message that stays, such as an outcome or a link; then go on with your work."""
    if _tell(_describe(message, "message"), "message", context):
        return _SENT
    return "Message noted, but no one can read it."


def was_heard(tool: str, output: str) -> bool:
    """Return whether a call of one of these, by what it gave, has reached the user."""
    return (tool == "progress" and output.startswith(_REPORTED)) or (tool == "communicate" and output == _SENT)


def _describe(text: str, parameter: str) -> str:
    if not text.strip():
        raise ToolArgumentsError(f"'{parameter}' is empty: write a message, or do not call this tool")
    return text.strip()


def _tell(text: str, kind: Literal["progress", "message"], context: ToolContext) -> bool:
    """Say something over the channel of the run, and return whether anybody hears it."""
    run = context.run
    if run is not None and run.tell(Message(text, kind, context.tool, run.id)):
        return True
    context.logger.info("no listener for the message: %s", text)
    return False
