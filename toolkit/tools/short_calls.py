"""The fast path for a simple call, which gives what `calling.call_tool` gives."""

from collections.abc import Callable, Mapping
from logging import INFO
from time import perf_counter
from types import CoroutineType
from typing import Any

from toolkit.events import Outcome
from toolkit.running import run_in_loop
from toolkit.tools.callees import Callee
from toolkit.tools.calling import count_call, ended_by, log_call
from toolkit.tools.calls.metrics import NO_METRICS
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import LARGEST_PLAIN, as_result


def is_short(tool: Callee, context: ToolContext) -> bool:
    """Return whether the fast path can be used for a call in a thread without a running event loop."""
    if not tool.takes_short_way or context.listener is not None or context.run is not None:
        return False
    gate = context.gate
    is_unasked = gate is None or (gate.asks_by_risk_alone and tool.needs_no_question)
    return is_unasked and context.chosen_by == "person" and context.limiter is None


ShortCall = Callable[[str | Mapping[str, Any], ToolContext], Any]
"""Calls a tool with arguments and a context; returns the result, or only its value."""


def short_call(tool: Callee, *, gives_values: bool = False) -> ShortCall:
    """Return a function that calls a tool; use it only for calls for which `is_short` is true.

    Args:
        tool: The tool.
        gives_values: Whether to return a string or an integer as it is, if the result would contain nothing else.
    """
    parse, work, steps, result_of = tool.parse, tool.work_at_once, tool.steps_at_once, tool.result_of
    name, is_logged = tool.spec.name, tool.call_logger.isEnabledFor
    gives_values = gives_values and type(tool).result_of is Callee.result_of

    def call(arguments: str | Mapping[str, Any], context: ToolContext) -> Any:
        started = perf_counter()
        gate, metrics = context.gate, context.metrics
        outcome: Outcome = "signal"
        result: Any = None
        is_admitted = False
        try:
            parsed = parse(arguments)
            is_admitted = True
            value: Any = steps(parsed, context) if work is None else work(parsed)  # type: ignore[misc]  # it has one
            kind = type(value)
            if gives_values and (kind is str or (kind is int and -LARGEST_PLAIN < value < LARGEST_PLAIN)):
                result, outcome = value, "success"
            else:
                result = result_of(run_in_loop(value) if kind is CoroutineType else value)
                outcome = "success" if result.error is None else "failure"
        except BaseException as error:  # noqa: BLE001 - as for every call
            result, outcome = ended_by(tool, error, context)
        finally:
            if is_admitted and gate is not None:
                gate.history.add(tool.described.risk)
            if metrics is not NO_METRICS:
                count_call(name, context, outcome, perf_counter() - started)
        if outcome != "success" or is_logged(INFO):
            log_call(tool, arguments, context, as_result(result), perf_counter() - started)
        return result

    return call
