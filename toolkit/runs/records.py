"""Immutable records of a run: tool calls, model requests, budgets and messages."""

import re
from typing import Any, Final, Literal, NamedTuple, Protocol

from toolkit.amounts import money
from toolkit.errors import ConfigurationError, Signal
from toolkit.events import Outcome
from toolkit.problems import did_you_mean


class CallRecord(NamedTuple):
    """A finished tool call.

    Attributes:
        run: The id of the run that the call belongs to.
        tool: The name of the tool.
        arguments: The arguments as plain data, or the text that was received; secrets are masked with asterisks.
        outcome: How the call ended; `signal` if it ended more than itself.
        output: The output text on success.
        error: The error message on failure.
        error_code: The kind of failure.
        seconds: Duration in seconds, not counting time spent waiting for a person.
        chosen_by: Who chose to make the call: a `person` or a `model`.
        loop_id: The id of the agent loop that made the call, if any.
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
        """Return the record as plain data."""
        return self._asdict()


class ModelUse(NamedTuple):
    """One request to a model.

    Attributes:
        model: The name of the model.
        input_tokens: Number of tokens sent.
        output_tokens: Number of tokens received.
        cost: The cost in US dollars; `None` if it is unknown.
        seconds: Duration in seconds.
        kind: Whether it was a chat or an embedding request.
    """

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    kind: Literal["chat", "embedding"] = "chat"

    @property
    def tokens(self) -> int:
        """The total number of tokens."""
        return self.input_tokens + self.output_tokens

    def as_record(self) -> dict[str, Any]:
        """Return the record as plain data."""
        return self._asdict()


class Budget(NamedTuple):
    """The limits on what a run may spend; `None` means no limit.

    Attributes:
        cost: Maximum cost in US dollars.
        tokens: Maximum number of tokens, sent and received.
        actions: Maximum number of tool calls.
    """

    cost: float | None = None
    tokens: int | None = None
    actions: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Parse a budget such as `$0.50`, `20k tokens`, `30 calls`, or several limits, such as `2$, 10 calls`.

        A cost is given in `$`, `USD`, `dollars` or `cents`. `k` and `M` mean thousands and millions, and numbers can
        contain underscores, such as `1_000`.

        Raises:
            ConfigurationError: If the text is not a valid budget. The message lists all problems.
        """
        limits: dict[str, float] = {}
        wrong = []
        for part in text.split(","):
            try:
                what, amount = _amount(part)
            except ValueError as error:
                wrong.append(str(error))
                continue
            if what in limits:
                wrong.append(f"'{part.strip()}' is a second limit on the {_MEANT[what]}")
            limits[what] = amount
        if wrong:
            message = (
                f"'{text}' is not a budget: {'; '.join(wrong)}; write '$0.50', '20k tokens', '30 calls', or several"
            )
            raise ConfigurationError(f"{message} separated by commas")
        whole = {what: amount if what == "cost" else int(amount) for what, amount in limits.items()}
        return cls(**whole)  # type: ignore[arg-type]  # each field has its own type

    def __str__(self) -> str:
        """Return the budget in the form that `parse` reads, such as `$0.50, 20000 tokens, 30 calls`, or `no limit`."""
        parts = [] if self.cost is None else [money(self.cost).replace(",", "")]
        parts += [] if self.tokens is None else [f"{self.tokens} tokens"]
        parts += [] if self.actions is None else [f"{self.actions} calls"]
        return ", ".join(parts) or "no limit"


_AMOUNT: Final = (
    r"(?P<sign>\$?)\s*(?P<number>[0-9][0-9_]*(?:\.[0-9]+)?|\.[0-9]+)\s*(?P<scale>[kKM]?)\s*(?P<unit>\$|[A-Za-z]*)"
)
_SCALES: Final = {"": 1, "k": 1_000, "K": 1_000, "M": 1_000_000}
_UNITS: Final = {
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), ("cost", 1.0)),
    **dict.fromkeys(("cent", "cents"), ("cost", 0.01)),
    **dict.fromkeys(("token", "tokens"), ("tokens", 1.0)),
    **dict.fromkeys(("call", "calls", "action", "actions"), ("actions", 1.0)),
}
_TOO_MUCH: Final = 1e15
_MEANT: Final = {"cost": "cost", "tokens": "tokens", "actions": "calls"}


def _amount(part: str) -> tuple[str, float]:
    """Parse one limit of a budget, and return the field and its amount.

    Raises:
        ValueError: If it is not a valid limit.
    """
    match = re.fullmatch(_AMOUNT, part.strip())
    if match is None:
        raise ValueError(f"'{part.strip()}' is not an amount" if part.strip() else "one of its parts is empty")
    units = [unit for unit in (match["sign"], match["unit"]) if unit]
    if not units:
        raise ValueError(f"'{part.strip()}' has no unit: dollars, tokens or calls")
    if len(units) > 1 or units[0].lower() not in _UNITS:
        meant = did_you_mean(units[-1].lower(), _UNITS, otherwise="the units are dollars, tokens and calls")
        raise ValueError(f"'{''.join(units)}' is not a unit ({meant})")
    what, worth = _UNITS[units[0].lower()]
    amount = float(match["number"].replace("_", "")) * _SCALES[match["scale"]] * worth
    if not 0 < amount < _TOO_MUCH:
        raise ValueError(f"'{part.strip()}' must be greater than 0 and less than {_TOO_MUCH:.0e}")
    if what != "cost" and not amount.is_integer():
        raise ValueError(f"'{part.strip()}' must be a whole number")
    return what, amount


class Message(NamedTuple):
    """A message from a tool to the user during a run.

    Attributes:
        text: The text of the message.
        kind: `progress` for a temporary status, `message` for a lasting part of the conversation.
        tool: The name of the tool.
        run: The id of the run.
    """

    text: str
    kind: Literal["progress", "message"] = "message"
    tool: str | None = None
    run: str | None = None


class JournalError(Signal):
    """A journal cannot be written or read. The run ends, since its next steps could not be recorded."""


class ChangedInput(JournalError):
    """The input of a recorded step has changed. The run ends until a person accepts the change."""


class StepRecord(NamedTuple):
    """A journal's record of a finished step.

    Attributes:
        status: How the step ended: `ok`, or another status of a step.
        result: The result as JSON, with secrets masked.
        is_whole: Whether the result is complete. It is not if a secret is missing, for example.
        arguments: The digest of the step's arguments.
    """

    status: str
    result: str
    is_whole: bool
    arguments: str


class Journal(Protocol):
    """Records the steps of one run by path, so that the run can be resumed after an interruption."""

    def recall(self, path: str) -> StepRecord | None:
        """Return the record of a finished step, or `None` if the step has to run."""

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:
        """Record that a step begins, before it does anything.

        Args:
            path: The step's path in the run.
            tool: The name of the tool that it calls.
            definition: The digest of the tool's definition.
            arguments: The arguments as JSON without secrets.
            may_repeat: Whether the step can safely be repeated if it is unknown whether it has finished.

        Raises:
            JournalError: If the journal cannot be written.
        """

    def end(self, path: str, status: str, result: str, *, is_whole: bool, arguments: str = "") -> None:
        """Record how a step ended, before the next one begins.

        Args:
            path: The step's path in the run.
            status: How the step ended.
            result: The result as JSON without secrets.
            is_whole: Whether the result is complete.
            arguments: The digest of the arguments, for a step that was not recorded with `begin`.

        Raises:
            JournalError: If the journal cannot be written.
        """
