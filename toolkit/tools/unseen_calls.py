"""Unseen calls: short calls that nothing counts and no gate takes note of, prepared once for many calls of one tool.

What is the same for all of them is looked up when they are prepared. Each gives what `short_calls.call_at_once` gives.
"""

from collections.abc import Callable, Mapping
from logging import INFO
from time import perf_counter
from types import CoroutineType
from typing import Any

from toolkit.running import run_in_loop
from toolkit.tools.callees import Callee
from toolkit.tools.calling import log_call
from toolkit.tools.context import ToolContext
from toolkit.tools.metrics import NO_METRICS
from toolkit.tools.outcomes import LARGEST_PLAIN
from toolkit.tools.results import ToolResult
from toolkit.tools.short_calls import ended_at_once

PreparedCall = Callable[[str | Mapping[str, Any], ToolContext], Any]
"""Makes a call with arguments and a context, and returns its result, or the value that is all of it."""


def is_unseen(context: ToolContext) -> bool:
    """Return whether nothing is kept of a call that `is_short`: nothing counts it, and no gate takes note of it."""
    return context.gate is None and context.metrics is NO_METRICS


def unseen_call(tool: Callee, *, gives_values: bool = False) -> PreparedCall:
    """Return what calls a tool where that `is_short` and `is_unseen`.

    Args:
        tool: What is called.
        gives_values: Whether no result is made where a text, or a whole number, is all that it would hold.
    """
    parse, work, steps, result_of = tool.parse, tool.work_at_once, tool.steps_at_once, tool.result_of
    is_logged = tool.call_logger.isEnabledFor
    gives_values = gives_values and type(tool).result_of is Callee.result_of

    def call(arguments: str | Mapping[str, Any], context: ToolContext) -> Any:
        started = perf_counter()
        try:
            if work is None:
                result: ToolResult = steps(parse(arguments), context)  # type: ignore[misc]  # there is one of the two
            else:
                value = work(parse(arguments))
                kind = type(value)
                is_all = gives_values and (kind is str or (kind is int and -LARGEST_PLAIN < value < LARGEST_PLAIN))
                if is_all and not is_logged(INFO):
                    return value
                result = result_of(run_in_loop(value) if kind is CoroutineType else value)
        except BaseException as error:  # noqa: BLE001 - as for every call
            result, _ = ended_at_once(tool, error, context)
        if result.error is not None or is_logged(INFO):
            log_call(tool, arguments, context, result, perf_counter() - started)
        return result

    return call
