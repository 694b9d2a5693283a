"""A worker pool: calls run in a separate event loop from the one that serves the clients.

So the server stays responsive whatever a tool does: a tool that raises an unexpected exception or never ends only harms
its own call. Async tools share a loop, because their clients and locks belong to one. If one of them blocks the loop,
the loop is abandoned with the calls that run there, and the next call gets a new loop.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from toolkit.errors import ConfigurationError, ExitEarlyError, Signal
from toolkit.running import responds
from toolkit.tools.calls.results import ToolResult

Work = Callable[[], Coroutine[Any, Any, ToolResult]]

PATIENCE = 0.5
"""Seconds within which a loop has to begin a call; after that it counts as blocked."""
_CLEANUP_SECONDS = 2.0
"""Seconds that calls get to clean up at shutdown."""

_CANCELLED = ToolResult.failure("the call was cancelled", "cancelled")
_log = logging.getLogger("toolkit.mcp")


class WorkerPool:
    """Runs calls outside the event loop that serves the clients. Use it from that loop."""

    def __init__(self) -> None:
        self._worker: _Worker | None = None
        self._others: list[_Worker] = []
        self._is_closed = False

    def begin(self, work: Work) -> "Task":
        self._worker = self._worker or _Worker()
        return Task(self._worker, work)

    def move_if_blocked(self, task: "Task") -> None:
        """Move a call to a new loop if it has not begun, which means that its loop is blocked."""
        if not task.withdraw():
            return
        if self._is_closed:
            _settle(task.finished, _CANCELLED)
        else:
            self._give_up(task.worker)
            self._worker = self._worker or _Worker()
            task.submit(self._worker)

    async def is_responding(self, task: "Task") -> bool:
        """Return whether the loop of a call responds; a blocked loop gets no further calls."""
        if await task.worker.responds(PATIENCE):
            return True
        self._give_up(task.worker)
        return False

    def close(self) -> None:
        """Cancel all calls, and give them time to clean up; no further call begins."""
        self._is_closed = True
        self._worker = self._worker or _Worker()  # for calls that arrive later: they meet a closed worker
        for worker in filter(None, [self._worker, *self._others]):
            worker.close(_CLEANUP_SECONDS)

    def _give_up(self, worker: "_Worker") -> None:
        if self._worker is worker:
            _log.warning("a tool blocks the event loop that it runs in; further calls run in another one")
            self._others.append(worker)
            self._worker = None
            worker.retire(lambda: self._others.remove(worker))


class Task:
    """A running call. Its future `finished` belongs to the loop that started the call."""

    def __init__(self, worker: "_Worker", work: Work) -> None:
        """Start the work in a worker."""
        self._loop = asyncio.get_running_loop()
        self.finished: asyncio.Future[ToolResult] = self._loop.create_future()
        self._work = work
        self._task: asyncio.Task[ToolResult] | None = None
        self.submit(worker)

    def submit(self, worker: "_Worker") -> None:
        """Schedule the call in a worker's loop."""
        self.worker = worker
        self._claim = threading.Lock()  # acquired by the worker to begin the call, or by us to withdraw it
        worker.call_soon(partial(self._begin, self._claim))

    def withdraw(self) -> bool:
        """Withdraw the call if it has not begun, and return whether it was withdrawn."""
        return self._claim.acquire(blocking=False)

    def cancel(self) -> None:
        """Cancel the call; if it cannot be cancelled, it is abandoned."""
        if not self.withdraw():
            self.worker.call_soon(self._cancel)

    def _begin(self, claim: threading.Lock) -> None:
        if claim.acquire(blocking=False):
            self._task = asyncio.get_running_loop().create_task(contained(self._work()))
            self._task.add_done_callback(self._end)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _end(self, task: asyncio.Task[ToolResult]) -> None:
        result = _CANCELLED if task.cancelled() else task.result()
        with suppress(RuntimeError):  # the waiting loop is closed
            self._loop.call_soon_threadsafe(_settle, self.finished, result)


def _settle(future: "asyncio.Future[Any]", value: Any) -> None:
    if not future.done():
        future.set_result(value)


async def contained(work: Coroutine[Any, Any, ToolResult]) -> ToolResult:
    """Await a call, and convert anything that it raises to a failed result."""
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
    except BaseException as error:  # noqa: BLE001 - no exception of a tool is allowed to end the server
        return ToolResult.failure(f"the tool raised {type(error).__name__}: {error}", "error")


class _Worker:
    """An event loop in a background thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="toolkit calls", daemon=True)
        self._thread.start()

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call a function in the loop."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(function)

    async def responds(self, patience: float) -> bool:
        """Return whether the loop responds within `patience` seconds."""
        return await asyncio.to_thread(responds, self._loop, patience)

    def close(self, patience: float) -> None:
        """Cancel all tasks, and wait for at most `patience` seconds until they end."""
        self._is_closing = True
        self.call_soon(lambda: self._loop.create_task(self._wind_up()))
        self._thread.join(patience)

    def retire(self, when_done: Callable[[], None]) -> None:
        """End the loop when its calls have ended."""
        home = asyncio.get_running_loop()

        async def wait_for_the_rest() -> None:
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)
            self._is_closing = True
            with suppress(RuntimeError):  # that loop is closed
                home.call_soon_threadsafe(when_done)
            self._loop.stop()

        self.call_soon(lambda: self._loop.create_task(wait_for_the_rest()))

    async def _wind_up(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_CLEANUP_SECONDS)
        self._loop.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        while True:
            try:
                self._loop.run_forever()
            except BaseException as error:  # noqa: BLE001 - such as SystemExit, raised by a task that a tool has created
                _log.warning("a task of a tool raised %s", type(error).__name__)
            if self._is_closing:
                self._loop.close()
                return
