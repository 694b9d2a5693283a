"""Idle threads: plain functions run in daemon threads, and a thread that has finished one waits for the next.

No call waits for another: when no thread is idle, a new one starts. Waking a thread takes less than half the processor
time of starting one.
"""

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

Work = Callable[[], object]

_MOST_IDLE = 16
"""Maximum number of idle threads; any further one ends with its work."""

_idle: "list[SimpleQueue[Work]]" = []


def run_in_idle_thread(work: Work) -> None:
    """Start a function in a daemon thread that runs nothing else; the function must not raise."""
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = SimpleQueue()
        Thread(target=_run, args=(inbox,), name="toolkit call", daemon=True).start()
    inbox.put(work)


def _run(inbox: "SimpleQueue[Work]") -> None:
    while True:
        inbox.get()()
        if len(_idle) >= _MOST_IDLE:
            return
        _idle.append(inbox)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child process has none of these threads
