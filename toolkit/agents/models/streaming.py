"""Streaming: models that report their reply piece by piece."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from toolkit.agents.models.messages import Message, Model, ModelReply
from toolkit.tools.calls import ToolCall
from toolkit.tools.spec import ToolSpec

Piece = str | ToolCall
"""A piece of a reply: some text, or a whole call."""

Tell = Callable[[Piece], None]
"""Receives each piece in order."""


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can stream its reply; it needs only this one method more."""

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the next reply, after telling it piece by piece.

        Args:
            messages: The conversation so far, the oldest first.
            tools: What may be called, now.
            tell: Receives every piece of text as it arrives, and every call when it is complete.

        Raises:
            ModelError: If there is no answer; the pieces received so far do not count.
        """


async def streamed(model: Model, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
    """Return a model's reply, and report it: as it arrives if the model streams, otherwise all at once.

    Raises:
        ModelError: If there is no answer to be had.
    """
    if isinstance(model, StreamingModel):
        return await model.stream(messages, tools, tell)
    reply = await model.request(messages, tools)
    tell_all(reply, tell)
    return reply


def tell_all(reply: ModelReply, tell: Tell) -> None:
    """Report a whole reply."""
    if reply.text:
        tell(reply.text)
    for call in reply.calls:
        tell(call)
