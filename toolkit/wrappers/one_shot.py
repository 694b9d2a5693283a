"""Runs a tool only once per agent loop, since its answer remains in the conversation."""

import threading
from collections import OrderedDict
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

from toolkit.running import loop_is_running
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calls.results import AnsweredEarly, ToolResult
from toolkit.tools.context import ToolContext

_REMEMBERED_LOOPS = 1024


_WITHIN: ContextVar[frozenset[int]] = ContextVar("one-shot tools at work", default=frozenset())


class LoopMemo:
    """Remembers in which agent loops something was done. Thread-safe.

    In a context without a loop id nothing is remembered, so every time is the first. When the number of loops exceeds
    the capacity, the least recently used one is forgotten.
    """

    def __init__(self, capacity: int = _REMEMBERED_LOOPS) -> None:
        """Create an empty memo for at most `capacity` loops."""
        self._capacity = capacity
        self._loops: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, context: ToolContext) -> bool:
        """Return whether the loop of this context is remembered."""
        with self._lock:
            return context.loop_id in self._loops

    def first(self, context: ToolContext) -> bool:
        """Remember the loop of this context, and return whether this is the first time."""
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
    """Runs a tool once per agent loop; later calls refer the model to the earlier answer.

    A call that fails does not count. A second call that arrives while the first is running waits for it. If the context
    has no loop id, every call runs.
    """

    def __init__(self, inner: Tool, advice: str = "") -> None:
        """Wrap a tool.

        Args:
            inner: The tool.
            advice: What the model should do instead of calling the tool again.
        """
        super().__init__(inner)
        self._advice = advice
        self._done = LoopMemo()
        self._at_work: dict[str, Future[None]] = {}
        self._lock = threading.Lock()

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Answer a repeated call immediately, before a reviewer is asked about it."""
        if self._done.has(context):
            raise AnsweredEarly(self._reminder())
        super().check(parsed, context)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Run the inner tool unless it has already run; if another call is running it, wait for its outcome."""
        if context.loop_id is None:
            return await self.result_from_inner(parsed, context)
        if id(self._at_work) in _WITHIN.get():  # the tool calls itself, and would wait for itself
            return self._reminder()
        while (other := self._begin(context.loop_id)) is not None:
            await _wait_for(other)
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
        """Register this call as the running one of a loop, or return the call that is already running."""
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


async def _wait_for(call: "Future[None]") -> None:
    """Wait until another call has ended, which may be running in another thread."""
    if not loop_is_running():
        call.result()
        return
    import asyncio

    await asyncio.wrap_future(call)
