"""The parent's side of a child process that opens or reads users' files."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition, Thread
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from toolkit.errors import ConfigurationError
from toolkit.leftovers import temporary
from toolkit.lint.engine.requests import Limits
from toolkit.lint.engine.worker_processes import Work, start_process

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder that exists only within this block.

    Raises:
        ConfigurationError: If it cannot be created.
    """
    try:
        made = TemporaryDirectory(prefix="toolkit-lint-")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot create a temporary folder: {reason}; set TMPDIR to a folder that can be written"
        raise ConfigurationError(message) from error
    with made as name, temporary(Path(name)):
        yield Path(name)


class Ending(NamedTuple):
    """How a child process ended.

    Attributes:
        status: The exit status; if negative, the signal that killed it.
        trace: The traceback that Python wrote, if it could.
        is_late: Whether it was ended by its timeout.
    """

    status: int
    trace: str
    is_late: bool


class _Deadline:
    """Calls a function if a deadline passes. A thread waits for it, and the next deadlines are the same thread's."""

    def __init__(self, miss: Callable[[], None]) -> None:
        self._miss = miss
        self._at = self._wakes_at = inf
        self._changed = Condition()
        self._thread: Thread | None = None

    def set(self, seconds: float) -> None:
        """Start a deadline, in seconds from now."""
        with self._changed:
            self._at = monotonic() + seconds
            if self._at < self._wakes_at:
                self._changed.notify()
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="toolkit-lint-deadline", daemon=True)
            self._thread.start()

    def clear(self) -> None:
        """End the deadline. The thread notices when it wakes up."""
        self._at = inf

    def close(self) -> None:
        """End the deadline and the thread."""
        with self._changed:
            self._at = -inf
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while self._at > (now := monotonic()):
                self._wakes_at = self._at
                self._changed.wait(None if self._wakes_at == inf else self._wakes_at - now)
        if self._at != -inf:
            self._miss()


class Worker:
    """A child process; `close` also ends everything that it has started."""

    def __init__(
        self,
        setup: Mapping[str, Any],
        limits: Limits,
        crash_file: Path,
        work: Work = "lint.engine.collecting",
        interpreter: "Interpreter | None" = None,
    ) -> None:
        """Start the process.

        Args:
            setup: The setup that it reads first.
            limits: Time and memory that a single request may use.
            crash_file: The file for its traceback.
            work: The work of the process.
            interpreter: The Python to run; by default, the current one.
        """
        crash_file.write_bytes(b"")
        self._crash_file = crash_file
        self._limits = limits
        self._is_overdue = False
        self._deadline = _Deadline(self._end_overdue)
        self._mark = os.urandom(8).hex()  # precedes each answer; other output does not have it
        self._process = start_process(work, interpreter)
        self._send({**setup, **limits._asdict(), "crash_file": str(crash_file), "mark": self._mark})

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any] | Ending:
        """Return the child's answer to a request, or how the child ended; its `seconds` replace the usual limit."""
        self._deadline.set(request.get("seconds", self._limits.seconds) + self._limits.grace)
        try:
            self._send(request)
            answer = self._read_answer()
        finally:
            self._deadline.clear()
        if answer is None:
            status = self._wait()
            trace = self._crash_file.read_text("utf-8", errors="replace")
            return Ending(status, trace, self._is_overdue or trace.startswith("Timeout"))
        return answer

    def close(self) -> None:
        """End the process and everything that it has started."""
        self._deadline.close()
        self.kill()
        with self._process:
            pass  # closes the channel and waits for the end

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; reading its answer reports that

    def _read_answer(self) -> dict[str, Any] | None:
        """Return the next answer, ignoring what a file has written to the channel; None if there is none."""
        for line in self._process.stdout or ():
            _, mark, answer = line.rpartition(self._mark)
            if not mark:
                continue
            try:
                found = json.loads(answer)
            except ValueError:
                return None
            return found if isinstance(found, dict) else None
        return None

    def _wait(self) -> int:
        try:
            return self._process.wait(self._limits.grace)
        except subprocess.TimeoutExpired:  # a file closed the channel, but the process still runs
            self._end_overdue()
            return self._process.wait()

    def kill(self) -> None:
        """Kill the process and everything that it has started."""
        if not hasattr(os, "killpg"):
            self._process.kill()
            return
        with suppress(OSError):  # it has already ended
            os.killpg(self._process.pid, signal.SIGKILL)

    def _end_overdue(self) -> None:
        self._is_overdue = True
        self.kill()


class RenewedWorker:
    """A child process that starts with the first request, and is replaced after one that ended it.

    It is a context manager; the process ends with the `with` block.
    """

    def __init__(
        self, setup: Mapping[str, Any], limits: Limits, work: Work, interpreter: "Interpreter | None" = None
    ) -> None:
        """Prepare the process, without starting it; see `Worker`."""
        self._setup, self._work, self._interpreter = setup, work, interpreter
        self._folder = ExitStack()
        self._crash_file: Path | None = None
        self._worker: Worker | None = None
        self.limits = limits
        self.is_stopped = False

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process and everything that it has started."""
        self.close()
        self._folder.close()

    @property
    def is_running(self) -> bool:
        """Whether the process has started, and has not been closed."""
        return self._worker is not None

    def start(self) -> Worker:
        """Start the process, unless it is running."""
        if self._crash_file is None:
            self._crash_file = self._folder.enter_context(temporary_folder()) / "last_words.txt"
        if self._worker is None:
            self._worker = Worker(self._setup, self.limits, self._crash_file, self._work, self._interpreter)
        return self._worker

    def request(self, request: Mapping[str, Any]) -> dict[str, Any] | Ending:
        """Return the child's answer to a request, or how the child ended."""
        answer = self.start().ask(request)
        if isinstance(answer, Ending):
            self.close()
        return answer

    def stop(self) -> None:
        """Kill the process from another thread, which ends the current request; no other one should follow."""
        self.is_stopped = True
        if (worker := self._worker) is not None:
            worker.kill()

    def close(self) -> None:
        """End the process; the next request starts another."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
