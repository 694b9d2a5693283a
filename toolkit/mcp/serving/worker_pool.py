"""A worker pool: calls run in other threads than the event loop that serves the clients.

So the server stays responsive whatever a tool does: a tool that raises an unexpected exception or never ends only harms
its own call. Async tools share a loop, because their clients and locks belong to one. If one of them blocks the loop,
the loop is abandoned with the calls that run there, and the next call gets a new loop.

A call of one plain function needs no loop: a thread makes the whole call. If the function takes too long, or the call
is cancelled, another thread takes the call over and ends it, while the function goes on in its own.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from toolkit.errors import ConfigurationError, ExitEarlyError, Signal
from toolkit.running import Abandoned, Handed, responds, run_in_idle_thread, step_driven
from toolkit.tools.calls.results import ToolResult
from toolkit.wrappers.timing import ThreadClock

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, ToolResult]]

PATIENCE = 0.5
"""Seconds within which a loop has to begin a call; after that it counts as blocked."""
_CLEANUP_SECONDS = 2.0
"""Seconds that calls get to clean up at shutdown."""
_GLANCE = 0.01

_CANCELLED = ToolResult.failure("the call was cancelled", "cancelled")
_log = logging.getLogger("toolkit.mcp")


class WorkerPool:
    """Runs calls outside the event loop that serves the clients. Use it from that loop."""

    def __init__(self) -> None:
        self._worker: _Worker | None = None
        self._others: list[_Worker] = []
        self._in_threads: set[ThreadTask] = set()
        self._is_closed = False
        self._making = threading.Lock()

    def begin(self, work: Work, wake: Callable[[], object], *, needs_loop: bool) -> "Task":
        """Begin a call.

        Args:
            work: Makes the call.
            wake: Called in this loop when the call has ended.
            needs_loop: Whether the call needs an event loop.
        """
        if needs_loop:
            return LoopTask(self.worker(), work, wake)
        task = ThreadTask(work, wake, self)
        self._in_threads.add(task)
        if self._is_closed:
            task.cancel()
        task.begin()
        return task

    def worker(self) -> "_Worker":
        """Return the worker for further calls. Any thread may call this."""
        with self._making:
            self._worker = self._worker or _Worker()
            return self._worker

    def forget(self, task: "ThreadTask") -> None:
        """Forget a call that has ended. Any thread may call this."""
        self._in_threads.discard(task)

    def move_if_blocked(self, task: "Task") -> None:
        """Move a call to a new loop if it has not begun, which means that its loop is blocked."""
        if not isinstance(task, LoopTask) or not task.withdraw():
            return
        if self._is_closed:
            task.settle(_CANCELLED)
        else:
            self._give_up(task.worker)
            task.submit(self.worker())

    async def is_responding(self, task: "Task") -> bool:
        """Return whether the loop of a call responds; a blocked loop gets no further calls."""
        if not isinstance(task, LoopTask) or await task.worker.responds(PATIENCE):
            return True
        self._give_up(task.worker)
        return False

    def close(self) -> None:
        """Cancel all calls, and give them time to clean up; no further call begins."""
        self._is_closed = True
        for task in list(self._in_threads):
            task.cancel()
        worker = self.worker()  # for calls that arrive later: they meet a closed worker
        for one in [worker, *self._others]:
            one.close(_CLEANUP_SECONDS)
        deadline = time.monotonic() + _CLEANUP_SECONDS
        while self._in_threads and time.monotonic() < deadline:
            time.sleep(_GLANCE)

    def _give_up(self, worker: "_Worker") -> None:
        if self._worker is worker:
            _log.warning("a tool blocks the event loop that it runs in; further calls run in another one")
            self._others.append(worker)
            self._worker = None
            worker.retire(lambda: self._others.remove(worker))


class Task:
    """A running call.

    Attributes:
        result: The result, once the call has ended.
    """

    def __init__(self, wake: Callable[[], object]) -> None:
        """Create the task in the loop that starts the call; `wake` is called there when it has ended."""
        self._home = asyncio.get_running_loop()
        self._wake = wake
        self.result: ToolResult | None = None

    def settle(self, result: ToolResult) -> None:
        """Set the result, unless there is one."""
        if self.result is None:
            self.result = result
            self._wake()

    def end_if_overdue(self) -> float | None:
        """End the call if its time limit is over; return the seconds until then if they are known."""
        return None

    def cancel(self) -> None:
        """Cancel the call; if it cannot be cancelled, it is abandoned."""
        raise NotImplementedError

    def _report(self, result: ToolResult) -> None:
        with suppress(RuntimeError):  # the waiting loop is closed
            self._home.call_soon_threadsafe(self.settle, result)


class LoopTask(Task):
    """A call in the event loop of a worker."""

    def __init__(self, worker: "_Worker", work: Work, wake: Callable[[], object]) -> None:
        """Start the work in a worker."""
        super().__init__(wake)
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
        self._report(_CANCELLED if task.cancelled() else task.result())


class ThreadTask(Task):
    """A call that a thread drives, which also runs the function of the tool.

    While the function runs, the coroutine of the call is suspended. When it returns, its thread goes on with the call,
    unless that was abandoned: then another thread has taken it over, and what the function returns is discarded.
    """

    def __init__(self, work: Work, wake: Callable[[], object], pool: WorkerPool) -> None:
        super().__init__(wake)
        self.clock: ThreadClock | None = None
        self._pool = pool
        self._coroutine = contained(work())
        self._context = copy_context()
        self._claim: threading.Lock | None = None  # acquired by whoever goes on with the suspended coroutine
        self._ending: Abandoned | None = None
        self._awaited: Future[Any] | None = None

    def begin(self) -> None:
        """Start the call in a thread."""
        run_in_idle_thread(partial(self._go_on, self._coroutine.send, None))

    def end_if_overdue(self) -> float | None:
        clock = self.clock
        if clock is None:
            return None
        if clock.is_over:
            self._abandon(Abandoned(clock))
        return max(clock.left, _GLANCE)

    def cancel(self) -> None:
        self._abandon(Abandoned())

    def _abandon(self, ending: Abandoned) -> None:
        """End the call as soon as its coroutine is suspended, whatever that waits for."""
        self._ending = ending
        if (claim := self._claim) is not None and claim.acquire(blocking=False):
            if self._awaited is not None:
                self._awaited.cancel()
            run_in_idle_thread(partial(self._go_on, self._coroutine.throw, self._taken_ending()))

    def _taken_ending(self) -> BaseException:
        ending, self._ending = self._ending, None
        assert ending is not None  # whoever has the claim takes it once
        return ending

    def _go_on(self, step: Callable[[Any], Any], value: Any) -> None:
        """Drive the coroutine until it ends, awaits something in a loop, or is taken over by another thread."""
        while True:
            try:
                handed = self._context.run(step_driven, self, step, value)
            except BaseException as ending:  # noqa: BLE001 - `StopIteration` at the end, or the cancellation of the call
                self._pool.forget(self)
                self._report(ending.value if isinstance(ending, StopIteration) else _CANCELLED)
                return
            if not isinstance(handed, Handed):
                step, value = self._coroutine.throw, RuntimeError("a call that must not suspend has suspended")
                continue
            work, claim = handed.work, threading.Lock()
            self._claim = claim
            if self._ending is not None and claim.acquire(blocking=False):
                step, value = self._coroutine.throw, self._taken_ending()
            elif not callable(work):
                self._await(work, claim)
                return
            else:
                step, value = self._coroutine.send, _outcome_of(partial(self._context.copy().run, work))
                if not claim.acquire(blocking=False):
                    return

    def _await(self, work: Coroutine[Any, Any, Any], claim: threading.Lock) -> None:
        """Await a coroutine in the loop of a worker, and then go on in a thread."""

        def go_on(ended: "Future[Any]") -> None:
            if claim.acquire(blocking=False):
                run_in_idle_thread(partial(self._go_on, self._coroutine.send, _outcome_of(ended.result)))

        self._awaited = self._context.run(self._pool.worker().start, work)
        self._awaited.add_done_callback(go_on)


def _outcome_of(work: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """Return what some work returns, and what it raises."""
    try:
        return work(), None
    except BaseException as error:  # noqa: BLE001 - raised again in the coroutine of the call
        return None, error


async def contained(work: Coroutine[Any, Any, ToolResult]) -> ToolResult:
    """Await a call, and convert anything that it raises to a failed result."""
    try:
        return await work
    except asyncio.CancelledError:
        raise
    except Abandoned:
        return _CANCELLED
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

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

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
