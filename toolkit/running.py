"""Runs coroutines from synchronous code, with an event loop only if one is needed.

Code that can suspend is written once, as a coroutine. A coroutine that never suspends is driven directly, which takes a
fiftieth of the time that an event loop takes, and does not even import asyncio.

Tasks also run in parallel here, and plain functions in daemon threads. A thread that has finished a function waits for
the next, but no call waits for another: when no thread is idle, a new one starts. Waking a thread takes half the
processor time of starting one.
"""

import os
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Event, Lock, Thread, local
from types import CoroutineType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from queue import SimpleQueue

T = TypeVar("T")

_AT_WORK: "set[AbstractEventLoop]" = set()

_running_loop: Callable[[], object] | None = None


def loop_is_running() -> bool:
    """Return whether an event loop is running in this thread; none is if asyncio was never imported."""
    global _running_loop  # noqa: PLW0603 - looked up once, since every tool call needs it
    if _running_loop is None:
        _running_loop = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
        if _running_loop is None:
            return False
    return _running_loop() is not None


def ends_more_than_a_call(error: BaseException) -> bool:
    """Return whether an error ends the task or the program: an interruption, or the cancellation of this task.

    The cancellation of something that this task awaits does not, nor does any other exception, whatever its class.
    """
    if isinstance(error, Exception):
        return False
    if isinstance(error, BaseExceptionGroup):
        return any(map(ends_more_than_a_call, error.exceptions))
    return isinstance(error, KeyboardInterrupt | GeneratorExit | Abandoned) or _is_cancellation_of_this_task(error)


def _is_cancellation_of_this_task(error: BaseException) -> bool:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task() if loop_is_running() else None
    return task is not None and bool(task.cancelling())


class Abandoned(BaseException):
    """Ends a coroutine that a `Driver` drives, while what it waits for goes on. The cancellation of such a coroutine.

    Attributes:
        because: What ends it, such as a time limit, or `None`.
    """

    def __init__(self, because: object = None) -> None:
        super().__init__("the call was abandoned")
        self.because = because


class Driver(Protocol):
    """Drives a coroutine in a thread without an event loop, in which other threads can abandon what it waits for.

    Attributes:
        clock: The time limit of the coroutine, while it has one.
    """

    clock: Any


class _DriverOfThread(local):
    current: Driver | None = None


_DRIVER = _DriverOfThread()


def driver_of_thread() -> Driver | None:
    """Return what drives the running coroutine, unless that is an event loop."""
    return None if loop_is_running() else _DRIVER.current


class Handed:
    """What a coroutine hands to its driver instead of doing it itself: a plain function, or a coroutine to await.

    Awaiting it returns the result and the exception that the work has raised.
    """

    __slots__ = ("work",)

    def __init__(self, work: Callable[[], Any] | Coroutine[Any, Any, Any]) -> None:
        self.work = work

    def __await__(self) -> Generator["Handed", Any, Any]:
        return (yield self)


async def _hand(work: Callable[[], T] | Coroutine[Any, Any, T]) -> T:
    """Let the driver of this coroutine do some work, and return the result."""
    value, error = await Handed(work)
    if error is not None:
        raise error
    return cast("T", value)


def step_driven(driver: Driver, step: Callable[[Any], Any], value: Any) -> object:
    """Run a driven coroutine until it suspends, and return what it yields: what it hands to its driver, if all is well.

    Args:
        driver: The driver.
        step: The method of the coroutine to call: `send` or `throw`.
        value: What is sent or thrown.

    Raises:
        StopIteration: If the coroutine ends.
    """
    _DRIVER.current = driver
    try:
        return step(value)
    finally:
        _DRIVER.current = None


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends, without an event loop.

    Raises:
        RuntimeError: If it suspends after all.
    """
    driver, _DRIVER.current = _DRIVER.current, None  # of a coroutine around this one, which would have to suspend too
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        _DRIVER.current = driver
    coroutine.close()
    raise RuntimeError("a coroutine that must not suspend, because no event loop is running, has suspended")


def run_in_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new event loop; no loop may be running in this thread."""
    import asyncio

    tasks: list[asyncio.Task[T]] = []

    async def known() -> T:
        loop = asyncio.get_running_loop()
        tasks.append(cast("asyncio.Task[T]", asyncio.current_task()))
        _AT_WORK.add(loop)
        try:
            return await coroutine
        finally:
            _AT_WORK.discard(loop)

    try:
        return asyncio.run(known())
    finally:
        for task in tasks:  # otherwise asyncio logs that the exception of an interrupted task was never retrieved
            if task.done() and not task.cancelled():
                task.exception()


def loops_at_work() -> "tuple[AbstractEventLoop, ...]":
    """Return the event loops that `run_in_loop` is currently running, in all threads."""
    return tuple(_AT_WORK)


def responds(loop: "AbstractEventLoop", patience: float) -> bool:
    """Return whether an event loop responds within `patience` seconds, which it does not while a tool blocks it.

    Call this from another thread than that of the loop.
    """
    answered = Event()
    try:
        loop.call_soon_threadsafe(answered.set)
    except RuntimeError:  # the loop is closed, so nothing blocks it
        return True
    return answered.wait(patience)


async def pause(seconds: float) -> None:
    """Sleep, without blocking the event loop if one is running."""
    if not loop_is_running():
        await _call_in_thread(partial(time.sleep, seconds))
        return
    import asyncio

    await asyncio.sleep(seconds)


async def await_or_run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine in the running event loop, or run it in a new one if none is running.

    Code that awaits this never suspends without an event loop, so it can be passed to `drive`.
    """
    if loop_is_running():
        return await coroutine
    return run_in_loop(coroutine) if _DRIVER.current is None else await _hand(coroutine)


async def call_function(function: Callable[..., Any], *arguments: Any, is_async: bool) -> Any:
    """Call a function; a sync one runs in a thread if an event loop is running, so that it does not block it."""
    if is_async:
        return await function(*arguments)
    call = partial(function, *arguments)
    value = await in_thread(call) if loop_is_running() else await _call_in_thread(call)
    return await await_or_run(value) if isinstance(value, CoroutineType) else value


async def _call_in_thread(function: Callable[[], T]) -> T:
    """Call a function in this thread, which has no event loop; if the coroutine is driven, its driver calls it."""
    return function() if _DRIVER.current is None else await _hand(function)


def run_in_new_thread(function: Callable[[], T]) -> T:
    """Run a function in a new thread without an event loop, with a copy of this thread's context, and wait for it."""
    from concurrent.futures import ThreadPoolExecutor  # only synchronous calls inside a loop need it

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(copy_context().run, function).result()


def run_coroutine(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function from synchronous code in a new event loop, whether or not a loop is running here."""
    return run_in_new_thread(lambda: run_in_loop(work())) if loop_is_running() else run_in_loop(work())


async def in_thread(function: Callable[[], T]) -> T:
    """Run a synchronous function in a thread, so that it does not block other tasks, Ctrl-C or a timeout.

    Calls never share a thread, so they never wait for each other. On cancellation the thread is abandoned: the function
    may still take effect, and the program does not wait for it when it exits.
    """
    import asyncio

    loop, call = asyncio.get_running_loop(), copy_context().run
    ended: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if not ended.done():
            ended.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = call(function)
        except BaseException as raised:  # noqa: BLE001 - raised again in the awaiting task
            error = raised
        with suppress(RuntimeError):  # the loop is closed, so nothing awaits the result
            loop.call_soon_threadsafe(settle, value, error)

    run_in_idle_thread(work)
    value, error = await ended
    if error is not None:
        raise error
    return cast("T", value)


Job = Callable[[], Awaitable[bool]]
"""A task; it returns whether the others may continue."""


async def gather(jobs: Iterable[Job]) -> None:
    """Run tasks in parallel until all have ended, or one returns `False`, which cancels the others.

    An exception of a task also cancels the others. It is raised as it is, not wrapped in a group.
    """
    from anyio import create_task_group  # nothing else here needs it

    try:
        async with create_task_group() as group:

            async def run(job: Job) -> None:
                if not await job():
                    group.cancel_scope.cancel()

            for job in jobs:
                group.start_soon(run, job)
    except BaseExceptionGroup as broken:
        _raise_gravest(broken)


def _raise_gravest(group: BaseExceptionGroup[BaseException]) -> NoReturn:
    """Raise the most severe exception: one that is not an Exception first, otherwise the first one."""
    leaves = list(_leaves(group))
    raise min(leaves, key=lambda error: isinstance(error, Exception)) from None


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterable[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


Work = Callable[[], object]

_MOST_IDLE = 128
"""Maximum number of idle threads; any further one ends with its work."""

_idle: "list[SimpleQueue[Work]]" = []


def run_in_idle_thread(work: Work) -> None:
    """Start a function in a daemon thread that runs nothing else; the function must not raise.

    Like `Thread.start`, this returns when the function has begun, so short functions end in the order of their start.
    """
    try:
        inbox = _idle.pop()
    except IndexError:
        Thread(target=_run, args=(work,), name="toolkit call", daemon=True).start()
        return
    begun = Lock()
    begun.acquire()

    def begin() -> None:
        begun.release()
        work()

    inbox.put(begin)
    begun.acquire()


def _run(work: Work) -> None:
    from queue import SimpleQueue  # most runs need no thread

    inbox: SimpleQueue[Work] = SimpleQueue()
    work()
    while len(_idle) < _MOST_IDLE:
        _idle.append(inbox)
        inbox.get()()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child process has none of these threads
