"""Task reports: a task of an agent as events, with one start and, whatever happens, one finish."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from toolkit.errors import Signal
from toolkit.events import AgentFinished, AgentStarted, Outcome
from toolkit.tools.context import ToolContext


class Ended(Protocol):
    """The end of a task, as far as a report has it."""

    @property
    def ending(self) -> str:
        """How it ended."""


Result = TypeVar("Result", bound=Ended)


async def reported(work: Callable[[], Awaitable[Result]], model: str, context: ToolContext) -> Result:
    """Do a task, and report its start and its finish.

    Args:
        work: Does the task.
        model: The name of what answers.
        context: Has the listener, the task and the run to which it belongs.

    Raises:
        Signal: What ends more than the task; and whatever else the work raises.
    """
    outcome: Outcome = "signal"
    error: str | None = None
    agent, run = context.agent, context.run.id if context.run is not None else None

    def finished(call: int, seconds: float) -> AgentFinished:
        fields: dict[str, Any] = {"outcome": outcome, "error": error, "seconds": seconds}
        return AgentFinished(call=call, agent=agent, model=model, run=run, **fields)

    with context.reporting(lambda call: AgentStarted(call, agent, model, run), finished):
        try:
            result = await work()
        except Exception as failure:
            if not isinstance(failure, Signal):
                outcome, error = "error", str(failure)
            raise
        outcome = "success" if result.ending in ("answered", "returned") else "failure"
    return result
