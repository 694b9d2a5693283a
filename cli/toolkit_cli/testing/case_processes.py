"""Runs cases in child processes, so that a case that kills its process ends nothing else."""

import atexit
import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from toolkit.cases.bfcl_files import read_bfcl
from toolkit.cases.case import Case, CaseFile, CaseResult
from toolkit.cases.case_format import read_cases
from toolkit.codes import FAILED_CASE
from toolkit.lint.engine.children import describe_status
from toolkit.problems import Problem
from toolkit.sources.targets import is_benchmark
from toolkit_cli import console
from toolkit_cli.testing.case_runs import CaseRunner
from toolkit_cli.testing.choices import Asking

if TYPE_CHECKING:
    from ctypes import c_ulonglong

    from toolkit.settings.configuration import Configuration

_END: Final = os._exit  # while a case runs, the name is that of a function that raises
_STDERR: Final = 2
"""The descriptor, since other programs replace the streams."""
_SELDOM: Final = 0.02
"""How often the results of cases that pass are sent, in seconds."""
_GRACE: Final = 5.0
"""How long a process may take to end when there are no more cases, in seconds: a tool may have left a thread."""


def read_case_file(path: Path) -> tuple[CaseFile | None, list[Problem]]:
    """Read the cases of a file, or the questions of a benchmark."""
    return read_bfcl(path) if is_benchmark(path.name) else read_cases(path)


class _Place(NamedTuple):
    """Where another process finds a case, and what is different for this attempt."""

    file: Path
    position: int
    changes: Mapping[str, Any]


class CaseProcess:
    """A child process that runs cases one after another; after a case that ended it, the next one starts another.

    It is a context manager; the process ends with the `with` block.
    """

    def __init__(self, cases: Sequence[Case], load: "Callable[[], Configuration]", asking: Asking) -> None:
        """Start the process.

        Args:
            cases: The cases that it may have to run.
            load: Returns the configuration of the project, in the child process.
            asking: How models are asked for choices.
        """
        self._cases, self._load, self._asking = cases, load, asking
        self._finished = RawValue("Q", 0)  # how many of the cases it was asked for it has run
        self._is_running = False
        self._start()

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the process end, or end it if this block was interrupted."""
        self._connection.close()
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            self._process.join(_GRACE)
        self._process.kill()
        self._process.join()

    def results(self, positions: Sequence[int]) -> Iterator[CaseResult]:
        """Yield the results of the cases at these positions; one that ended its process has failed."""
        at = 0
        while at < len(positions):
            if not self._is_running:
                self._start()
            start, self._finished.value = at, 0
            with suppress(OSError):  # it has ended; reading reports that
                self._connection.send(positions[at:])
            while at < len(positions) and (received := self._received()) is not None:
                for result in received:
                    if isinstance(result, Exception):
                        raise result
                    at += 1
                    yield result
            if at < len(positions):
                for _ in range(start + self._finished.value - at):
                    at += 1
                    yield CaseResult()  # it has passed, and was not sent yet
                yield self._end_of(self._cases[positions[at]])
                at += 1

    def _received(self) -> list[CaseResult | Exception] | None:
        """Wait for the next results; `None` if the process has ended."""
        try:
            results, secrets = self._connection.recv()
        except (EOFError, OSError):
            return None
        console.redactor().learn(*secrets)
        return results  # type: ignore[no-any-return]  # as `_serve` sends them

    def _start(self) -> None:
        """Start a copy of this process, which takes no time, or a new one if a copy could hang."""
        can_copy = sys.platform == "linux" and threading.active_count() == 1
        context = get_context("fork") if can_copy else get_context("spawn")
        self._connection, theirs = context.Pipe()
        cases = self._cases if can_copy else [_place_of(case) for case in self._cases]
        ends = (theirs, self._connection) if can_copy else (theirs,)
        self._process = context.Process(target=_serve, args=(ends, self._finished, cases, self._load, self._asking))
        stdin = sys.stdin
        try:
            if can_copy:
                sys.stdin = None  # a copy would close it, and debuggers need it
            self._process.start()
        finally:
            sys.stdin = stdin
            theirs.close()
        self._is_running = True

    def _end_of(self, case: Case) -> CaseResult:
        """Return the failure of the case that ended the process."""
        self._connection.close()
        self._process.join()
        self._is_running = False
        words, _ = describe_status(self._process.exitcode or 0)
        return CaseResult((Problem(FAILED_CASE, f"{case.title}: it {words}", case.run.location),))


def _place_of(case: Case) -> _Place:
    changes = {"model": case.model, "attempt": case.attempt, "label": case.label, "base": case.base}
    return _Place(case.file, case.position, changes)


def _serve(
    ends: Sequence[Connection],
    finished: "c_ulonglong",
    cases: Sequence[Case | _Place],
    load: "Callable[[], Configuration]",
    asking: Asking,
) -> None:
    """Run the cases that are asked for, until the other end of the connection is closed, also in this process."""
    connection, *others = ends
    for end in others:
        end.close()
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback; the parent says what happened
    atexit._clear()  # noqa: SLF001 - as `multiprocessing` does since 3.13; the parent does these
    sys.stdin = sys.__stdin__
    faulthandler.enable(_STDERR)  # a crash of the interpreter ends this process, and says where it was
    runner, every, own = CaseRunner(load(), asking), _found(cases), os.getpid()
    learned = console.redactor().known[0]
    results, before, sent = list[CaseResult | Exception](), learned.values, perf_counter()
    with suppress(EOFError, BrokenPipeError):
        while True:
            for position in (positions := connection.recv()):
                results.append(_result_of(runner, every[position]))
                if os.getpid() != own:
                    os._exit(0)  # a tool has forked, and this is the copy
                finished.value += 1
                is_last = position == positions[-1]
                if not is_last and _just_passes(results[-1]) and perf_counter() - sent < _SELDOM:
                    continue  # sending each takes longer than running it
                # The parent shows lines of files, which may contain secrets of a tool.
                connection.send((results, [one for one in learned.values if one not in before]))
                results, before, sent = [], learned.values, perf_counter()
    atexit._run_exitfuncs()  # noqa: SLF001 - as above: those of tools


def _end_with_the_parent() -> None:
    """End this process if the parent is killed while a case runs."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    _END(1)


def _result_of(runner: CaseRunner, case: Case) -> CaseResult | Exception:
    try:
        return runner.run(case)
    except Exception as error:  # noqa: BLE001 - the parent raises it
        return error


def _just_passes(result: CaseResult | Exception) -> bool:
    """Return whether the parent learns nothing from a result but that the case passes."""
    return isinstance(result, CaseResult) and result == CaseResult(seconds=result.seconds)


def _found(cases: Sequence[Case | _Place]) -> list[Case]:
    """Return cases, after reading the files of those of which only the place is known."""
    case_file = cache(read_case_file)

    def found(one: Case | _Place) -> Case:
        if isinstance(one, Case):
            return one
        file, _ = case_file(one.file)
        assert file is not None  # the parent has read it
        return file.cases[one.position]._replace(**one.changes)

    return list(map(found, cases))
