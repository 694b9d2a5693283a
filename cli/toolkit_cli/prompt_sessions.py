"""Prompt sessions: a prompt on the terminal that leaves signals to the run.

A prompt of its own accord would handle Ctrl-C and changes of the window's size through asyncio. That redirects where
Python announces signals, and removes it in the end, so the watchdog of a run would miss every signal from then on.
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
    """Return what a prompt ends with. A signal ends the run as at any other moment.

    Args:
        application: The prompt.
        begin: Called once the prompt can be used.
    """
    import asyncio

    with _announcements() as keep:

        def prepare() -> None:
            # By the next round of the loop the prompt handles changes of size; it looks at the size by itself, too.
            asyncio.get_running_loop().call_soon(keep)
            begin()

        # Without the second, an exception of some other task would take the terminal over to show its traceback.
        return await application.run_async(pre_run=prepare, set_exception_handler=False, handle_sigint=False)


@contextmanager
def _announcements() -> Iterator[Callable[[], None]]:
    """Keep where Python announces signals; give what restores it at once."""
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
