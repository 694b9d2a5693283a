"""Turns: a call waits until its tool may run, where only so many run at the same time or begin in some time."""

from contextlib import nullcontext
from typing import Any, Final

from toolkit.running import pause
from toolkit.tools.callees import Callee
from toolkit.tools.context import ToolContext
from toolkit.tools.limits import Limiter, Release

_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.25


class Held:
    """A limiter within a turn: what the call does under the same name belongs to it, and waits for no other."""

    def __init__(self, limiter: Limiter, tool: str) -> None:
        self.limiter, self.tool = limiter, tool

    def bounds(self, tool: str) -> bool:
        """Return whether calls of a tool have to wait for their turn."""
        return tool != self.tool and self.limiter.bounds(tool)

    def take(self, tool: str, *, again: bool = False) -> Release | float:
        return self.limiter.take(tool, again=again)


async def perform_in_turn(tool: Callee, parsed: Any, context: ToolContext) -> Any:
    """Do the work of a tool when it is its turn; the time until then counts as nobody's work."""
    limiter, name = context.limiter, tool.spec.name
    if limiter is None or not limiter.bounds(name):
        return await tool.perform(parsed, context)
    give_back = await _turn(limiter, name, context)
    try:
        return await tool.perform(parsed, context.replace(limiter=Held(limiter, name)))
    finally:
        give_back()


async def begin_again(tool: str, context: ToolContext) -> None:
    """Wait until a call that has its turn may begin once more: another attempt counts like another call."""
    limiter = context.limiter
    if isinstance(limiter, Held) and limiter.tool == tool:
        await _turn(limiter, tool, context, again=True)


async def _turn(limiter: Limiter, tool: str, context: ToolContext, *, again: bool = False) -> Release:
    turn = limiter.take(tool, again=again)
    if callable(turn):
        return turn
    shortest = _FIRST_PAUSE
    with context.waits or nullcontext():
        while not callable(turn):
            await pause(min(max(turn, shortest), _LONGEST_PAUSE))
            shortest = min(shortest * 2, _LONGEST_PAUSE)
            turn = limiter.take(tool, again=again)
    return turn
