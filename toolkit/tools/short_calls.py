"""Fast paths for simple calls."""

from collections.abc import Callable, Mapping
from logging import INFO
from time import perf_counter
from types import CoroutineType
from typing import Any

from toolkit.events import Outcome
from toolkit.running import run_in_loop
from toolkit.tools.callees import Callee
from toolkit.tools.calling import count_call, ended_by, log_call
from toolkit.tools.context import ToolContext
from toolkit.tools.metrics import NO_METRICS
from toolkit.tools.outcomes import LARGEST_PLAIN
from toolkit.tools.results import ToolResult


def is_short(tool: Callee, context: ToolContext) -> bool:
    """Return whether `call_at_once` can be used for a call in a thread without a running event loop."""
    if not tool.takes_short_way or context.listener is not None or context.run is not None:
        return False
    gate = context.gate
    is_unasked = gate is None or (gate.asks_by_risk_alone and tool.needs_no_question)
    return is_unasked and context.chosen_by == "person" and context.limiter is None


def call_at_once(tool: Callee, arguments: str | Mapping[str, Any], context: ToolContext) -> ToolResult:
    """Call a tool for which `is_short` is true, and return its result."""
    started = perf_counter()
    outcome: Outcome = "signal"
    is_admitted = False
    try:
        parsed = tool.parse(arguments)
        is_admitted = True
        result = _result_of(tool, parsed, context)
        outcome = "success" if result.error is None else "failure"
    except BaseException as error:  # noqa: BLE001 - as for every call
        result, outcome = ended_by(tool, error, context)
    finally:
        if is_admitted and context.gate is not None:
            context.gate.history.add(tool.described.risk)
        seconds = perf_counter() - started
        if context.metrics is not NO_METRICS:
            count_call(tool.spec.name, context, outcome, seconds)
    if outcome != "success" or tool.call_logger.isEnabledFor(INFO):
        log_call(tool, arguments, context, result, seconds)
    return result


def _result_of(tool: Callee, parsed: Any, context: ToolContext) -> ToolResult:
    work = tool.work_at_once
    if work is None:
        return tool.steps_at_once(parsed, context)  # type: ignore[misc]  # a short call has one of the two
    value = work(parsed)
    return tool.result_of(run_in_loop(value) if type(value) is CoroutineType else value)


PreparedCall = Callable[[str | Mapping[str, Any], ToolContext], Any]
"""Calls a tool with arguments and a context; returns the result, or only its value."""


def is_unseen(context: ToolContext) -> bool:
    """Return whether a short call leaves no trace: there are no metrics, and there is no gate."""
    return context.gate is None and context.metrics is NO_METRICS


def unseen_call(tool: Callee, *, gives_values: bool = False) -> PreparedCall:
    """Return a function that calls a tool; use it only for calls for which `is_short` and `is_unseen` are true.

    Args:
        tool: The tool.
        gives_values: Whether to return a string or an integer as it is, if the result would contain nothing else.
    """
    parse, work, steps, result_of = tool.parse, tool.work_at_once, tool.steps_at_once, tool.result_of
    is_logged = tool.call_logger.isEnabledFor
    gives_values = gives_values and type(tool).result_of is Callee.result_of

    def call(arguments: str | Mapping[str, Any], context: ToolContext) -> Any:
        started = perf_counter()
        try:
            if work is None:
                result: ToolResult = steps(parse(arguments), context)  # type: ignore[misc]  # it has one of the two
            else:
                value = work(parse(arguments))
                kind = type(value)
                is_all = gives_values and (kind is str or (kind is int and -LARGEST_PLAIN < value < LARGEST_PLAIN))
                if is_all and not is_logged(INFO):
                    return value
                result = result_of(run_in_loop(value) if kind is CoroutineType else value)
        except BaseException as error:  # noqa: BLE001 - as for every call
            result, _ = ended_by(tool, error, context)
        if result.error is not None or is_logged(INFO):
            log_call(tool, arguments, context, result, perf_counter() - started)
        return result

    return call
