"""Warm starts: tests start the program as copies of an interpreter that has imported it already.

A start of the program takes a fraction of a second, and thousands of tests start it. What they start is always a process
of its own; with `--proofs` it is also a Python of its own. Other programs, and those that must start from nothing,
always start cold: `subprocess` works as ever.
"""

import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import which
from socket import socket, socketpair
from threading import Lock
from typing import Any, NamedTuple

from tests.warm.requests import LOCALE, MOST_HANDED, NUMBERS_OF_CLONE, Start, locale_of, read_number, send, texts

ROOT = Path(__file__).parents[2]
PROGRAM = str(Path(sys.executable).with_name("toolkit"))
READ_AT_START = ("PYTHON", "TYPER_", "TERMINAL_WIDTH", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS")
"""How variables begin that are read once, when Python starts or something is imported."""
FOLLOWED = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
"""Those of them that a copy follows too."""
PARAMETERS = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]
UNUSUAL = ("executable", "preexec_fn", "shell", "gid", "gids", "uid")
"""What only a cold start can do, where it is asked for."""


WORKER = ["-u", "-c", "import sys;exec(eval(sys.stdin.readline()))"]
"""What stands behind the interpreter where pytest-xdist starts a worker, which starts warm where the interpreter is warm already."""


class Interpreter(NamedTuple):
    """A warm interpreter: a child of this process.

    Attributes:
        pid: Its identity.
        wait: Waits for its end.
    """

    pid: int
    wait: Callable[[], object]


def is_possible() -> bool:
    """Return whether this system can start programs warm."""
    return sys.platform == "linux" and os.uname().machine in NUMBERS_OF_CLONE


_INSTALLED: list["WarmStarts"] = []


def installed() -> "WarmStarts | None":
    """Return what starts programs warm in this process, if anything does."""
    return next(iter(_INSTALLED), None)


class WarmStarts:
    """Starts the program from one warm interpreter, which is itself started for the first of them."""

    def __init__(self, channel: socket | None = None, pid: int = 0) -> None:
        """Start nothing yet; an interpreter that is warm already, a child of this process, is reached over its channel."""
        self._cold_start = subprocess.Popen._execute_child  # type: ignore[attr-defined]
        self._lock = Lock()
        self._is_paused = False
        self._process = os.getpid()
        self._interpreter = Interpreter(pid, partial(os.waitpid, pid, 0)) if channel else None
        self._channel = channel
        self._at_start = _read_at_start(os.environ)
        self._locale = locale_of(os.environ)

    def install(self) -> None:
        """Let `subprocess` start the program warm from now on, in this process."""
        warm = self
        _INSTALLED.append(self)

        def start(process: Any, *arguments: Any) -> None:
            call = PARAMETERS.bind(process, *arguments).arguments
            if (asked := warm._asked(call)) is None:
                warm._cold_start(process, *arguments)
            else:
                process.pid = warm.start(asked)
                process._child_created = True
                process._close_pipe_fds(
                    *(call[f"{name}{end}"] for name in ("p2c", "c2p", "err") for end in ("read", "write"))
                )

        subprocess.Popen._execute_child = start  # type: ignore[attr-defined]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Start everything cold for a while."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def close(self) -> None:
        """Start the program cold again, and end the interpreter."""
        subprocess.Popen._execute_child = self._cold_start  # type: ignore[attr-defined]
        _INSTALLED.remove(self)
        self._forget()

    def can_start(self, words: list[str], environment: Mapping[str, str]) -> bool:
        """Return whether a program in an environment can start warm."""
        is_interruptible = signal.getsignal(signal.SIGINT) != signal.SIG_IGN
        return (
            not self._is_paused
            and self._process == os.getpid()
            and is_interruptible
            and (is_program(words) or (self._channel is not None and words == [sys.executable, *WORKER]))
            and _read_at_start(environment) == self._at_start
            and locale_of(environment) in ({}, self._locale)
        )

    def _asked(self, call: Mapping[str, Any]) -> Start | None:
        """Return what to start warm, or None where that must start cold."""
        environment = texts(os.environ if call["env"] is None else call["env"])
        words = _words(call["args"], environment)
        is_unusual = any(call[name] not in (None, False, (), -1) for name in UNUSUAL) or not call["close_fds"]
        if is_unusual or not self.can_start(words, environment):
            return None
        folder = os.path.abspath(os.fsdecode(call["cwd"] or "."))  # noqa: PTH100 - links stay as they are
        ends = (call["p2cread"], call["c2pwrite"], call["errwrite"])
        streams = tuple(number if end == -1 else end for number, end in enumerate(ends))
        handed = tuple(call["pass_fds"])
        if not os.path.isdir(folder) or not all(map(_is_open, streams)) or len(handed) > MOST_HANDED:  # noqa: PTH112
            return None
        return Start(
            arguments=arguments_of(words),
            environment=environment,
            folder=folder,
            umask=current_umask() if call["umask"] == -1 else call["umask"],
            group=call["process_group"],
            has_session=bool(call["start_new_session"]),
            has_terminal=False,
            handed=handed,
            streams=(*streams, *handed),
        )

    def start(self, asked: Start) -> int:
        """Start a program and return the identity of its process, a child of this one."""
        with self._lock:
            try:
                return self._ask(asked)
            except OSError:
                self._forget()  # a test has killed it, with everything else that was started
                return self._ask(asked)

    def _forget(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._interpreter is not None:
            self._interpreter.wait()

    def _ask(self, asked: Start) -> int:
        channel = self.warm_up()
        send(channel, asked)
        return read_number(channel)

    def warm_up(self) -> socket:
        """Return the channel of the interpreter; unless it has started already, it starts now, and imports the program."""
        if self._channel is not None:
            return self._channel
        self._channel, its = socketpair()
        with its:
            process = subprocess.Popen(
                [sys.executable, "-c", "from tests.warm.interpreter import main; main()", str(its.fileno())],
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
            )
        self._interpreter = Interpreter(process.pid, process.wait)
        return self._channel


def is_program(words: list[str]) -> bool:
    """Return whether a command line is one of those that start warm: the program, its workers, scripts, and their wardens."""
    match words:
        case [sys.executable, "-I", "-S", file, _, _, _, *command] if file.endswith("processes/warden.py"):
            return is_program(command)
        case [sys.executable, "-m", "toolkit_cli", *_]:
            return True
        case [sys.executable, "-P", "-c", code, *_]:
            return "from toolkit.lint." in code
        case [sys.executable, file, *_]:
            return file.endswith(".py")
        case [file, *_]:
            return file == PROGRAM
    return False


def arguments_of(words: list[str]) -> list[str]:
    """Return what stands behind the interpreter on a command line."""
    return words[1:] if words[0] == sys.executable else words


def current_umask() -> int:
    """Return the permissions that new files do not get."""
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _words(arguments: Any, environment: Mapping[str, str]) -> list[str]:
    first, *rest = [
        os.fsdecode(one) for one in ([arguments] if isinstance(arguments, str | bytes | Path) else arguments)
    ]
    return [which(first, path=environment.get("PATH")) or first, *rest]


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(READ_AT_START) and name not in (*FOLLOWED, *LOCALE)
    }


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
