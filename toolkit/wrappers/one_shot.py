"""One shot: a tool whose answer, once given, stands in the conversation, and need not be given again."""

import threading
from collections import OrderedDict
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

from toolkit.running import loop_is_running
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.refusals import AnsweredEarly
from toolkit.tools.results import ToolResult

_REMEMBERED_LOOPS = 1024


_WITHIN: ContextVar[frozenset[int]] = ContextVar("one-shot tools at work", default=frozenset())


class LoopMemo:
    """Remembers which agents' loops something was done in; safe to use from several threads.

    Without the id of a loop nothing is remembered: everything is done as if for the first time. Beyond the capacity,
    the loop that has been quiet the longest is forgotten.
    """

    def __init__(self, capacity: int = _REMEMBERED_LOOPS) -> None:
        """Remember nothing yet, and so many loops at most."""
        self._capacity = capacity
        self._loops: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, context: ToolContext) -> bool:
        """Return whether it was done in the loop of this context."""
        with self._lock:
            return context.loop_id in self._loops

    def first(self, context: ToolContext) -> bool:
        """Return whether this is the first time in the loop of this context, and remember it."""
        if context.loop_id is None:
            return True
        with self._lock:
            is_first = context.loop_id not in self._loops
            self._loops[context.loop_id] = None
            self._loops.move_to_end(context.loop_id)
            while len(self._loops) > self._capacity:
                self._loops.popitem(last=False)
            return is_first


class OneShotTool(WrappedTool):
    """A tool that does its work once in each agent's loop; later calls return that the answer is there already.

    A call that fails does not count. A second call, while the first is at work, waits for it. Where the context has no
    loop id, every call is the first.
    """

    def __init__(self, inner: Tool, advice: str = "") -> None:
        """Keep what a model should do instead of calling again."""
        super().__init__(inner)
        self._advice = advice
        self._done = LoopMemo()
        self._at_work: dict[str, Future[None]] = {}
        self._lock = threading.Lock()

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Answer at once, with nobody asked, what was answered before."""
        if self._done.has(context):
            raise AnsweredEarly(self._reminder())
        super().check(parsed, context)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work, unless it was done; where it is being done at the same time, wait for the outcome."""
        if context.loop_id is None:
            return await self.result_from_inner(parsed, context)
        if id(self._at_work) in _WITHIN.get():  # what it waited for would be itself
            return self._reminder()
        while (other := self._begin(context.loop_id)) is not None:
            await _over(other)
        try:
            if self._done.has(context):
                return self._reminder()
            within = _WITHIN.set(_WITHIN.get() | {id(self._at_work)})
            try:
                result = await self.result_from_inner(parsed, context)
            finally:
                _WITHIN.reset(within)
            if result.succeeded:
                self._done.first(context)
            return result
        finally:
            self._end(context.loop_id)

    def _begin(self, loop_id: str) -> "Future[None] | None":
        """Take the turn of a loop, or return the call that has it."""
        with self._lock:
            if (other := self._at_work.get(loop_id)) is not None:
                return other
            self._at_work[loop_id] = Future()
            return None

    def _end(self, loop_id: str) -> None:
        with self._lock:
            ended = self._at_work.pop(loop_id)
        ended.set_result(None)

    def _reminder(self) -> ToolResult:
        return ToolResult(
            f"ALREADY LOADED. The body of '{self.name}' was returned earlier in this turn — read it from your"
            f" conversation history above. Do not call this tool again. {self._advice}".rstrip()
        )


async def _over(call: "Future[None]") -> None:
    """Wait for the end of another call, in whatever thread it runs."""
    if not loop_is_running():
        call.result()
        return
    import asyncio

    await asyncio.wrap_future(call)
