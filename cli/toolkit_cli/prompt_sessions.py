"""Runs a prompt on the terminal without changing how signals are handled.

By default, a prompt handles Ctrl-C and window resizes through asyncio. That replaces Python's signal wakeup descriptor
and removes it at the end, so the watchdog of a run would miss all later signals.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from prompt_toolkit import Application

T = TypeVar("T")


async def run_prompt(application: "Application[T]", begin: Callable[[], None] = lambda: None) -> T:
    """Run a prompt, and return its result; signals end the run as usual.

    Args:
        application: The prompt.
        begin: Called when the prompt is ready.
    """
    import asyncio

    with _announcements() as keep:

        def prepare() -> None:
            # The prompt installs its resize handler before the next round of the loop; it also polls the size.
            asyncio.get_running_loop().call_soon(keep)
            begin()

        # Without `set_exception_handler=False`, an exception in another task would show its traceback on the terminal.
        return await application.run_async(pre_run=prepare, set_exception_handler=False, handle_sigint=False)


@contextmanager
def _announcements() -> Iterator[Callable[[], None]]:
    """Restore the signal wakeup descriptor at the end; yield a function that restores it earlier."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    descriptor = signal.set_wakeup_fd(-1)

    def restore() -> None:
        signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)

    restore()
    try:
        yield restore
    finally:
        restore()
