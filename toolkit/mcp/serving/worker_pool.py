"""Worker pool: where the calls run: in an event loop of their own, beside the one that speaks to clients.

So whatever a tool does, clients are heard: a tool that raises what nobody expects, or never ends, harms its own call
alone. Async tools share a loop, since clients and locks that they keep belong to one; a loop that one of them blocks is
left to itself, with those that run there already, and the next call gets a fresh one.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from toolkit.errors import ConfigurationError, ExitEarlyError, Signal
from toolkit.running import moves
from toolkit.tools.results import ToolResult

Work = Callable[[], Coroutine[Any, Any, ToolResult]]

PATIENCE = 0.5
"""Seconds that a loop may take to begin a call before it counts as blocked."""
_LAST_WORDS = 2.0
"""Seconds that calls have to clean up when everything ends."""

_CANCELLED = ToolResult.failure("the call was cancelled", "cancelled")
_log = logging.getLogger("toolkit.mcp")


class WorkerPool:
    """Runs calls away from the loop that speaks to clients; to be used from that loop."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._bench: _Worker | None = None
        self._others: list[_Worker] = []
        self._is_closed = False

    def begin(self, work: Work) -> "Task":
        self._bench = self._bench or _Worker()
        return Task(self._bench, work)

    def look_after(self, job: "Task") -> None:
        """Begin a call in a fresh loop if it has had time to begin and has not: its own is blocked."""
        if not job.take_back():
            return
        if self._is_closed:
            _settle(job.finished, _CANCELLED)
        else:
            self._give_up(job.bench)
            self._bench = self._bench or _Worker()
            job.hand_over(self._bench)

    async def is_moving(self, job: "Task") -> bool:
        """Return whether the loop of a call still moves; one that does not gets no further calls."""
        if await job.bench.answers(PATIENCE):
            return True
        self._give_up(job.bench)
        return False

    def close(self) -> None:
        """End all calls, and let each clean up; none begins any more."""
        self._is_closed = True
        self._bench = self._bench or _Worker()  # a call that comes too late meets one that is closed
        for bench in filter(None, [self._bench, *self._others]):
            bench.close(_LAST_WORDS)

    def _give_up(self, bench: "_Worker") -> None:
        if self._bench is bench:
            _log.warning("a tool blocks the event loop that it runs in; further calls run in another one")
            self._others.append(bench)
            self._bench = None
            bench.retire(lambda: self._others.remove(bench))


class Task:
    """One call that runs; `finished` is called in the loop that began it."""

    def __init__(self, bench: "_Worker", work: Work) -> None:
        """Hand the work over."""
        self._loop = asyncio.get_running_loop()
        self.finished: asyncio.Future[ToolResult] = self._loop.create_future()
        self._work = work
        self._task: asyncio.Task[ToolResult] | None = None
        self.hand_over(bench)

    def hand_over(self, bench: "_Worker") -> None:
        """Have it begun in a loop."""
        self.bench = bench
        self._ticket = threading.Lock()  # taken by the loop to begin the call, or by us to take it back
        bench.soon(partial(self._begin, self._ticket))

    def take_back(self) -> bool:
        """Return whether it had not begun; then it never will, unless it is handed over again."""
        return self._ticket.acquire(blocking=False)

    def cancel(self) -> None:
        """End the call; what cannot be stopped is left to itself."""
        if not self.take_back():
            self.bench.soon(self._cancel)

    def _begin(self, ticket: threading.Lock) -> None:
        if ticket.acquire(blocking=False):
            self._task = asyncio.get_running_loop().create_task(contained(self._work()))
            self._task.add_done_callback(self._end)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _end(self, task: asyncio.Task[ToolResult]) -> None:
        result = _CANCELLED if task.cancelled() else task.result()
        with suppress(RuntimeError):  # the loop that waited is closed
            self._loop.call_soon_threadsafe(_settle, self.finished, result)


def _settle(future: "asyncio.Future[Any]", value: Any) -> None:
    if not future.done():
        future.set_result(value)


async def contained(work: Coroutine[Any, Any, ToolResult]) -> ToolResult:
    """Await a call; anything that it raises becomes a failed result."""
    try:
        return await work
    except asyncio.CancelledError:
        raise
    except ExitEarlyError as ending:
        return ToolResult.failure(ending.reason, "exit_early")
    except ConfigurationError as error:
        return ToolResult.failure(str(error), "configuration")
    except Signal as signal:
        return ToolResult.failure(f"{type(signal).__name__}: {signal}", "ended")
    except BaseException as error:  # noqa: BLE001 - nothing that a tool raises may end the server
        return ToolResult.failure(f"the tool raised {type(error).__name__}: {error}", "error")


class _Worker:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="toolkit calls", daemon=True)
        self._thread.start()

    def soon(self, function: Callable[[], object]) -> None:
        """Call a function in the loop."""
        with suppress(RuntimeError):  # everything ends
            self._loop.call_soon_threadsafe(function)

    async def answers(self, patience: float) -> bool:
        """Return whether the loop moves."""
        return await asyncio.to_thread(moves, self._loop, patience)

    def close(self, patience: float) -> None:
        """Cancel everything and wait so long at most; what does not end is left to itself."""
        self._is_closing = True
        self.soon(lambda: self._loop.create_task(self._wind_up()))
        self._thread.join(patience)

    def retire(self, when_done: Callable[[], None]) -> None:
        """Take no more calls, and end when those that there are have ended."""
        home = asyncio.get_running_loop()

        async def wait_for_the_rest() -> None:
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)
            self._is_closing = True
            with suppress(RuntimeError):  # everything has ended already
                home.call_soon_threadsafe(when_done)
            self._loop.stop()

        self.soon(lambda: self._loop.create_task(wait_for_the_rest()))

    async def _wind_up(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_LAST_WORDS)
        self._loop.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        while True:
            try:
                self._loop.run_forever()
            except BaseException as error:  # noqa: BLE001 - a task of a tool's own raised SystemExit or the like
                _log.warning("a task of a tool raised %s", type(error).__name__)
            if self._is_closing:
                self._loop.close()
                return
