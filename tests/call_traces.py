"""Everything that a call leaves behind, so that two ways to make it can be compared."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolkit import Continue, Reject, ToolContext, ToolResult
from toolkit.approvals import AutoReviewer, ByRisk, Gate, ScriptedReviewer
from toolkit.runs import Run
from toolkit.tools import Metrics, RecordingMetrics
from toolkit.tools.calls.call_limits import Limit, LocalLimits  # private


class FailingMetrics(Metrics):
    """Metrics that raise for every success."""

    def success(self, tool, agent):
        raise RuntimeError("not counted")


class NeverPolicy:
    """A policy that fails, which denies every call."""

    needs_arguments = False

    def judge(self, call):
        raise RuntimeError("no")


class ReadingGate(Gate):
    """A gate that judges calls itself, by their arguments and by what was called before."""

    def judge(self, call):
        if call.earlier and "4" in str(call.arguments):
            raise RuntimeError("not this one")
        return super().judge(call)


class Records(list[Any]):
    """Keeps the records of an audit log."""


class RecordedLimits(LocalLimits):
    """Limits that record which tools take a slot."""

    def __init__(self, limits, records):
        super().__init__(limits)
        self.records = records

    def take(self, tool, *, again=False):
        self.records.append({"slot of": tool})
        return super().take(tool, again=again)


Surroundings = Callable[[Records], ToolContext]

SURROUNDINGS: dict[str, Surroundings] = {
    "nothing": lambda _: ToolContext(),
    "metrics": lambda _: ToolContext(metrics=RecordingMetrics()),
    "failing metrics": lambda _: ToolContext(metrics=FailingMetrics(), policy=ByRisk()),
    "policy": lambda _: ToolContext(policy=ByRisk()),
    "policy and metrics": lambda _: ToolContext(policy=ByRisk(), metrics=RecordingMetrics()),
    "reviewer": lambda _: ToolContext(reviewer=AutoReviewer(), metrics=RecordingMetrics()),
    "answers": lambda _: ToolContext(reviewer=ScriptedReviewer([Continue()])),
    "refusal": lambda _: ToolContext(reviewer=ScriptedReviewer([Reject("no")]), metrics=RecordingMetrics()),
    "model": lambda _: ToolContext(reviewer=ScriptedReviewer([Continue(), Reject("no")]), chosen_by="model"),
    "strict": lambda _: ToolContext(strict=True, metrics=RecordingMetrics()),
    "clerk": lambda _: ToolContext({"tenant": "acme"}, agent="clerk", metrics=RecordingMetrics()),
    "audit": lambda records: ToolContext(gate=Gate(AutoReviewer(), audit=records), metrics=RecordingMetrics()),
    "denial": lambda records: ToolContext(policy=NeverPolicy()),
    "gate that reads": lambda _: ToolContext(gate=ReadingGate(AutoReviewer()), metrics=RecordingMetrics()),
    "listener": lambda records: ToolContext(listener=records.append, policy=ByRisk(), metrics=RecordingMetrics()),
    "run": lambda _: ToolContext(run=Run(id="one"), reviewer=AutoReviewer()),
    "limits": lambda records: ToolContext(policy=ByRisk()).replace(
        limiter=RecordedLimits(dict.fromkeys(("act", "gives", "show"), Limit(1)), records)
    ),
}
"""Contexts by what is special about them."""


def without_short_ways(context: ToolContext) -> ToolContext:
    """Return a context that is the same except that no call in it can be short: it has limits, but none for any tool."""
    return context if context.limiter is not None else context.replace(limiter=LocalLimits({}))


def trace_of(call: Callable[[ToolContext], ToolResult], surroundings: Surroundings, level: int) -> dict[str, Any]:
    """Make a call and return what it leaves behind.

    Args:
        call: Makes the call in a context.
        surroundings: Makes the context.
        level: The level at which the calls are logged.

    Returns:
        The result or what was raised, and what metrics, log, gate, reviewer, audit log, listener and run know then.
    """
    records = Records()
    context = surroundings(records)
    lines: list[tuple[str, str]] = []

    class JournaledRun(logging.Handler):
        def emit(self, record):
            lines.append((record.levelname, record.getMessage().partition(" [")[0]))

    logger, handler = logging.getLogger("toolkit"), JournaledRun()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        came = _plain_result(call(context))
    except BaseException as error:  # noqa: BLE001 - a signal, or the end of the program
        came = (type(error), str(error), getattr(error, "outputs", None))
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    metrics, gate, run = context.metrics, context.gate, context.run
    return {
        "came": came,
        "metrics": [one._replace(number=0) for one in metrics.records]
        if isinstance(metrics, RecordingMetrics)
        else None,
        "log": lines,
        "history": None if gate is None else gate.history.tools,
        "questions": [(one.text, one.arguments) for one in getattr(gate and gate.reviewer, "requests", ())],
        "records": [_plain_record(one) for one in records],
        "calls": None if run is None else [_plain_record(one) for one in run.calls],
    }


def _plain_result(result: ToolResult) -> tuple[Any, ...]:
    artifact = result.artifact if type(result.artifact) is not object else object
    return type(result), replace(result, artifact=artifact), result.raised


def _plain_record(record: Any) -> Any:
    """Return an event or a record as plain data without what differs between two equal calls."""
    fields = dict(record) if isinstance(record, dict) else dict(_fields_of(record))
    changing = ("seconds", "call", "time", "at")
    return type(record), {key: str(value) for key, value in fields.items() if key not in changing}


def _fields_of(record: Any) -> Any:
    names = getattr(record, "__match_args__", None) or vars(record)
    return ((name, getattr(record, name)) for name in names)
