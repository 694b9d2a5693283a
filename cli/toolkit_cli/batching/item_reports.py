"""Events for the items of a batch: one start and one finish for each."""

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
    """Process an item, and emit events when it starts and finishes.

    Args:
        work: Processes the item.
        number: The item's number.
        tool: The name of the tool that is called for it.
        context: The context of the call, with the listener and the run.
        trace: Environment variables with the trace context of the run, which may be in another process.

    Raises:
        Signal: If the call ends the whole batch.
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
