"""Runs a batch: processes items in parallel and delivers their results in the order of the items."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from toolkit.batches.items import Item
from toolkit.running import gather, in_thread, loop_is_running
from toolkit.tools.calls.results import ToolResult

if TYPE_CHECKING:
    from asyncio import Event


Do = Callable[[Item], Awaitable[ToolResult]]
"""Processes one item and returns the result."""
Take = Callable[[Item, ToolResult], bool]
"""Receives the result of an item, in the order of the items, and returns whether the batch should continue."""

_AHEAD = 64
"""Maximum number of items per worker that can be ahead of the first unfinished one, which limits the memory used."""


class Batch:
    """Processes items one by one with one or more workers."""

    def __init__(
        self,
        items: Iterator[Item],
        do: Do,
        take: Take,
        *,
        at_once: Callable[[Item], ToolResult] | None = None,
        jobs: int = 1,
        waits: bool = False,
    ) -> None:
        """Create a batch.

        Args:
            items: The items.
            do: Processes one item.
            take: Receives the result of each item.
            at_once: Processes one item synchronously; used instead of `do` if there is no event loop.
            jobs: Number of items that are processed in parallel.
            waits: Whether reading the next item may block for long, so that a thread has to wait for it.
        """
        self._items, self._do, self._take, self._at_once = items, do, take, at_once
        self._jobs, self._waits = jobs, waits
        self._ended: dict[int, tuple[Item, ToolResult]] = {}
        self._next = 1
        self._taken = 0
        self._lock = threading.Lock()

    async def run(self) -> None:
        """Process all items, or stop when `take` returns false.

        Without an event loop, the items are processed one after another, and `do` must not suspend.

        Raises:
            Signal: If more than one item has to end.
        """
        if loop_is_running():
            await self._run_in_parallel()
            return
        do, take = self._at_once, self._take
        for item in self._items:
            if not take(item, await self._do(item) if do is None else do(item)):
                return

    def deliver_rest(self) -> None:
        """Deliver the results that were held back for an earlier item. Call it after the batch has ended early."""
        with self._lock:
            for number in sorted(self._ended):
                self._take(*self._ended.pop(number))

    async def _run_in_parallel(self) -> None:
        import asyncio

        reading, moved = asyncio.Lock(), asyncio.Event()

        async def work() -> bool:
            while True:
                async with reading:
                    item = await self._next_item(moved)
                if item is None:
                    return True
                result = await self._do(item)
                if not self._deliver(item, result):
                    return False
                moved.set()

        await gather([work] * self._jobs)

    async def _next_item(self, moved: "Event") -> Item | None:
        while self._taken - self._next >= self._jobs * _AHEAD:
            moved.clear()
            await moved.wait()
        following = partial(next, self._items, None)
        item: Item | None = await in_thread(following) if self._waits else following()
        self._taken += item is not None
        return item

    def _deliver(self, item: Item, result: ToolResult) -> bool:
        """Store a result, deliver all results that are next in order, and return whether the batch continues."""
        with self._lock:
            self._ended[item.number] = (item, result)
            while self._next in self._ended:
                goes_on = self._take(*self._ended.pop(self._next))
                self._next += 1
                if not goes_on:
                    return False
        return True
