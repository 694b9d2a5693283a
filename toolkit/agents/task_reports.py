"""Reports a task of an agent as events: one start and, however the task ends, one finish."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from toolkit.errors import Signal
from toolkit.events import AgentFinished, AgentStarted, Outcome
from toolkit.tools.context import ToolContext


class Ended(Protocol):
    """The result of a task, as far as the report needs it."""

    @property
    def ending(self) -> str:
        """How the task ended."""


Result = TypeVar("Result", bound=Ended)


async def reported(work: Callable[[], Awaitable[Result]], model: str, context: ToolContext) -> Result:
    """Run a task, and report its start and its finish.

    Args:
        work: Runs the task.
        model: The name of the model.
        context: Has the listener, the agent's name and the run.

    Raises:
        Exception: Any exception that `work` raises.
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
