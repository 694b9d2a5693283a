"""Awaiting: what users' functions answer at once or only to those who await it, as frameworks let them."""

from inspect import isawaitable
from typing import Any

from toolkit.running import loop_is_running, run_apart, run_in_loop


def settled(value: Any) -> Any:
    """Return what an awaitable gives, or any other value as it is; the thread waits for it."""
    if not isawaitable(value):
        return value
    waiting = awaited(value)
    return run_apart(lambda: run_in_loop(waiting)) if loop_is_running() else run_in_loop(waiting)


async def awaited(value: Any) -> Any:
    """Return what an awaitable gives, or any other value as it is."""
    return await value if isawaitable(value) else value
