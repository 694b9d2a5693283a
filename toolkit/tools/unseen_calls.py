"""A still faster path for many short calls of one tool without metrics and without a gate.

Everything that is the same for all calls is looked up once. The results are those of `short_calls.call_at_once`.
"""

from collections.abc import Callable, Mapping
from logging import INFO
from time import perf_counter
from types import CoroutineType
from typing import Any

from toolkit.running import run_in_loop
from toolkit.tools.callees import Callee
from toolkit.tools.calling import ended_by, log_call
from toolkit.tools.context import ToolContext
from toolkit.tools.metrics import NO_METRICS
from toolkit.tools.outcomes import LARGEST_PLAIN
from toolkit.tools.results import ToolResult

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
