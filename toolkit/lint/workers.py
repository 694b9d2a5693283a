"""Workers: the parent's side of a child process that opens or reads users' files."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.lint.limits import Limits
from toolkit.lint.worker_processes import Work, start_process

if TYPE_CHECKING:
    from toolkit.lint.interpreters import Interpreter


class Ending(NamedTuple):
    """How a child came to its end.

    Attributes:
        status: The exit status; below zero, the signal that killed it.
        trace: What Python could still say about where it was.
        is_late: Whether it was ended because its time was over.
    """

    status: int
    trace: str
    is_late: bool


class Worker:
    """One child process; `close` ends all of it."""

    def __init__(
        self,
        setup: Mapping[str, Any],
        limits: Limits,
        crash_file: Path,
        work: Work = "collecting",
        interpreter: "Interpreter | None" = None,
    ) -> None:
        """Start the process.

        Args:
            setup: What it needs to know first.
            limits: What one request may take.
            crash_file: Where it writes its last words.
            work: What it does.
            interpreter: The Python that it is a process of; this one unless given.
        """
        crash_file.write_bytes(b"")
        self._crash_file = crash_file
        self._limits = limits
        self._is_overdue = False
        self._mark = os.urandom(8).hex()  # what stands before an answer, and in nothing else that a file may write
        self._process = start_process(work, interpreter)
        self._send({**setup, **limits._asdict(), "crash_file": str(crash_file), "mark": self._mark})

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any] | Ending:
        """Return the child's answer to a request, or how it came to its end over it."""
        deadline = Timer(self._limits.seconds + self._limits.grace, self._end_overdue)
        deadline.start()
        try:
            self._send(request)
            answer = self._read_answer()
        finally:
            deadline.cancel()
        if answer is None:
            status = self._wait()
            trace = self._crash_file.read_text("utf-8", errors="replace")
            return Ending(status, trace, self._is_overdue or trace.startswith("Timeout"))
        return answer

    def close(self) -> None:
        """End the process and what it has started."""
        self.kill()
        with self._process:
            pass  # its channel is closed, and its end is waited for

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has come to its end; reading its answer shows it

    def _read_answer(self) -> dict[str, Any] | None:
        """Return the next answer, past whatever a file has put into the channel; None where there is none to come."""
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
        except subprocess.TimeoutExpired:  # a file closed the channel, and the process lives on
            self._end_overdue()
            return self._process.wait()

    def kill(self) -> None:
        """Kill the process and what it has started."""
        if not hasattr(os, "killpg"):
            self._process.kill()
            return
        with suppress(OSError):  # there is nothing left of it
            os.killpg(self._process.pid, signal.SIGKILL)

    def _end_overdue(self) -> None:
        self._is_overdue = True
        self.kill()
