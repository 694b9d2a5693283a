"""Running coroutines from plain code, with an event loop only where one is needed.

Everything that may suspend is written once, as a coroutine. One that never suspends is driven by hand, which costs a
fiftieth of a loop; asyncio is not even imported for it.
"""

import sys
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

T = TypeVar("T")

_AT_WORK: "set[AbstractEventLoop]" = set()

_running_loop: Callable[[], object] | None = None


def loop_is_running() -> bool:
    """Return whether an event loop runs in this thread; where asyncio was never imported, none does."""
    global _running_loop  # noqa: PLW0603 - looked up once, since every call asks
    if _running_loop is None:
        _running_loop = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
        if _running_loop is None:
            return False
    return _running_loop() is not None


def ends_more_than_a_call(error: BaseException) -> bool:
    """Return whether an error ends the task or the program: an interruption, or a cancellation of this task.

    The cancellation of something that was awaited is not one, and neither is any other exception, whatever its class.
    """
    if isinstance(error, Exception):
        return False
    if isinstance(error, BaseExceptionGroup):
        return any(map(ends_more_than_a_call, error.exceptions))
    return isinstance(error, KeyboardInterrupt | GeneratorExit) or _is_cancellation_of_this_task(error)


def _is_cancellation_of_this_task(error: BaseException) -> bool:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task() if loop_is_running() else None
    return task is not None and bool(task.cancelling())


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends to its end.

    Raises:
        RuntimeError: If it suspends after all.
    """
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine that was to run without an event loop has suspended")


def run_in_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in an event loop of its own; no loop may be running in this thread."""
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
        for task in tasks:  # an interruption has ended the loop before asyncio has looked at it, which it would log
            if task.done() and not task.cancelled():
                task.exception()


def loops_at_work() -> "tuple[AbstractEventLoop, ...]":
    """Return the event loops that `run_in_loop` runs at the moment, in whatever threads."""
    return tuple(_AT_WORK)


def moves(loop: "AbstractEventLoop", patience: float) -> bool:
    """Return whether an event loop answers within so many seconds; one that a tool blocks does not.

    It is asked from another thread than its own.
    """
    from threading import Event  # noqa: PLC0415 - only where a run does not end

    answered = Event()
    try:
        loop.call_soon_threadsafe(answered.set)
    except RuntimeError:  # it is closed, so nothing blocks it
        return True
    return answered.wait(patience)


async def pause(seconds: float) -> None:
    """Wait: in the event loop where one runs, else in this thread."""
    if not loop_is_running():
        time.sleep(seconds)  # noqa: ASYNC251 - nobody else waits in this thread
        return
    import asyncio

    await asyncio.sleep(seconds)


async def drive_or_run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine in the running loop, or, where none runs, give it one while this thread waits.

    So code that awaits this never suspends without a loop, and can be driven by hand.
    """
    return await coroutine if loop_is_running() else run_in_loop(coroutine)


def run_apart(function: Callable[[], T]) -> T:
    """Run a function in a fresh thread that has no event loop, with this thread's context variables, and wait."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only synchronous calls inside a loop need it
    from contextvars import copy_context  # noqa: PLC0415

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(copy_context().run, function).result()


def awaited(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what a coroutine function gives, from plain code: in a loop of its own, whether or not one runs here."""
    return run_apart(lambda: run_in_loop(work())) if loop_is_running() else run_in_loop(work())


async def in_thread(function: Callable[[], T]) -> T:
    """Run a plain function in a thread, so that it blocks neither its neighbours nor Ctrl-C nor a timeout.

    Each call has a thread of its own: a pool would let some wait for others. When the waiting is cancelled the thread
    is abandoned, and may still take effect; the end of the program does not wait for it.
    """
    import asyncio
    from contextlib import suppress  # noqa: PLC0415 - only calls inside a running loop need it
    from contextvars import copy_context  # noqa: PLC0415 - as above
    from threading import Thread  # noqa: PLC0415 - as above

    loop, call = asyncio.get_running_loop(), copy_context().run
    ended: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if not ended.done():
            ended.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = call(function)
        except BaseException as raised:  # noqa: BLE001 - it is raised where it is awaited
            error = raised
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(settle, value, error)

    Thread(target=work, name="toolkit call", daemon=True).start()
    value, error = await ended
    if error is not None:
        raise error
    return cast("T", value)
