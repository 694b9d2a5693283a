"""Handles values that may be awaitable, since frameworks accept both plain and async functions."""

from inspect import isawaitable
from typing import Any

from toolkit.running import loop_is_running, run_in_loop, run_in_new_thread


def settled(value: Any) -> Any:
    """Return the result of an awaitable, or any other value unchanged; blocks until the result is there."""
    if not isawaitable(value):
        return value
    waiting = awaited(value)
    return run_in_new_thread(lambda: run_in_loop(waiting)) if loop_is_running() else run_in_loop(waiting)


async def awaited(value: Any) -> Any:
    """Return the result of an awaitable, or any other value unchanged."""
    return await value if isawaitable(value) else value
