"""Records: what was called in a run and what models were used, as plain values that never change."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from toolkit.events import Outcome


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of a tool that has ended.

    Attributes:
        run: The id of the run that it belongs to.
        tool: The name under which it was called.
        arguments: What it was called with, as plain data or the text that came; stars stand for secrets.
        outcome: How it ended; `signal` where it ended more than itself.
        output: The text on success.
        error: The message on failure.
        error_code: What kind of failure it was.
        seconds: How long it took, the waiting for a person left out.
        chosen_by: Who chose it: a `person` or a `model`.
        loop_id: The agent's loop that made it, where one did.
    """

    run: str
    tool: str
    arguments: Any
    outcome: Outcome
    output: str = ""
    error: str | None = None
    error_code: str | int | None = None
    seconds: float = 0.0
    chosen_by: str = "person"
    loop_id: str | None = None

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """One request to a model.

    Attributes:
        model: What the model is called.
        input_tokens: What was sent.
        output_tokens: What came back.
        cost: What it cost in US dollars; `None` where nobody knows.
        seconds: How long it took.
        kind: Whether the model talks or embeds.
    """

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    kind: Literal["chat", "embedding"] = "chat"

    @property
    def tokens(self) -> int:
        """All tokens together."""
        return self.input_tokens + self.output_tokens

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend; `None` is no limit.

    Attributes:
        cost: US dollars.
        tokens: Tokens, sent and received.
        actions: Calls of tools.
    """

    cost: float | None = None
    tokens: int | None = None
    actions: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """Something that a tool says to the user while a run goes on.

    Attributes:
        text: What is said.
        kind: `progress` passes, `message` stays as part of the conversation.
        tool: Who says it.
        run: The id of the run in which it is said.
    """

    text: str
    kind: Literal["progress", "message"] = "message"
    tool: str | None = None
    run: str | None = None
