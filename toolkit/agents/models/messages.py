"""The immutable messages of a conversation with a model, and the protocol of models."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from toolkit.errors import ToolExecutionError
from toolkit.tools.calls.results import ToolCall
from toolkit.tools.definition.spec import ToolSpec


class ModelError(ToolExecutionError):
    """A model did not answer. The message says why, and the error code is `model` or `timeout`."""

    def __init__(self, message: str, code: str = "model") -> None:
        super().__init__(message, code)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one request.

    Attributes:
        input_tokens: Number of tokens sent.
        output_tokens: Number of tokens received.
        cost: The cost in US dollars; `None` if it is unknown.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum. An unknown cost adds nothing."""
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(known) if known else None,
        )


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """The system prompt."""

    text: str

    def as_record(self) -> dict[str, Any]:
        """Return the message as plain data."""
        return {"role": "system", "text": self.text}


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message from the user, or from the loop on the user's behalf."""

    text: str

    def as_record(self) -> dict[str, Any]:
        """Return the message as plain data."""
        return {"role": "user", "text": self.text}


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer: text, tool calls, or both.

    Attributes:
        text: The text of the reply.
        calls: The tool calls, in order.
        usage: The usage of the request.
        cut: Whether the text is incomplete, for example because the model's output limit was reached.
        native: The original reply of the provider, for the model that made it. It is not part of records.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cut: bool = field(default=False, kw_only=True)
    native: Any = field(default=None, compare=False, repr=False, kw_only=True)

    def as_record(self) -> dict[str, Any]:
        """Return the reply as plain data."""
        calls = [{"name": call.name, "arguments": call.arguments, "id": call.id} for call in self.calls]
        used = {"input_tokens": self.usage.input_tokens, "output_tokens": self.usage.output_tokens}
        record = {"role": "model", "text": self.text, "calls": calls, "usage": used | {"cost": self.usage.cost}}
        return record | ({"cut": True} if self.cut else {})


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The result of a call, as the model receives it.

    Attributes:
        call: The call, as the model made it.
        text: The result, or `Error: ` followed by the reason.
        failed: Whether the call failed.
    """

    call: ToolCall
    text: str
    failed: bool = False

    def as_record(self) -> dict[str, Any]:
        """Return the message as plain data."""
        called = {"tool": self.call.name, "id": self.call.id}
        return {"role": "tool", **called, "text": self.text, "failed": self.failed}


Message = SystemMessage | UserMessage | ModelReply | ToolMessage
"""One message of a conversation with a model."""


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The name of the model, as used in records and prices."""

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next reply.

        Args:
            messages: The conversation so far, oldest first.
            tools: The tools that the model can call in this reply.

        Raises:
            ModelError: If the model does not answer.
        """


def check_model(model: object) -> None:
    """Raise `TypeError` if an object is not a model, for example because it is the name of one."""
    if not (hasattr(model, "name") and hasattr(model, "request")):
        hint = (
            f"open_model({model!r}) opens it" if isinstance(model, str) else "a model has a name and a method request"
        )
        raise TypeError(f"an object of type {type(model).__name__!r} is not a model; {hint}")


def require_reply(reply: object) -> ModelReply:
    """Return what a model has returned, or raise `TypeError` if it is not a reply."""
    if not isinstance(reply, ModelReply):
        raise TypeError(f"its reply is of type {type(reply).__name__}, not a ModelReply")
    return reply


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
