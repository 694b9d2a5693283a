"""A warm interpreter: it has imported the program once, and every command that it is asked for runs in a copy of it.

A copy has its own arguments, environment, folder, streams and session, and ends as Python ends. Its parent is whoever
asked: `clone` makes it a child of the warm interpreter's own parent, which waits for it as for any other child.
"""

import atexit
import ctypes
import fcntl
import gc
import importlib
import io
import os
import pkgutil
import runpy
import signal
import sys
import termios
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from socket import socket, socketpair
from types import ModuleType
from typing import Any, TextIO, cast

from tests.warm.huge_pages import join_pages
from tests.warm.requests import NUMBERS_OF_CLONE, Start, locale_of, receive
from tests.warm.starts import WORKER, WarmStarts, arguments_of, current_umask

CLONE_PARENT = 0x8000
WITH_WORKERS = {"lint", "lock"}
"""The commands that start workers."""
SETTINGS = ("{folder}/toolkit.toml", "{folder}/pyproject.toml", "{XDG_CONFIG_HOME}/toolkit/config.toml")
"""Where servers are named that a command may start."""
ASIDE = 512
"""From which number on no descriptor is open."""
OURS = ("toolkit", "toolkit_cli")
IMPORTED_LATE = (
    *("anyio._backends._asyncio", "mcp.client.stdio", "mcp.server.lowlevel", "pydantic.deprecated.decorator"),
    *("pydantic_ai.direct", "pydantic_ai.models.openai", "questionary", "rich.markdown", "rich.syntax", "rich.table"),
    *("tomllib", "typer._click._textwrap", "typer._click.decorators", "typer.testing", "uvicorn", "yaml"),
)
"""What the program imports only where it needs it."""
_OF_TESTS: list[str] = []
"""The modules that no copy has; looking for them in each would touch the names of all modules."""


def main() -> None:
    """Import everything, and answer requests until nobody is left to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; it is the parent that ends
    channel = socket(fileno=int(sys.argv[1]))
    sys.path.remove("")  # each copy has its own folder
    import_everything()
    if (start := serve(channel)) is not None:
        become(start)


def serve(channel: socket) -> Start | None:
    """Answer requests until nobody asks any more; in a copy, return what it is to become."""
    while (start := receive(channel)) is not None:
        pid = fork_for_parent()
        if pid == 0:
            channel.close()
            return start
        channel.sendall(pid.to_bytes(4))
        for stream in start.streams:
            os.close(stream)
    return None


def import_everything() -> None:
    """Import all of the program from its usual places, and keep its objects out of the copies' garbage collections."""
    for name in names_of_modules():
        _import(name)
    _OF_TESTS.extend(name for name in sys.modules if name.partition(".")[0] == "tests")
    gc.collect()
    gc.freeze()
    join_pages()


def import_from(share: float) -> None:
    """Import all of the program, from another place on than its beginning.

    Args:
        share: Where to begin, as a share of all modules.
    """
    names = names_of_modules()
    first = round(len(names) * share)
    for name in [*names[first:], *names[:first]]:
        _import(name)


def names_of_modules() -> list[str]:
    """Return the modules of the program, and those that it imports late."""
    packages = map(importlib.import_module, OURS)
    ours = [module.name for one in packages for module in pkgutil.walk_packages(one.__path__, f"{one.__name__}.")]
    return [*(name for name in ours if not name.endswith("__main__")), *IMPORTED_LATE]


def _import(name: str) -> None:
    with suppress(ImportError):  # an extra that is not installed
        importlib.import_module(name)


def fork_for_parent() -> int:
    """Fork as `os.fork` does, except that the copy is a child of this process's parent."""
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = ctypes.PyDLL(None).syscall(NUMBERS_OF_CLONE[os.uname().machine], CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return pid


def become(start: Start) -> None:
    """Turn this copy into the process that was asked for, and end as it ends."""
    leave = os._exit  # what runs may replace it
    if start.arguments == WORKER:
        if (child := _keep_for_children(start)) is not start:
            become(child)
    elif WITH_WORKERS & {*start.arguments} or _names_servers(start):
        start = _keep_for_children(start)
    for name in _OF_TESTS if start.arguments != WORKER else ():
        sys.modules.pop(name, None)
    _take_surroundings(start)
    _take_streams(start)
    try:
        _run(start.arguments)
        status = 0
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(status)  # Python reports it at its end
    leave(status & 0xFF)  # taking the imported modules apart is what takes time


def _names_servers(start: Start) -> bool:
    """Return whether a program can know of servers that it starts itself: from its arguments, or from a file."""
    places = defaultdict(str, start.environment, folder=start.folder)
    files = (Path(file.format_map(places)) for file in SETTINGS)
    named = any(b"mcp" in file.read_bytes() for file in files if file.is_file())
    return named or any("mcp" in argument for argument in start.arguments)


def _keep_for_children(start: Start) -> Start:
    """Keep a copy of this copy, whose own copies are the children that this one will start; return what each becomes."""
    ours, its = socketpair()
    if pid := os.fork():
        its.close()
        WarmStarts(ours, pid).install()
        return start
    ours.close()
    for stream in start.streams:
        os.close(stream)
    child = serve(its)
    if child is None:
        os._exit(0)
    return child


def _replace(_: str, words: list[str]) -> None:
    """Replace the program that runs here by another, as `os.execvp` does: what a warden calls where it starts its command."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)  # as Python does
    os.closerange(3, ASIDE)
    streams = (os.dup(0), os.dup(1), os.dup(2))
    surroundings = (dict(os.environ), os.getcwd(), current_umask())  # noqa: PTH109 - as it is handed on
    start = Start(
        arguments_of(words), *surroundings, -1, has_session=False, has_terminal=False, handed=(), streams=streams
    )
    try:
        become(start)
    except SystemExit as end:
        sys.stderr.write(f"{end.code}\n")
        os._exit(1)
    except BaseException as error:  # noqa: BLE001 - nobody else would report it
        sys.excepthook(*sys.exc_info())
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(1)


def _take_surroundings(start: Start) -> None:
    if start.has_session:
        os.setsid()
    if start.group != -1:
        os.setpgid(0, start.group)
    os.chdir(start.folder)
    os.umask(start.umask)
    os.environ.clear()
    os.environ.update(start.environment)
    if not locale_of(start.environment):
        os.environ["LC_CTYPE"] = "C.UTF-8"  # as Python does
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _take_streams(start: Start) -> None:
    """Make the standard streams as Python makes them when it starts."""
    _number(start.streams, (0, 1, 2, *start.handed))
    if start.has_terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin = sys.__stdin__ = _stream(0, "r", sys.stdin)  # type: ignore[misc, assignment]
    sys.stdout = sys.__stdout__ = _stream(1, "w", sys.stdout)  # type: ignore[misc, assignment]
    sys.stderr = sys.__stderr__ = _stream(2, "w", sys.stderr, is_by_line=True)  # type: ignore[misc, assignment]


def _number(descriptors: tuple[int, ...], numbers: tuple[int, ...]) -> None:
    """Give descriptors their numbers, which may be those of others among them."""
    aside = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, ASIDE) for one in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for descriptor, number in zip(aside, numbers, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _stream(number: int, mode: str, old: TextIO, *, is_by_line: bool = False) -> TextIO:
    is_buffered = not os.environ.get("PYTHONUNBUFFERED")
    binary: Any = open(number, f"{mode}b", -1 if is_buffered or mode == "r" else 0, closefd=False)  # noqa: SIM115 - it stays open to the end
    getattr(binary, "raw", binary).name = old.name
    stream: Any = io.TextIOWrapper(
        binary,
        encoding=old.encoding,
        errors=_errors_of(number, old),
        newline="\n",
        line_buffering=is_buffered and (is_by_line or binary.isatty()),
        write_through=not is_buffered,
    )
    stream.mode = mode
    return cast("TextIO", stream)


def _errors_of(number: int, old: TextIO) -> str | None:
    """Return what becomes of text that cannot be written, which in Python's own choice of a locale is kept."""
    is_chosen = os.environ.get("LC_CTYPE") == "C.UTF-8" and number < 2
    return "surrogateescape" if is_chosen else old.errors


def _run(arguments: list[str]) -> None:
    """Run what stands on Python's command line after its own name."""
    sys.orig_argv[1:] = arguments
    match arguments:
        case ["-m", name, *rest]:
            sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as Python writes it
            sys.argv[:] = ["-m", *rest]
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        case ["-P" | "-u", "-c", code, *rest]:
            sys.argv[:] = ["-c", *rest]
            module = sys.modules["__main__"] = ModuleType("__main__")
            exec(code, vars(module))  # noqa: S102 - as Python does it
        case ["-I", "-S", file, *rest]:
            os.execvp = _replace  # type: ignore[assignment]
            sys.argv[:] = [file, *rest]
            runpy.run_path(file, run_name="__main__")
        case [file, *rest]:
            sys.path.insert(0, os.path.dirname(os.path.abspath(file)))  # noqa: PTH100, PTH120 - as Python writes it
            sys.argv[:] = [file, *rest]
            runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":
    main()
