"""A fast path for simple calls.

It is used if the tool is a plain function, and the call has no listener, needs no approval, has no limits and does not
belong to a run. The result, the metrics, the log and the history of the gate are the same as with `call_tool`.
"""

from collections.abc import Mapping
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
