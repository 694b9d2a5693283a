"""The warden: a program of its own that starts one command, and ends everything that the command started.

    python -I -S warden.py REPORT CONTROL LOCALE COMMAND [ARGUMENT...]

It stands between us and the command, so that nothing outlives either of us. On Linux it adopts orphaned processes
beneath it, also one that moved to a session of its own; so everything that was started stays in its tree. It ends
the tree when the command has ended, when `CONTROL` is closed, and so also when we die in any way: the system
closes what we held open. It writes to `REPORT`, a line each, which process is to be the command (`started PID`), that
it is now (`running PID`) or why it cannot be (`error ERRNO`), and how it ended (`exit STATUS`). `LOCALE` is the
command's `LC_CTYPE`, if it has one.

It imports nothing of the library, and little else, since every command waits for its start.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

PATIENCE = 5.0
"""Seconds after which what cannot be ended is left, such as a process of another user."""

_PR_SET_PDEATHSIG = 1  # a signal for this process when its parent dies
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
    """Run the command that the arguments name to its end, and its tree to nothing."""
    report, control, locale, command = int(arguments[0]), int(arguments[1]), arguments[2], arguments[3:]
    _give_back(locale)
    os.set_inheritable(report, False)
    os.set_inheritable(control, False)
    set_option = _option_setter()
    set_option(_PR_SET_CHILD_SUBREAPER, 1)
    set_option(_PR_SET_PDEATHSIG, signal.SIGCONT)  # somebody may have stopped us
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    woken = _notice_children()
    failure, failed = os.pipe()
    child = os.fork()
    if child == 0:
        _become(command, failed, set_option)
    os.close(failed)
    _tell(report, f"started {child}")
    _tell(report, f"error {reason}" if (reason := os.read(failure, 16).decode()) else f"running {child}")
    _let_go_of_streams()
    status = _watch(child, control, woken)
    _end_all(woken)
    if status is not None:
        _tell(report, f"exit {status}")


def _give_back(locale: str) -> None:
    """Set `LC_CTYPE` to what it was: where the locale is C, Python has just set another one."""
    if locale:
        os.environ["LC_CTYPE"] = locale
    else:
        os.environ.pop("LC_CTYPE", None)


def _option_setter() -> Callable[[int, int], object]:
    """Return what sets an option of this process, where there are such options."""
    if not sys.platform.startswith("linux"):
        return lambda *_: None
    from ctypes import CDLL  # noqa: PLC0415 - Linux alone has them

    set_option: Callable[[int, int], object] = CDLL(None).prctl
    return set_option


def _notice_children() -> int:
    """Return what can be read from as soon as a child has ended."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    return woken


def _become(command: list[str], failed: int, set_option: Callable[[int, int], object]) -> None:
    """Become the command, in a session of its own, which has no terminal; it dies if the warden does."""
    try:
        os.setsid()
        set_option(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (*_IGNORED, *_IGNORED_BY_PYTHON, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)  # noqa: S606 - no shell is the point
    except OSError as error:
        os.write(failed, str(error.errno).encode())
    finally:
        os._exit(127)


def _let_go_of_streams() -> None:
    """Close the command's streams here, so that they end with the command."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _watch(child: int, control: int, woken: int) -> int | None:
    """Return the status of the command, negative for a signal, or `None` if it is to be ended."""
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
    """Wait until files can be read or have ended, and return which; unlike `select`, whatever their numbers are."""
    waiting = select.poll()
    for number in numbers:
        waiting.register(number, select.POLLIN)
    return [number for number, _ in waiting.poll(milliseconds)]


def _reap() -> dict[int, int]:
    """Take note of every child that has ended."""
    ended = {}
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = found[1]
    except ChildProcessError:
        ended[0] = 0  # there is none any more
    return ended


def _end_all(woken: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while 0 not in _reap() and time.monotonic() < deadline:
        for process in _held():
            _send(process, signal.SIGKILL)
        if _readable(woken, milliseconds=10):
            os.read(woken, 4096)


def end_descendants() -> None:
    """End everything that this process, which is not a warden, has started, and everything that they have started."""
    deadline = time.monotonic() + PATIENCE
    while (held := _held()) and time.monotonic() < deadline:
        for process in held:
            _send(process, signal.SIGKILL)
        time.sleep(0.01)


def _held() -> list[int]:
    """Return the processes of the tree, all of them stopped, so that none can start another or be replaced by one."""
    held: list[int] = []
    while new := [process for process in _descendants() if process not in held]:
        for process in new:
            _send(process, signal.SIGSTOP)
        held += new
    return held


def _send(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for process, parent in _processes():
        children.setdefault(parent, []).append(process)
    found = list(children.get(os.getpid(), ()))
    for process in found:  # it grows while it is walked
        found += children.get(process, ())
    return found


def _processes() -> list[tuple[int, int]]:
    """Return every process of the machine that lives, with its parent."""
    return _listed_by_the_system() if os.path.isdir("/proc/self") else _listed_by_ps()  # noqa: PTH112 - pathlib is slow


def _listed_by_the_system() -> list[tuple[int, int]]:
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
    from subprocess import run  # noqa: PLC0415 - only where there is no /proc

    listed = run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=False).stdout  # noqa: S607
    rows = (line.split() for line in listed.splitlines())
    return [(int(process), int(parent)) for process, parent, state in rows if not state.startswith("Z")]


def _tell(report: int, message: str) -> None:
    with suppress(OSError):  # nobody may be left to receive it
        os.write(report, f"{message}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
