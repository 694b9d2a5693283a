"""Running coroutines from plain code, with an event loop only where one is needed.

Everything that may suspend is written once, as a coroutine. One that never suspends is driven by hand, which costs a
fiftieth of a loop; asyncio is not even imported for it.
"""

import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def loop_is_running() -> bool:
    """Return whether an event loop runs in this thread; where asyncio was never imported, none does."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None  # noqa: SLF001 - documented, for this


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
    message = "a coroutine that was to run without an event loop has suspended"
    raise RuntimeError(message)


def run_in_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in an event loop of its own; no loop may be running in this thread."""
    import asyncio

    return asyncio.run(coroutine)


async def drive_or_run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine in the running loop, or, where none runs, give it one while this thread waits.

    So whoever awaits this never suspends without a loop, and can be driven by hand.
    """
    return await coroutine if loop_is_running() else run_in_loop(coroutine)


def run_apart(function: Callable[[], T]) -> T:
    """Run a function in a fresh thread that has no event loop, with this thread's context variables, and wait."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only synchronous calls inside a loop need it
    from contextvars import copy_context  # noqa: PLC0415

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(copy_context().run, function).result()


async def in_thread(function: Callable[[], T]) -> T:
    """Run a plain function in a worker thread, so that it blocks neither its neighbours nor Ctrl-C nor a timeout.

    When the waiting is cancelled the thread is abandoned, and may still take effect.
    """
    from anyio import CapacityLimiter, to_thread

    # A limiter for each call: the number of threads is the number of calls, and the shared default of 40 holds none up.
    return await to_thread.run_sync(function, abandon_on_cancel=True, limiter=CapacityLimiter(1))
