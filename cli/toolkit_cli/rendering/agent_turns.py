"""Agent turns: what the kept steps of agents say of their requests to models and of their calls."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from toolkit.amounts import money
from toolkit.journals.kept_runs import KeptStep

_TURN: Final = re.compile(r"(?:^|/)turn-\d+$")
_CALL: Final = re.compile(r"(?:^|/)turn-\d+\.\d+$")
_PLACES: Final = ((re.compile(r"(^|/)turn-\d+\.\d+(?=/|$)"), r"\1calls"), (re.compile(r"(^|/)turn-\d+$"), r"\1turns"))


class AgentWork(NamedTuple):
    """What agents have done in a run, as far as it is kept.

    Attributes:
        turns: Requests to models that were answered.
        calls: Calls of tools that have ended.
        failed: How many of them have failed.
        input_tokens: What was sent to models.
        output_tokens: What came back.
        cost: What that cost in US dollars; `None` where nobody knows.
    """

    turns: int
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def spoken(self) -> str:
        """The same in one line: `3 turns, 5 calls, 1 failed · 1,200 tokens sent, 80 received · $0.01`."""
        done = [_count(self.turns, "turn"), _count(self.calls, "call")]
        done += [f"{self.failed:,} failed"] if self.failed else []
        parts = [", ".join(done), f"{self.input_tokens:,} tokens sent, {self.output_tokens:,} received"]
        return " · ".join([*parts, *([] if self.cost is None else [money(self.cost, 6)])])


def work_of_agents(steps: Iterable[KeptStep]) -> AgentWork | None:
    """Return what agents have done in these steps; `None` if none of them is an agent's."""
    replies: list[dict[str, Any]] = []
    calls: list[KeptStep] = []
    for step in steps:
        if (reply := reply_in(step)) is not None:
            replies.append(reply)
        elif is_call(step) and step.status is not None:
            calls.append(step)
    if not replies:
        return None
    uses = [reply["usage"] for reply in replies]
    costs = [use["cost"] for use in uses if use["cost"] is not None]
    return AgentWork(
        len(replies),
        len(calls),
        sum(call.status != "ok" for call in calls),
        input_tokens=sum(use["input_tokens"] for use in uses),
        output_tokens=sum(use["output_tokens"] for use in uses),
        cost=sum(costs) if costs else None,
    )


def reply_in(step: KeptStep) -> dict[str, Any] | None:
    """Return what a model has replied in a step, as plain data; `None` if the step is not a request."""
    reply = _result_in(step) if _TURN.search(step.path) else {}
    return reply if "usage" in reply else None


def is_call(step: KeptStep) -> bool:
    """Return whether a step is a call that a model wanted."""
    return _CALL.search(step.path) is not None


def words_of(step: KeptStep) -> str | None:
    """Return a turn or a call of an agent in one line; `None` of any other step."""
    if (reply := reply_in(step)) is not None:
        wanted = ", ".join(call["name"] for call in reply["calls"])
        use = reply["usage"]
        spent = f"{use['input_tokens']:,} → {use['output_tokens']:,} tokens"
        cost = "" if use["cost"] is None else money(use["cost"], 6)
        return "  ".join(filter(None, (spent, cost, reply["text"], f"calls {wanted}" if wanted else "")))
    if not is_call(step):
        return None
    result = _result_in(step)
    gave = result.get("error") or result.get("output") or ""
    return " ".join(filter(None, (step.tool, step.arguments, f"→ {gave}" if gave else "")))


def without_turns(path: str) -> str:
    """Return the path of a step with one name for all turns of an agent, and one for all their calls."""
    for pattern, name in _PLACES:
        path = pattern.sub(name, path)
    return path


def _result_in(step: KeptStep) -> dict[str, Any]:
    try:
        result = json.loads(step.result or "{}")
    except ValueError:
        return {}
    return result if isinstance(result, dict) else {}


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
