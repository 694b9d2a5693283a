"""Replanning: a tool whose result may ask for another plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import ReplanRequested
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult


@dataclass(frozen=True, slots=True)
class Replan:
    """Why another plan is wanted, and what it should know.

    Attributes:
        reason: Why, in words.
        bindings: What is put on the blackboard, by name, besides the artifact of the call.
    """

    reason: str
    bindings: Mapping[str, Any] = field(default_factory=dict)


Decide = Callable[[ToolResult, ToolContext], Replan | None]


class ReplanningTool(WrappedTool):
    """A tool that, when it has done its work well, may end the loop with a wish for another plan."""

    def __init__(self, inner: Tool, decide: Decide) -> None:
        """Keep who decides by a result whether another plan is wanted."""
        super().__init__(inner)
        self._decide = decide

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work, and ask for another plan if that is decided.

        Raises:
            ReplanRequested: With the artifact of the call, or its text where there is none.
        """
        result = await self.result_from_inner(parsed, context)
        wish = self._decide(result, context) if result.succeeded else None
        if wish is None:
            return result
        made = result.artifact if result.artifact is not None else result.output
        raise ReplanRequested(wish.reason, artifacts=[made], bindings=wish.bindings)


def replan_always(tool: Tool) -> Tool:
    """Return a tool after which another plan is always wanted."""
    return ReplanningTool(tool, lambda _result, _context: Replan(f"{tool.name} replans"))


def replan_when(tool: Tool, kind: type, where: Callable[[Any], bool] = lambda _: True) -> Tool:
    """Return a tool after which another plan is wanted if its artifact is of a type, and the condition holds."""

    def decide(result: ToolResult, _: ToolContext) -> Replan | None:
        is_meant = isinstance(result.artifact, kind) and where(result.artifact)
        return Replan(f"{tool.name} replans based on result") if is_meant else None

    return ReplanningTool(tool, decide)


def replan_and_add(tool: Tool, kind: type, bindings: Callable[[Any], Mapping[str, Any] | None]) -> Tool:
    """Return a tool after which another plan is wanted if its artifact is of a type and gives something to bind.

    Args:
        tool: The tool.
        kind: The type.
        bindings: Returns what is put on the blackboard, by name; nothing if no other plan is wanted.
    """

    def decide(result: ToolResult, _: ToolContext) -> Replan | None:
        bound = bindings(result.artifact) if isinstance(result.artifact, kind) else None
        return None if bound is None else Replan(f"{tool.name} replans based on result", bound)

    return ReplanningTool(tool, decide)
