"""Checks many files in several child processes, each of which checks a part of them.

The process for a file only depends on the file's index, and the findings do not depend on the process, so the number of
processes only affects the time. If a process ends, its file is reported as not checked, and a new process continues
with the next one.
"""

import os
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Final, NamedTuple, Self

from toolkit.lint.children import Answer
from toolkit.lint.judges import Instructions, Judge
from toolkit.lint.reports import Report
from toolkit.lint.requests import Request

_MANY: Final = 150
"""The number of files from which several processes are faster than one, since each has to import the rules."""
_MOST: Final = 8
_NEIGHBOURS: Final = 16
"""The number of consecutive files for one process: neighbors often import the same files, which it reads once."""


class Checked(NamedTuple):
    """A request and its report."""

    request: Request
    report: Report


def useful_processes(files: int) -> int:
    """Return the best number of processes for a number of files; 0 if this process is faster alone."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST) if files >= _MANY and cores > 1 else 0


class JudgePool:
    """Several judges that check files in parallel.

    It is a context manager: no process is running after the `with` block, even if it ended early.
    """

    def __init__(self, instructions: Instructions, processes: int) -> None:
        """Create the pool, without starting any process."""
        self._checked: SimpleQueue[Checked | BaseException] = SimpleQueue()
        self._members = [_Member(Judge(instructions), self._checked) for _ in range(processes)]
        self._given = 0
        self._returned = 0

    def __enter__(self) -> Self:
        """Start the processes."""
        for member in self._members:
            member.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes."""
        for member in self._members:
            member.stop()
        for member in self._members:
            member.join()

    def give(self, request: Request, answer: Answer | None) -> None:
        """Queue a file to be checked; `answer` is the result of opening it, or None if no code is run."""
        self._members[self._given // _NEIGHBOURS % len(self._members)].give(request, answer)
        self._given += 1

    def finished(self) -> Iterator[Checked]:
        """Yield the reports that are ready now, each once."""
        while (checked := self._next(waits=False)) is not None:
            yield checked

    def rest(self) -> Iterator[Checked]:
        """Yield the remaining reports as soon as they are ready."""
        while self._returned < self._given and (checked := self._next(waits=True)) is not None:
            yield checked

    def _next(self, *, waits: bool) -> Checked | None:
        try:
            checked = self._checked.get(block=waits)
        except Empty:
            return None
        if isinstance(checked, BaseException):
            raise checked
        self._returned += 1
        return checked


class _Member(Thread):
    """The thread that waits for one judge."""

    def __init__(self, judge: Judge, checked: "SimpleQueue[Checked | BaseException]") -> None:
        super().__init__(name="toolkit-lint-judge", daemon=True)
        self._judge = judge
        self._tasks: SimpleQueue[tuple[Request, Answer | None] | None] = SimpleQueue()
        self._checked = checked
        self._is_stopped = False

    def give(self, request: Request, answer: Answer | None) -> None:
        self._tasks.put((request, answer))

    def stop(self) -> None:
        """Check no further file, and abort the current one."""
        self._is_stopped = True
        self._tasks.put(None)
        self._judge.stop()

    def run(self) -> None:
        try:
            with self._judge:
                self._judge.begin()
                while (task := self._tasks.get()) is not None and not self._is_stopped:
                    self._checked.put(Checked(task[0], self._judge.report(*task)))
        except BaseException as error:  # noqa: BLE001 - raised again by `_next`
            self._checked.put(error)
