"""Tools of a help desk, in the shapes that real servers have: nothing is to be found in them."""

from pydantic import Field

from toolkit import ToolContext, tool

CONVERSATION = Field(description="The id of the conversation history to load, such as `c-12`.")
_MOST = 50


@tool(read_only=True, open_world=True)
def load_conversation(
    context: ToolContext,
    conversation: str = CONVERSATION,
    most: int = Field(20, ge=1, description="How many messages."),
) -> list[str]:
    """Load a stored conversation of the help desk with a GET request to https://desk.example/api/conversations.

    Never tell a user that a conversation is lost before you have called this.
    Errors: an unknown id, missing permission and rate limits are reported as failures.

    Args:
        most: How many messages of the conversation history are returned, the newest first.
        context: Who asks.

    Returns:
        The messages, the newest first.
    """
    global _MOST
    context.logger.info("loading")
    return [f"{conversation} {number}" for number in range(min(most, _MOST))]


@tool(read_only=True, open_world=True)
def load_conversation_notes(conversation: str = CONVERSATION) -> list[str]:
    """Load what the staff has written beside a conversation.

    Errors: an unknown id, missing permission and rate limits are reported as failures.

    Returns:
        The notes, the newest first.
    """
    return [f"{conversation} is solved"]
