"""Children: requests are answered by a child process, and by a new one after a file that ended it."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from toolkit.lint.endings import problem_of
from toolkit.lint.limits import Limits
from toolkit.lint.records import configuration_record, problem_record
from toolkit.lint.requests import Request
from toolkit.lint.workers import Ending, Worker
from toolkit.problems import Problem
from toolkit.sources.configuration import Configuration

Answer = dict[str, Any] | Problem
"""What a child tells of one request, or the problem that it came to its end over it."""


def answers(
    requests: Iterable[Request], configuration: Configuration, limits: Limits, *, keeps_trail: bool = False
) -> Iterator[tuple[Request, Answer]]:
    """Yield each request with its answer; while one is looked at here, the child is busy with the next.

    Args:
        requests: What to open, in this order.
        configuration: The settings of the project.
        limits: What one of them may take.
        keeps_trail: Whether answers tell which files they rest on.
    """
    queue: SimpleQueue[tuple[Request, Answer] | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            with (
                TemporaryDirectory(prefix="toolkit-lint-") as folder,
                closing(_Child(configuration, limits, Path(folder), keeps_trail=keeps_trail)) as child,
            ):
                for request in requests:
                    queue.put((request, child.open(request)))
        except BaseException as error:  # noqa: BLE001 - it is raised again, where the answers are awaited
            queue.put(error)
        else:
            queue.put(None)

    Thread(target=work, name="toolkit-lint", daemon=True).start()
    while (answer := queue.get()) is not None:
        if isinstance(answer, BaseException):
            raise answer
        yield answer


class _Child:
    """Has requests answered, one after the other."""

    def __init__(self, configuration: Configuration, limits: Limits, folder: Path, *, keeps_trail: bool) -> None:
        self._setup = {"configuration": configuration_record(configuration), "keeps_trail": keeps_trail}
        self._limits = limits
        self._crash_file = folder / "last_words.txt"
        self._worker: Worker | None = None
        self._number = 0
        self._refused: dict[str, dict[str, Any]] = {}

    def open(self, request: Request) -> Answer:
        """Return what the child tells, or the problem that it came to its end over the request."""
        is_fresh = self._worker is None
        answer = self._ask(request)
        if isinstance(answer, Ending) and not (is_fresh or answer.is_late):
            answer = self._ask(request)  # an earlier file may have left something behind
        if not isinstance(answer, Ending):
            return answer
        problem = problem_of(answer, request.target, self._limits)
        if request.file is not None:
            self._refused[request.file] = problem_record(problem)
        return problem

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _ask(self, request: Request) -> dict[str, Any] | Ending:
        if self._worker is None:
            self._worker = Worker({**self._setup, "refused": self._refused}, self._limits, self._crash_file)
            self._number += 1
        answer = self._worker.ask({"target": request.target, "base": request.base})
        if isinstance(answer, Ending):
            self.close()
        else:
            answer["child"] = self._number
        return answer
