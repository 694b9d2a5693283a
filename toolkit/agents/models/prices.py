"""Prices: what a request costs, for models whose provider's prices nobody else knows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from toolkit.agents.models.messages import Message, Model, ModelReply, Usage
from toolkit.agents.models.streaming import Tell, streamed
from toolkit.tools.spec import ToolSpec

_MILLION = 1_000_000


class Price(NamedTuple):
    """What a model costs, in US dollars for a million tokens.

    Attributes:
        input: For tokens that are sent.
        output: For tokens that come back.
    """

    input: float = 0.0
    output: float = 0.0

    def of(self, usage: Usage) -> float:
        """Return what the use of it costs, in US dollars."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


class PricedModel:
    """A model whose requests cost what a price states; it streams if the model does."""

    def __init__(self, model: Model, price: Price) -> None:
        """Keep the model, and what it costs."""
        self._model = model
        self._price = price

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._model.name

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the model's reply, with what it cost."""
        return self._priced(await self._model.request(messages, tools))

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the model's reply with its cost; report it piece by piece if the model streams."""
        return self._priced(await streamed(self._model, messages, tools, tell))

    def _priced(self, reply: ModelReply) -> ModelReply:
        return replace(reply, usage=replace(reply.usage, cost=self._price.of(reply.usage)))
