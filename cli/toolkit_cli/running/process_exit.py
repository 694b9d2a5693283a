"""Ends the process even if threads are still running, and ends the processes that tools have started."""

import os
import sys
import threading
from typing import NoReturn

_CUT_SHORT = {5, 129, 130, 143}
"""Exit codes after a timeout or a signal, when processes that tools have started may still be running."""


def leave_if_threads_remain(exit_code: int) -> None:
    """Exit immediately if threads are running that Python would wait for."""
    if any(map(_is_waited_for, threading.enumerate())):
        leave(exit_code)


def _is_waited_for(thread: threading.Thread) -> bool:
    """Return whether Python waits for a thread at exit; `concurrent.futures` joins all its threads, even daemons."""
    if thread is threading.main_thread():
        return False
    pools = sys.modules.get("concurrent.futures.thread")
    # A pool lists its threads only once they have started; until then, they are recognized by their target.
    is_pooled = getattr(thread, "_target", None) is getattr(pools, "_worker", thread)
    return not thread.daemon or is_pooled or thread in getattr(pools, "_threads_queues", ())


def leave(exit_code: int) -> NoReturn:
    """End this process and the processes that it has started immediately."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    _end_descendants()
    if (observing := sys.modules.get("toolkit_cli.running.telemetry")) is not None:
        observing.close_telemetry()
    os._exit(exit_code)


def end_what_was_started(exit_code: object) -> None:
    """After a timeout or a signal, end the processes that tools have started and not waited for."""
    if exit_code in _CUT_SHORT:
        if (sessions := sys.modules.get("toolkit.mcp.client.sessions")) is not None:  # gives servers time to shut down
            sessions.close_sessions()
        _end_descendants()


def _end_descendants() -> None:
    if os.name == "posix":
        from toolkit.processes.warden import end_descendants  # noqa: PLC0415 - few runs end like this

        end_descendants()
