"""Records: what was called in a run and what models were used, as plain values that never change."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from toolkit.amounts import money
from toolkit.errors import ConfigurationError
from toolkit.events import Outcome
from toolkit.problems import did_you_mean


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
    """The limits on what a run may spend; `None` means no limit.

    Attributes:
        cost: US dollars.
        tokens: Tokens, sent and received.
        actions: Calls of tools.
    """

    cost: float | None = None
    tokens: int | None = None
    actions: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read a budget as people write it: `$0.50`, `20k tokens`, `30 calls`, or several, such as `2$, 10 calls`.

        Dollars are `$`, `USD`, `dollars` or `cents`; `k` and `M` stand for thousands and millions; `1_000` is a
        thousand.

        Raises:
            ConfigurationError: With everything that is wrong, and how it is written.
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
                wrong.append(f"'{part.strip()}' limits the {_MEANT[what]} a second time")
            limits[what] = amount
        if wrong:
            message = (
                f"'{text}' is not a budget: {'; '.join(wrong)}; write '$0.50', '20k tokens', '30 calls', or several"
            )
            raise ConfigurationError(f"{message} with commas between them")
        whole = {what: amount if what == "cost" else int(amount) for what, amount in limits.items()}
        return cls(**whole)  # type: ignore[arg-type]  # each has the type that its name states

    def __str__(self) -> str:
        """Return it as it is written: `$0.50, 20000 tokens, 30 calls`, or `no limit`."""
        parts = [] if self.cost is None else [money(self.cost).replace(",", "")]
        parts += [] if self.tokens is None else [f"{self.tokens} tokens"]
        parts += [] if self.actions is None else [f"{self.actions} calls"]
        return ", ".join(parts) or "no limit"


_AMOUNT: Final = re.compile(
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
    """Return what a part of a budget limits, and to how much.

    Raises:
        ValueError: If it is not such a part.
    """
    match = _AMOUNT.fullmatch(part.strip())
    if match is None:
        raise ValueError(f"'{part.strip()}' is not an amount" if part.strip() else "a part of it is empty")
    units = [unit for unit in (match["sign"], match["unit"]) if unit]
    if not units:
        raise ValueError(f"'{part.strip()}' does not say what of: dollars, tokens or calls")
    if len(units) > 1 or units[0].lower() not in _UNITS:
        meant = did_you_mean(units[-1].lower(), _UNITS, otherwise="there are dollars, tokens and calls")
        raise ValueError(f"'{''.join(units)}' is nothing that can be limited ({meant})")
    what, worth = _UNITS[units[0].lower()]
    amount = float(match["number"].replace("_", "")) * _SCALES[match["scale"]] * worth
    if not 0 < amount < _TOO_MUCH:
        raise ValueError(f"'{part.strip()}' must be more than nothing, and less than {_TOO_MUCH:.0e}")
    if what != "cost" and not amount.is_integer():
        raise ValueError(f"'{part.strip()}' must be a whole number")
    return what, amount


@dataclass(frozen=True, slots=True)
class Message:
    """A message from a tool to the user during a run.

    Attributes:
        text: The message.
        kind: `progress` passes, `message` stays as part of the conversation.
        tool: The tool's name.
        run: The id of the run.
    """

    text: str
    kind: Literal["progress", "message"] = "message"
    tool: str | None = None
    run: str | None = None
