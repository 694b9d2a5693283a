"""Runs the rules on files: on small ones in this process, on large ones in a child process with a timeout.

Several such processes check a large number of files in parallel.
"""

import os
import re
import signal
import stat
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint.engine.children import Answer
from toolkit.lint.engine.file_checks import FileChecker, KnownTree, without_sources
from toolkit.lint.engine.reports import Report, read_definition, read_report
from toolkit.lint.engine.requests import Limits, Request
from toolkit.lint.engine.workers import Ending, RenewedWorker
from toolkit.lint.rule import RuleSettings
from toolkit.lint.rules import make_rules
from toolkit.problems import Location, Problem, problem_record
from toolkit.regular_files import bounded_bytes

LARGE: Final = 64 * 1024
_SHARE: Final = 0.1 if hasattr(signal, "setitimer") else 1.0
"""How much of the processor a judge has at least, where its limit is processor time; a busy machine has others."""

_ANCHOR = re.compile(rb"[\s\[{,:]&\w")


def is_heavy(request: Request) -> bool:
    """Return whether a file may take long to check: it is large, or a document that can repeat its parts."""
    if request.file is None:
        return False
    if request.text is not None:
        return len(request.text) > LARGE
    try:
        status = os.stat(request.file)  # noqa: PTH116 - with a thousand files, creating Paths is slow
        if not stat.S_ISREG(status.st_mode):
            return False
        if status.st_size > LARGE:
            return True
        return request.kind == "pipeline" and _ANCHOR.search(bounded_bytes(request.file)) is not None
    except (OSError, ValueError):  # a null character in its name
        return False


@dataclass(frozen=True, slots=True)
class Instructions:
    """What a judge checks, and the limits for one file."""

    codes: tuple[str, ...]
    settings: RuleSettings
    limits: Limits

    @classmethod
    def of(cls, codes: Iterable[str], settings: RuleSettings, limits: Limits) -> Self:
        """Return the instructions to check with the rules of these codes."""
        return cls(tuple(sorted(codes)), settings, limits)

    def record(self) -> dict[str, Any]:
        """Return the instructions in the form that the child process reads."""
        providers, limits, directory, decorators = self.settings
        return {"codes": self.codes, "rule_settings": [providers, dict(limits), str(directory), decorators]}


class Task(NamedTuple):
    """A request, and the result of opening it; None if no code is run."""

    request: Request
    answer: Answer | None


class Judge(RenewedWorker):
    """Checks files in a child process, which is replaced after a file that ended it."""

    def __init__(self, instructions: Instructions) -> None:
        """Create the judge, without starting the process."""
        super().__init__(instructions.record(), instructions.limits, "lint.engine.judging")

    def reports(self, tasks: "Sequence[Task]") -> "list[Report]":
        """Return the reports of some files, in the same order; a problem stands for a file that was not checked.

        They are one request, since a child checks most files faster than it is asked. If it ends, the files are
        requested again one by one, so that only the one that ends it is not checked.
        """
        seconds = self.limits.seconds / _SHARE
        found = self.request({"files": [_question(*task) for task in tasks], "seconds": seconds})
        if not isinstance(found, Ending):
            return [_report_of(task.request, one) for task, one in zip(tasks, found["files"], strict=True)]
        if len(tasks) == 1:
            return [_given_up(tasks[0].request, self._reason(found))]
        return [report for task in tasks if not self.is_stopped for report in self.reports([task])]

    def _reason(self, ending: Ending) -> str:
        if ending.is_late or (_SHARE < 1 and ending.status == -signal.SIGPROF):
            return f"checking it takes longer than {self.limits.seconds:g} s"
        return f"checking it ended the process with status {ending.status}"


def _question(request: Request, answer: Answer | None) -> dict[str, Any]:
    problem = problem_record(answer) if isinstance(answer, Problem) else None
    return {"request": request, "answer": None if problem else answer, "problem": problem}


def _report_of(request: Request, found: Mapping[str, Any]) -> Report:
    if "gave_up" in found:
        return _given_up(request, f"reading it ended with a {found['gave_up']}")
    return read_report(found["report"], tuple(map(read_definition, found["tools"])))._replace(needs=found["needs"])


def _given_up(request: Request, reason: str) -> Report:
    message = f"'{Path(request.target).name}' was not checked: {reason}"
    hint = "split it into smaller files, or exclude it"
    return Report((Problem(DOES_NOT_IMPORT, message, Location(str(request.file)), hint=hint),))


_MANY: Final = 150
"""The number of files from which several processes are faster than one, since each has to import the rules."""
_MOST: Final = 8
_NEIGHBOURS: Final = 16
"""The number of consecutive files for one process: neighbors often import the same files, which it reads once. It gets
them with one request."""


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

    def give(self, task: Task) -> None:
        """Queue a file to be checked."""
        self._members[self._given // _NEIGHBOURS % len(self._members)].give(task)
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
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._checked = checked

    def give(self, task: Task) -> None:
        self._tasks.put(task)

    def stop(self) -> None:
        """Check no further file, and abort the current one."""
        self._judge.stop()
        self._tasks.put(None)

    def run(self) -> None:
        try:
            with self._judge:
                self._judge.start()
                while (tasks := self._next_tasks()) and not self._judge.is_stopped:
                    for task, report in zip(tasks, self._judge.reports(tasks), strict=False):  # fewer if it is stopped
                        self._checked.put(Checked(task.request, report))
        except BaseException as error:  # noqa: BLE001 - raised again by `_next`
            self._checked.put(error)

    def _next_tasks(self) -> list[Task]:
        """Wait for a task, and return it with those that are ready; none at the end."""
        tasks: list[Task] = []
        while (task := self._tasks.get()) is not None:
            tasks.append(task)
            if self._tasks.empty() or len(tasks) == _NEIGHBOURS:
                break
        return tasks


AnswerTo = Callable[[Request], Answer | None]
"""Returns the result of opening a request's file, waiting for it if necessary; None if nothing is run."""


def checked_files(
    requests: Sequence[Request],
    answer: AnswerTo,
    instructions: Instructions,
    known_tree: KnownTree | None = None,
    processes: int | None = None,
) -> Generator[Checked]:
    """Yield the report of each request, in any order.

    Args:
        requests: Files and other targets, in the order in which they are opened.
        answer: Returns the result of opening a request; called in the same order.
        instructions: What to check.
        known_tree: The syntax trees of files that were parsed before.
        processes: The number of additional processes that check files; by default, as many as are useful.
    """
    count = useful_processes(len(requests)) if processes is None else processes
    if count:
        return _checked_there(requests, answer, instructions, count)
    return _checked_here(requests, answer, instructions, known_tree)


def _checked_here(
    requests: Sequence[Request], answer: AnswerTo, instructions: Instructions, known_tree: KnownTree | None
) -> Generator[Checked]:
    """Yield the report of each request, in order; each file is read before its answer is awaited."""
    with Judge(instructions) as judge:
        checker = FileChecker(
            make_rules(instructions.codes, instructions.settings), known_tree, instructions.settings.tool_decorators
        )
        for request in requests:
            read = None if is_heavy(request) else checker.read(request)
            given = answer(request)
            if read is None:
                yield Checked(request, judge.reports([Task(request, given)])[0])
            else:
                yield Checked(request, without_sources(checker.look(read, given)))


def _checked_there(
    requests: Sequence[Request], answer: AnswerTo, instructions: Instructions, processes: int
) -> Generator[Checked]:
    """Yield the report of each request, in any order, from additional processes that check them."""
    with JudgePool(instructions, processes) as pool:
        for request in requests:
            pool.give(Task(request, answer(request)))
            yield from pool.finished()
        yield from pool.rest()
