"""Requests a new plan if the result of a tool requires one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import ConfigurationError, ReplanRequested
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import plain


@dataclass(frozen=True, slots=True)
class Replan:
    """A request for a new plan.

    Attributes:
        reason: Why a new plan is needed.
        bindings: Named values to add to the blackboard, besides the artifact of the call.
    """

    reason: str
    bindings: Mapping[str, Any] = field(default_factory=dict)


Decide = Callable[[ToolResult, ToolContext], Replan | None]


class ReplanningTool(WrappedTool):
    """Ends the loop with a request for a new plan if the result of a tool requires one."""

    def __init__(self, inner: Tool, decide: Decide) -> None:
        """Wrap a tool.

        Args:
            inner: The tool.
            decide: Receives each successful result and the context; returns a `Replan` if a new plan is needed.
        """
        super().__init__(inner)
        self._decide = decide

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Run the inner tool, and request a new plan if its result requires one.

        Raises:
            ReplanRequested: With the artifact of the call, or its output if there is none.
            ConfigurationError: If `decide` returns anything else.
        """
        result = await self.result_from_inner(parsed, context)
        replan = self._decide(result, context) if result.succeeded else None
        if replan is None:
            return result
        if not isinstance(plain(replan, "the function of a ReplanningTool"), Replan):
            message = f"the function of a ReplanningTool must return a Replan or None, not {replan!r}"
            raise ConfigurationError(message)
        artifact = result.artifact if result.artifact is not None else result.output
        raise ReplanRequested(replan.reason, artifacts=[artifact], bindings=replan.bindings)


def replan_always(tool: Tool) -> Tool:
    """Return a tool that requests a new plan after every successful call."""
    return ReplanningTool(tool, lambda _result, _context: Replan(f"{tool.name} replans"))


def replan_when(tool: Tool, kind: type, where: Callable[[Any], bool] = lambda _: True) -> Tool:
    """Return a tool that requests a new plan if its artifact is of type `kind` and `where` returns true for it."""

    def decide(result: ToolResult, _: ToolContext) -> Replan | None:
        matches = isinstance(result.artifact, kind) and plain(where(result.artifact), "the condition of replan_when")
        return Replan(f"{tool.name} replans based on result") if matches else None

    return ReplanningTool(tool, decide)


def replan_and_add(tool: Tool, kind: type, bindings: Callable[[Any], Mapping[str, Any] | None]) -> Tool:
    """Return a tool that requests a new plan, with bindings for the blackboard, depending on its artifact.

    Args:
        tool: The tool.
        kind: The type that the artifact must have.
        bindings: Returns the named values to add to the blackboard, or `None` if no new plan is needed.
    """

    def decide(result: ToolResult, _: ToolContext) -> Replan | None:
        bound = bindings(result.artifact) if isinstance(result.artifact, kind) else None
        return None if bound is None else Replan(f"{tool.name} replans based on result", bound)

    return ReplanningTool(tool, decide)
