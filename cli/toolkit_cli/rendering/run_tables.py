"""Renders recorded runs: a table of runs, one run in full, and a step on one line."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from toolkit.amounts import money
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep
from toolkit_cli.rendering.event_lines import spoken_seconds
from toolkit_cli.rendering.styles import Line, Style, one_line, table

_TURN: Final = re.compile(r"(?:^|/)turn-\d+$")
_CALL: Final = re.compile(r"(?:^|/)turn-\d+\.\d+$")
_PLACES: Final = ((re.compile(r"(^|/)turn-\d+\.\d+(?=/|$)"), r"\1calls"), (re.compile(r"(^|/)turn-\d+$"), r"\1turns"))


class AgentWork(NamedTuple):
    """The recorded work of the agents in a run.

    Attributes:
        turns: Number of answered requests to models.
        calls: Number of finished tool calls.
        failed: Number of failed tool calls.
        input_tokens: Number of tokens sent to models.
        output_tokens: Number of tokens received.
        cost: Cost in US dollars; `None` if unknown.
    """

    turns: int
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def spoken(self) -> str:
        """A one-line summary: `3 turns, 5 calls, 1 failed · 1,200 tokens sent, 80 received · $0.01`."""
        done = [_count(self.turns, "turn"), _count(self.calls, "call")]
        done += [f"{self.failed:,} failed"] if self.failed else []
        parts = [", ".join(done), f"{self.input_tokens:,} tokens sent, {self.output_tokens:,} received"]
        return " · ".join([*parts, *([] if self.cost is None else [money(self.cost, 6)])])


def work_of_agents(steps: Iterable[RecordedStep]) -> AgentWork | None:
    """Return the work of agents in these steps; `None` if no step belongs to an agent."""
    replies: list[dict[str, Any]] = []
    calls: list[RecordedStep] = []
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


def reply_in(step: RecordedStep) -> dict[str, Any] | None:
    """Return the model's reply in a step, as plain data; `None` if the step is not a model request."""
    reply = _result_in(step) if _TURN.search(step.path) else {}
    return reply if "usage" in reply else None


def is_call(step: RecordedStep) -> bool:
    """Return whether a step is a tool call that a model made."""
    return _CALL.search(step.path) is not None


def words_of(step: RecordedStep) -> str | None:
    """Return a one-line summary of a model request or tool call; `None` for other steps."""
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
    """Return the path of a step with `turns` and `calls` instead of the numbers of an agent's turns and calls."""
    for pattern, name in _PLACES:
        path = pattern.sub(name, path)
    return path


def _result_in(step: RecordedStep) -> dict[str, Any]:
    try:
        result = json.loads(step.result or "{}")
    except ValueError:
        return {}
    return result if isinstance(result, dict) else {}


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


_LONGEST: Final = 100


def listed_runs(runs: Sequence[RecordedRun], width: int) -> list[Line]:
    """Return a table of runs."""
    rows = [(run.id, run.state, counted(run), _when(run.began), one_line(run.target)) for run in runs]
    return table(("ID", "STATE", "DONE", "BEGAN", "TARGET"), rows, width)


def shown_run(
    run: RecordedRun, steps: Sequence[RecordedStep], questions: Sequence[Mapping[str, str]] = ()
) -> list[Line]:
    """Return a run with its steps, its approval questions and their answers."""
    work = work_of_agents(steps)
    rows = {
        "state": run.state,
        "target": run.target,
        "done": counted(run),
        "began": _when(run.began),
        "ended": "" if run.ended is None else _when(run.ended),
        "error": run.error or "",
        "agent": "" if work is None else work.spoken,
        "folder": str(run.request.get("cwd", "")),
    }
    head: list[Line] = [[("quiet", f"  {name:<8}"), ("plain", one_line(text))] for name, text in rows.items() if text]
    asked = [[], *map(_question_line, questions)] if questions else []
    return [[("strong", run.id)], *head, [], *(step_line(step) for step in steps), *asked]


def _question_line(question: Mapping[str, str]) -> Line:
    """Return a question or a decision on one line."""
    named = (question.get(name, "") for name in ("tool", "by", "reason", "arguments"))
    words = "  ".join(one_line(text) for text in named if text)
    short = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    return [("plain", f"{one_line(question.get('what', '')):<9} "), ("quiet", short)]


def step_line(step: RecordedStep) -> Line:
    """Return a step or an item on one line."""
    style: Style = "good" if step.status == "ok" else "bad" if step.status else "plain"
    took = spoken_seconds(step.ended - step.began) if step.began and step.ended else ""
    text = one_line(words_of(step) or step.result or step.arguments)
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    line = "  ".join(filter(None, (took, short)))
    return [(style, f"{step.status or 'begun':<9} "), ("plain", f"{one_line(step.path)}  "), ("quiet", line)]


def counted(run: RecordedRun) -> str:
    """Return how many steps or items are done, such as `14 of 20 steps` or `998 items, 2 failed`."""
    return f"{run.counted}, {run.failed:,} failed" if run.failed else run.counted


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
