"""Custom prices for models whose prices are not known to pydantic-ai."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from toolkit.agents.models.messages import Message, Model, ModelReply, Usage
from toolkit.agents.models.streaming import Tell, streamed
from toolkit.tools.spec import ToolSpec

_MILLION = 1_000_000


class Price(NamedTuple):
    """The price of a model, in US dollars per million tokens.

    Attributes:
        input: The price of tokens sent.
        output: The price of tokens received.
    """

    input: float = 0.0
    output: float = 0.0

    def of(self, usage: Usage) -> float:
        """Return the cost of a usage in US dollars."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


class PricedModel:
    """A model with a custom price. It streams if the model does.

    Args:
        model: The model.
        price: Its price.
    """

    def __init__(self, model: Model, price: Price) -> None:
        self._model = model
        self._price = price

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the model's reply with its cost."""
        return self._priced(await self._model.request(messages, tools))

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the model's reply with its cost, and report it piece by piece if the model streams."""
        return self._priced(await streamed(self._model, messages, tools, tell))

    def _priced(self, reply: ModelReply) -> ModelReply:
        return replace(reply, usage=replace(reply.usage, cost=self._price.of(reply.usage)))
