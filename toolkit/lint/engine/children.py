"""Opens files in a child process, which is replaced after a file that ended it or may affect the next one."""

import os
import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint.engine.records import configuration_record
from toolkit.lint.engine.requests import Limits, Request
from toolkit.lint.engine.workers import Ending, Worker, temporary_folder
from toolkit.problems import Location, Problem, problem_record
from toolkit.settings.configuration import Configuration
from toolkit.source_code.module_files import is_installed
from toolkit.tools.calls.results import is_own_code

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter


_CRASHES = {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"}
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)


def problem_of(ending: Ending, target: str, limits: Limits) -> Problem:
    """Return the problem of a file that ended the process, with the location in the user's code."""
    place = place_of_ending(ending) or Location(target)
    name = Path(target).name
    if ending.is_late:
        message = f"'{name}' did not finish: importing it took longer than {limits.seconds:g} s"
        return Problem(DOES_NOT_IMPORT, message, place, hint=_GUARD)
    message, hint = describe_status(ending.status)
    return Problem(DOES_NOT_IMPORT, f"'{name}' {message} while it was opened", place, hint=hint)


_GUARD = "move what a script does under `if __name__ == '__main__':`"


def describe_status(status: int) -> tuple[str, str]:
    if status >= 0:
        return f"ended the process with exit status {status}", _GUARD
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    if name in _CRASHES:
        return f"crashed Python ({name})", "a compiled extension module crashed; remove imports to find out which"
    memory = "; the system also does that when memory runs out" if name == "SIGKILL" else ""
    return f"was killed ({name})", f"look for what sends this signal{memory}"


def place_of_ending(ending: Ending) -> Location | None:
    """Return the innermost place in the user's code: of the thread that crashed, or of the first one on a timeout."""
    threads = re.split(r"^(?:Current thread|Thread|Stack) ", ending.trace, flags=re.MULTILINE)[1:]
    own = [place for thread in threads if (place := _innermost(thread))]
    return own[-1 if ending.is_late else 0] if own else None


def _innermost(thread: str) -> Location | None:
    for file, line in _FRAME.findall(thread):
        if not is_installed(file) and is_own_code(file):
            return Location(file, int(line))
    return None


Answer = dict[str, Any] | Problem
"""A child's answer to a request, or the problem that ended the child."""


class Answers:
    """The answers to requests, in order; while one is processed, the child works on the next.

    It is a context manager: nothing of the child is running after the `with` block, even if it ended early.
    """

    def __init__(
        self,
        configuration: Configuration,
        limits: Limits,
        *,
        keeps_trail: bool,
        interpreter: "Interpreter | None" = None,
    ) -> None:
        """Prepare a child, without starting it.

        Args:
            configuration: The settings of the project.
            limits: Time and memory that a single request may use.
            keeps_trail: Whether answers list the files that they depend on.
            interpreter: The Python that opens the files; by default, the current one.
        """
        self._queue: SimpleQueue[Answer | BaseException] = SimpleQueue()
        self._folder = temporary_folder()
        crash_file = self._folder.__enter__() / "last_words.txt"
        self._child = _Child(configuration, limits, crash_file, interpreter, keeps_trail=keeps_trail)
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def begin(self) -> None:
        """Start the child early, so that it is ready when the requests are known."""
        self._child.begin()

    def ask(self, requests: Sequence[Request]) -> None:
        """Start a thread that requests all answers, if there are any requests; call it only once."""
        if requests:
            self._thread = Thread(target=self._work, args=(requests,), name="toolkit-lint", daemon=True)
            self._thread.start()

    def next(self) -> Answer:
        """Wait for the next answer."""
        answer = self._queue.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the child."""
        self._child.stop()
        if self._thread is None:
            self._child.close()
        else:
            self._thread.join()
        self._folder.__exit__(None, None, None)

    def _work(self, requests: Sequence[Request]) -> None:
        try:
            with suppress(_Stopped):
                for request in requests:
                    self._queue.put(self._child.open(request))
        except BaseException as error:  # noqa: BLE001 - raised again by `next`
            self._queue.put(error)
        finally:
            self._child.close()


def _question_of(request: Request) -> dict[str, str]:
    """Return a request in the form that the child reads; Python files are accepted before the child opens them."""
    accepted = request.file if request.kind == "python" else None
    return {"target": request.target, "base": request.base, "accepted": accepted or ""}


class _Stopped(Exception):  # it never leaves this module
    """Raised when answers are no longer needed."""


class _Child:
    """Answers requests one after another in a child process."""

    def __init__(
        self,
        configuration: Configuration,
        limits: Limits,
        crash_file: Path,
        interpreter: "Interpreter | None",
        *,
        keeps_trail: bool,
    ) -> None:
        self._setup = {"configuration": configuration_record(configuration), "keeps_trail": keeps_trail}
        self._limits = limits
        self._crash_file = crash_file
        self._interpreter = interpreter
        self._worker: Worker | None = None
        self._name = ""
        self._has_answered = False
        self._is_stopped = False
        self._refused: dict[str, dict[str, Any]] = {}

    def begin(self) -> None:
        """Start the process, if it is not running."""
        if self._worker is None:
            setup = {**self._setup, "refused": self._refused}
            self._worker = Worker(setup, self._limits, self._crash_file, interpreter=self._interpreter)
            self._name = os.urandom(8).hex()
            self._has_answered = False

    def open(self, request: Request) -> Answer:
        """Return the child's answer, or the problem that ended the child during the request."""
        self.begin()
        is_fresh = not self._has_answered
        answer = self._ask(request)
        if isinstance(answer, Ending) and not (is_fresh or answer.is_late):
            answer = self._ask(request)  # an earlier file may be the cause
        if not isinstance(answer, Ending):
            return answer
        problem = problem_of(answer, request.target, self._limits)
        if request.file is not None:
            self._refused[request.file] = problem_record(problem)
        return problem

    def stop(self) -> None:
        """End the process and do not start another one; another thread may be waiting for it."""
        self._is_stopped = True
        if (worker := self._worker) is not None:
            worker.kill()

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _ask(self, request: Request) -> dict[str, Any] | Ending:
        self.begin()
        worker = self._worker
        if self._is_stopped or worker is None:
            raise _Stopped
        answer = worker.ask(_question_of(request))
        if isinstance(answer, Ending):
            self.close()
        else:
            self._has_answered = True
            answer["child"] = self._name
            if answer["leaves_threads"]:
                self.close()
        return answer
