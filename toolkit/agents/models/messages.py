"""Messages: what goes to a model and comes back, as plain values that never change, and the protocol of a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolkit.errors import ToolExecutionError
from toolkit.tools.calls import ToolCall
from toolkit.tools.spec import ToolSpec


class ModelError(ToolExecutionError):
    """A model gave no answer; the message says why, for the person who started the agent."""

    def __init__(self, message: str, code: str = "model") -> None:
        """Keep the message, and the code that a tool fails with: `model`, or `timeout` where it was the clock."""
        super().__init__(message, code)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one request.

    Attributes:
        input_tokens: What was sent.
        output_tokens: What came back.
        cost: What it cost in US dollars; `None` where nobody knows.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return both together; a cost that nobody knows adds nothing."""
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(known) if known else None,
        )


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """The instructions of the model."""

    text: str

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"role": "system", "text": self.text}


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user, or of the loop on the user's behalf."""

    text: str

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"role": "user", "text": self.text}


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer: text, tool calls, or both.

    Attributes:
        text: Its words.
        calls: The tools that it wants called, in its order.
        usage: What the request has used.
        cut: Whether the text ends where it does because the model may say no more, not because it is at its end.
        native: The reply as the provider gave it, for the model that made it; it is in no record.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cut: bool = field(default=False, kw_only=True)
    native: Any = field(default=None, compare=False, repr=False, kw_only=True)

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        calls = [{"name": call.name, "arguments": call.arguments, "id": call.id} for call in self.calls]
        used = {"input_tokens": self.usage.input_tokens, "output_tokens": self.usage.output_tokens}
        record = {"role": "model", "text": self.text, "calls": calls, "usage": used | {"cost": self.usage.cost}}
        return record | ({"cut": True} if self.cut else {})


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The result of a call, as the model receives it.

    Attributes:
        call: The call, as the model made it.
        text: The result, or `Error: ` and why there is none.
        failed: Whether the call failed.
    """

    call: ToolCall
    text: str
    failed: bool = False

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        called = {"tool": self.call.name, "id": self.call.id}
        return {"role": "tool", **called, "text": self.text, "failed": self.failed}


Message = SystemMessage | UserMessage | ModelReply | ToolMessage
"""One message of a conversation with a model."""


class Model(Protocol):
    """Answers in a conversation; `name` is what records and bills call it."""

    @property
    def name(self) -> str:
        """What it is called."""

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next reply.

        Args:
            messages: The conversation so far, the oldest first.
            tools: What may be called, now.

        Raises:
            ModelError: If there is no answer to be had.
        """
