"""Item reports: an item of a batch is reported to the observers of the run, with one start and one finish."""

from collections.abc import Awaitable, Callable, Mapping

from toolkit.events import BatchItemFinished, BatchItemStarted, Outcome
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult


async def reported(
    work: Callable[[], Awaitable[ToolResult]],
    number: int,
    tool: str,
    context: ToolContext,
    trace: Mapping[str, str] | None,
) -> ToolResult:
    """Do an item, and report its start and its finish.

    Args:
        work: Does it.
        number: Which item it is.
        tool: The name of what is called for it.
        context: Has the listener, and the run to which it belongs.
        trace: Variables that name the trace of the run, if that may be in another process.

    Raises:
        Signal: What ends more than this item.
    """
    outcome: Outcome = "signal"
    result: ToolResult | None = None
    run = None if context.run is None else context.run.lineage[-1].id

    def started(call: int) -> BatchItemStarted:
        return BatchItemStarted(call, tool, number, run, None if trace is None else dict(trace))

    def finished(call: int, seconds: float) -> BatchItemFinished:
        return BatchItemFinished(
            call,
            tool,
            number,
            run,
            outcome=outcome,
            error=None if result is None else result.error,
            error_code=None if result is None else result.error_code,
            seconds=seconds,
        )

    with context.reporting(started, finished):
        result = await work()
        outcome = "success" if result.error is None else "failure"
    return result
