"""Idle threads: plain functions run in daemon threads, and a thread that has finished one waits for the next.

No call waits for another: when no thread is idle, a new one starts. Waking a thread takes half the processor time of
starting one.
"""

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread

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
    inbox: SimpleQueue[Work] = SimpleQueue()
    work()
    while len(_idle) < _MOST_IDLE:
        _idle.append(inbox)
        inbox.get()()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child process has none of these threads
