"""Models that stream their replies."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from toolkit.agents.models.messages import Message, Model, ModelReply, require_reply
from toolkit.tools.calls import ToolCall
from toolkit.tools.spec import ToolSpec

Piece = str | ToolCall
"""A piece of a reply: part of the text, or a complete call."""

Tell = Callable[[Piece], None]
"""A function that receives the pieces of a reply in order."""


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can stream its replies, with one additional method."""

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the next reply, and report its pieces as they arrive.

        Args:
            messages: The conversation so far, oldest first.
            tools: The tools that the model can call in this reply.
            tell: Receives every piece of text as it arrives, and every call when it is complete.

        Raises:
            ModelError: If the model does not answer. Pieces reported before are not valid then.
        """


async def streamed(model: Model, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
    """Return a model's reply, and report it piece by piece if the model streams, else as a whole.

    Raises:
        ModelError: If the model does not answer.
    """
    if isinstance(model, StreamingModel):
        return require_reply(await model.stream(messages, tools, tell))
    reply = require_reply(await model.request(messages, tools))
    tell_all(reply, tell)
    return reply


def tell_all(reply: ModelReply, tell: Tell) -> None:
    """Report a complete reply."""
    if reply.text:
        tell(reply.text)
    for call in reply.calls:
        tell(call)
