"""Streaming: models that tell their reply piece by piece, as it comes."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from toolkit.agents.models.messages import Message, Model, ModelReply
from toolkit.tools.calls import ToolCall
from toolkit.tools.spec import ToolSpec

Piece = str | ToolCall
"""A piece of a reply: some text, or a whole call."""

Tell = Callable[[Piece], None]
"""Is told each piece as it comes, in order."""


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can tell its reply as it comes; the one method more is all that it takes."""

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the next reply, after telling it piece by piece.

        Args:
            messages: The conversation so far, the oldest first.
            tools: What may be called, now.
            tell: Is told every piece of text as it comes, and every call when it is whole.

        Raises:
            ModelError: If there is no answer to be had; what was told so far is none.
        """


async def streamed(model: Model, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
    """Return a model's reply, and tell it: as it comes if the model can, else all at once.

    Raises:
        ModelError: If there is no answer to be had.
    """
    if isinstance(model, StreamingModel):
        return await model.stream(messages, tools, tell)
    reply = await model.request(messages, tools)
    tell_all(reply, tell)
    return reply


def tell_all(reply: ModelReply, tell: Tell) -> None:
    """Tell a whole reply."""
    if reply.text:
        tell(reply.text)
    for call in reply.calls:
        tell(call)
