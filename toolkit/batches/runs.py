"""Runs of a batch: something is done for every item, so many at a time, and handed over in the order of the items."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from toolkit.batches.items import Item
from toolkit.running import in_thread, loop_is_running
from toolkit.tools.results import ToolResult

if TYPE_CHECKING:
    from asyncio import Event

Do = Callable[[Item], Awaitable[ToolResult]]
"""Does the work for one item, and returns what came of it."""
Take = Callable[[Item, ToolResult], bool]
"""Takes what came of an item, in the order of the items; returns whether the others may go on."""

_AHEAD = 64
"""How many items each worker may be ahead of the first that has not ended: that many are kept, and no more."""


class Batch:
    """Items in progress, taken one by one by any number of workers."""

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
        """Keep what is done.

        Args:
            items: What it is done for.
            do: Does it for one of them.
            take: Takes what came of it.
            at_once: Does the same without an event loop, where that takes no coroutine.
            jobs: How many are done side by side.
            waits: Whether the next item may be long in coming; then a thread waits for it.
        """
        self._items, self._do, self._take, self._at_once = items, do, take, at_once
        self._jobs, self._waits = jobs, waits
        self._ended: dict[int, tuple[Item, ToolResult]] = {}
        self._next = 1
        self._taken = 0
        self._lock = threading.Lock()

    async def run(self) -> None:
        """Do it for all items, or until one that was taken ends the others.

        Without an event loop, one item follows another; what is done must not suspend then.

        Raises:
            Signal: What ends more than one item.
        """
        if loop_is_running():
            await self._run_side_by_side()
            return
        do, take = self._at_once, self._take
        for item in self._items:
            if not take(item, await self._do(item) if do is None else do(item)):
                return

    def hand_over_rest(self) -> None:
        """Hand over what has ended while an item before it had not: the batch is over."""
        with self._lock:
            for number in sorted(self._ended):
                self._take(*self._ended.pop(number))

    async def _run_side_by_side(self) -> None:
        import asyncio

        from toolkit.parallel_tasks import gather  # noqa: PLC0415 - side by side needs anyio

        reading, moved = asyncio.Lock(), asyncio.Event()

        async def work() -> bool:
            while True:
                async with reading:
                    item = await self._next_item(moved)
                if item is None:
                    return True
                result = await self._do(item)
                if not self._hand_over(item, result):
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

    def _hand_over(self, item: Item, result: ToolResult) -> bool:
        """Hand over what has ended, as far as everything before it has; return whether the others may go on."""
        with self._lock:
            self._ended[item.number] = (item, result)
            while self._next in self._ended:
                goes_on = self._take(*self._ended.pop(self._next))
                self._next += 1
                if not goes_on:
                    return False
        return True
