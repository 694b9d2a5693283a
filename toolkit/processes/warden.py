"""The warden: a separate program that starts one command, and kills every process that the command started.

    python -I -S warden.py REPORT CONTROL LOCALE COMMAND [ARGUMENT...]

The warden runs between toolkit and the command, so that no process outlives either of them. On Linux it adopts
orphaned descendants, even those that moved to another session, so every process stays in its tree. It kills the tree
when the command has ended and when `CONTROL` is closed. If toolkit dies, the system closes `CONTROL`.

These lines are written to `REPORT`: `started PID` by the process that will become the command, before it does so, since
the command may kill the warden at once; then, by the warden, `running PID` (the command has started) or `error ERRNO`
(it cannot be started), and `exit STATUS` (how it ended). `LOCALE` is the command's `LC_CTYPE`; it is empty if the
command has none.

The warden imports nothing from the library, and little else, because every command waits for it to start.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

PATIENCE = 5.0
"""Seconds after which the warden gives up on processes that it cannot kill, such as those of another user."""

_PR_SET_PDEATHSIG = 1  # the signal that this process receives when its parent dies
_PR_SET_CHILD_SUBREAPER = 36
_IGNORED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def main(arguments: list[str]) -> None:
    """Run the command given by the arguments, then kill what is left of its process tree."""
    report, control, locale, command = int(arguments[0]), int(arguments[1]), arguments[2], arguments[3:]
    _restore_locale(locale)
    os.set_inheritable(report, False)
    os.set_inheritable(control, False)
    set_option = _option_setter()
    set_option(_PR_SET_CHILD_SUBREAPER, 1)
    set_option(_PR_SET_PDEATHSIG, signal.SIGCONT)  # the command may have stopped us
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    woken = _notice_children()
    failure, failed = os.pipe()
    child = os.fork()
    if child == 0:
        _become(command, report, failed, set_option)
    os.close(failed)
    _report(report, f"error {reason}" if (reason := os.read(failure, 16).decode()) else f"running {child}")
    _close_streams()
    status = _watch(child, control, woken)
    _end_all(woken)
    if status is not None:
        _report(report, f"exit {status}")


def _restore_locale(locale: str) -> None:
    """Restore `LC_CTYPE`: Python has changed it if the locale is C."""
    if locale:
        os.environ["LC_CTYPE"] = locale
    else:
        os.environ.pop("LC_CTYPE", None)


def _option_setter() -> Callable[[int, int], object]:
    """Return `prctl` on Linux, and a function that does nothing elsewhere."""
    if not sys.platform.startswith("linux"):
        return lambda *_: None
    from ctypes import CDLL  # only Linux has prctl

    set_option: Callable[[int, int], object] = CDLL(None).prctl
    return set_option


def _notice_children() -> int:
    """Return a file descriptor that becomes readable when a child has ended."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    return woken


def _become(command: list[str], report: int, failed: int, set_option: Callable[[int, int], object]) -> None:
    """Become the command, in a new session without a terminal; on Linux it dies with the warden."""
    try:
        os.setsid()
        set_option(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (*_IGNORED, *_IGNORED_BY_PYTHON, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        _report(report, f"started {os.getpid()}")  # a command of which nobody would know does not start
        os.execvp(command[0], command)  # noqa: S606 - deliberately without a shell
    except OSError as error:
        os.write(failed, str(error.errno).encode())
    finally:
        os._exit(127)


def _close_streams() -> None:
    """Close the command's streams in the warden, so that they end when the command ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _watch(child: int, control: int, woken: int) -> int | None:
    """Return the exit status of the command, negative for a signal, or `None` if it has to be killed."""
    while True:
        ready = _readable(control, woken)
        if woken in ready:
            os.read(woken, 4096)
            ended = _reap()
            if child in ended:
                return os.waitstatus_to_exitcode(ended[child])
        if control in ready:
            return None


def _readable(*numbers: int, milliseconds: int | None = None) -> list[int]:
    """Wait until some of these file descriptors are readable or closed, and return them.

    Unlike `select`, this works for descriptors of any number.
    """
    waiting = select.poll()
    for number in numbers:
        waiting.register(number, select.POLLIN)
    return [number for number, _ in waiting.poll(milliseconds)]


def _reap() -> dict[int, int]:
    """Return the wait status of every child that has ended, by process ID; the key 0 means that no child is left."""
    ended = {}
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = found[1]
    except ChildProcessError:
        ended[0] = 0
    return ended


def _end_all(woken: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while 0 not in _reap() and time.monotonic() < deadline:
        for process in _stop_descendants():
            _send(process, signal.SIGKILL)
        if _readable(woken, milliseconds=10):
            os.read(woken, 4096)


def end_descendants() -> None:
    """Kill all descendants of this process, which need not be a warden."""
    deadline = time.monotonic() + PATIENCE
    while (stopped := _stop_descendants()) and time.monotonic() < deadline:
        for process in stopped:
            _send(process, signal.SIGKILL)
        time.sleep(0.01)


def _stop_descendants() -> list[int]:
    """Stop all descendants, so that they cannot start processes and their process IDs cannot be reused; return them."""
    stopped: list[int] = []
    while new := [process for process in _descendants() if process not in stopped]:
        for process in new:
            _send(process, signal.SIGSTOP)
        stopped += new
    return stopped


def _send(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for process, parent in _processes():
        children.setdefault(parent, []).append(process)
    found = list(children.get(os.getpid(), ()))
    for process in found:  # the list grows during the loop
        found += children.get(process, ())
    return found


def _processes() -> list[tuple[int, int]]:
    """Return the process IDs of every live process on the machine and of its parent."""
    return _listed_by_proc() if os.path.isdir("/proc/self") else _listed_by_ps()  # noqa: PTH112 - pathlib is slow


def _listed_by_proc() -> list[tuple[int, int]]:
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - as above
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - as above
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state not in {b"Z", b"X"}:
                found.append((int(name), int(parent)))
    return found


def _listed_by_ps() -> list[tuple[int, int]]:
    from subprocess import run  # only where there is no /proc

    listed = run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=False).stdout  # noqa: S607
    rows = (line.split() for line in listed.splitlines())
    return [(int(process), int(parent)) for process, parent, state in rows if not state.startswith("Z")]


def _report(report: int, message: str) -> None:
    with suppress(OSError):  # the reader may be gone
        os.write(report, f"{message}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
