"""Judge pools: many files are read and checked in several child processes, each of which checks a part of them.

Which process checks a file depends on the position of the file alone, and what is found in it does not depend on the
process: the number of processes changes nothing but the time. A process that ends loses no file either: it is reported
that the file was not checked, and the next one is checked in a new process.
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
"""From how many files on several processes are quicker than this one alone: each imports the rules first."""
_MOST: Final = 8
_NEIGHBOURS: Final = 16
"""How many files in a row one process checks: it reads a file once that several of them import."""


class Checked(NamedTuple):
    """A request, and what was found."""

    request: Request
    report: Report


def useful_processes(files: int) -> int:
    """Return how many processes check so many files the soonest; none where this one is quicker alone."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST) if files >= _MANY and cores > 1 else 0


class JudgePool:
    """Several judges, which check files at the same time.

    It is a context manager: when it is left, however early, nothing of the processes runs on.
    """

    def __init__(self, instructions: Instructions, processes: int) -> None:
        """Start nothing yet."""
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
        """Have a file checked; `answer` is what opening it gave, and None where nothing is run."""
        self._members[self._given // _NEIGHBOURS % len(self._members)].give(request, answer)
        self._given += 1

    def finished(self) -> Iterator[Checked]:
        """Yield what has been checked by now, each file once."""
        while (checked := self._next(waits=False)) is not None:
            yield checked

    def rest(self) -> Iterator[Checked]:
        """Yield what was given and not returned yet, as soon as it is checked."""
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
        """Check no further file, and not the one at hand to its end."""
        self._is_stopped = True
        self._tasks.put(None)
        self._judge.stop()

    def run(self) -> None:
        try:
            with self._judge:
                self._judge.begin()
                while (task := self._tasks.get()) is not None and not self._is_stopped:
                    self._checked.put(Checked(task[0], self._judge.report(*task)))
        except BaseException as error:  # noqa: BLE001 - it is raised again, where the reports are awaited
            self._checked.put(error)
