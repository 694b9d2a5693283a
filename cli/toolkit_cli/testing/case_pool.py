"""Finds the cases of files, chooses some, and runs them: one after another, or several at once in child processes."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from functools import cache
from glob import has_magic
from multiprocessing import get_context
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, Final

from toolkit.cases.bfcl_files import read_bfcl
from toolkit.cases.case import Case, CaseFile, CaseResult, Ran
from toolkit.cases.case_format import read_cases
from toolkit.cases.cassettes import Cassette
from toolkit.codes import FAILED_CASE, NOT_FOUND
from toolkit.documents.nodes import Word
from toolkit.problems import Problem, errors_among
from toolkit.source_code.project_files import files_below
from toolkit.sources.targets import CASES, is_benchmark
from toolkit.testing.failing_inputs import keep_record, read_record
from toolkit_cli import console
from toolkit_cli.failures import Failure, cannot_write, code_for
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.problem_texts import counted
from toolkit_cli.testing.case_runs import CaseRunner
from toolkit_cli.testing.case_targets import from_folder
from toolkit_cli.testing.choices import NOTHING_SAID, Asking

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration

_FAILED: Final = "failed-cases.json"


def read_files(targets: Sequence[str]) -> list[CaseFile]:
    """Read all case files.

    Raises:
        Failure: If one of them is missing or wrong; it contains the problems of all.
    """
    found, problems = list[CaseFile](), list[Problem]()
    for target in targets:
        paths = _matching(target)
        if not paths:
            problems.append(Problem(NOT_FOUND, f"no file matches '{target}'"))
        for path in paths:
            file, more = _read(Path(os.path.abspath(path)))  # noqa: PTH100 - a Path would resolve links
            problems += more
            found += [] if file is None else [file]
    if errors_among(problems):
        raise Failure(code_for(problems), problems=problems)
    return list({file.path: file for file in found}.values())


def _read(path: Path) -> tuple[CaseFile | None, list[Problem]]:
    return read_bfcl(path) if is_benchmark(path.name) else read_cases(path)


def _matching(target: str) -> list[Path]:
    """Return the files in a folder, those of a pattern, which shells of Windows leave to the program, or the file."""
    if Path(target).is_dir():
        return files_below(Path(target), CASES)
    start = Path(target).anchor
    return sorted(Path(start or ".").glob(target.removeprefix(start))) if has_magic(target) else [Path(target)]


class LastFailed:
    """The cases that failed the last time, in a cache folder."""

    def __init__(self, folder: Path | None) -> None:
        """Read them; without a folder, there are none, and none are kept."""
        self._folder = folder
        try:
            self._names = {(str(file), str(name)) for file, name in read_record(folder, _FAILED) or ()}
        except (TypeError, ValueError):
            self._names = set()

    def __contains__(self, case: Case) -> bool:
        """Return whether a case failed the last time."""
        return _key(case) in self._names

    def __bool__(self) -> bool:
        """Return whether any case failed the last time."""
        return bool(self._names)

    def keep(self, ran: Sequence[Ran]) -> None:
        """Remember which of these cases have failed; others stay as they are."""
        left = self._names - {_key(one.case) for one in ran}
        names = left | {_key(one.case) for one in ran if not one.result.passed}
        if self._folder is not None and names != self._names:
            keep_record(self._folder, _FAILED, sorted(names))


def _key(case: Case) -> tuple[str, str]:
    return str(case.file), case.name.text


def attempts_of(cases: Sequence[Case], models: Sequence[str], repeat: int, configured: str | None) -> list[Case]:
    """Return the cases with those that ask a model repeated: for each model, and as often as wanted.

    Args:
        cases: The cases.
        models: The models, instead of those of the cases and of the configuration.
        repeat: How often each model is asked.
        configured: The configured model. Without any, the recorded models are used.

    Raises:
        ConfigurationError: If a cassette cannot be read.
    """
    cassette_of = cache(Cassette)
    found = []
    for case in cases:
        own = configured if case.model is None else case.model.text
        names = [from_folder(one, Path.cwd()) for one in models] or [*filter(None, [own])]
        if case.is_choice and not names:
            names = cassette_of(case.file).models_of(case.name.text)
        if not case.is_choice or not names:
            found.append(case)
            continue
        for name, shown in zip(names, models or names, strict=True):
            for attempt in range(1, repeat + 1):
                count = f"{attempt} of {repeat}" if repeat > 1 else ""
                label = ", ".join(filter(None, (shown if len(names) > 1 else "", count)))
                found.append(case._replace(model=Word(name, case.name.location), attempt=attempt, label=label))
    return found


def keep_recorded(ran: Ran) -> None:
    """Write what was recorded for a case into the cassette of its file.

    Raises:
        Failure: If it cannot be written.
    """
    if not ran.result.recorded:
        return
    with _written(ran.case.file) as cassette:
        (cassette.replace if ran.case.base is None else cassette.add)(ran.result.recorded)


def drop_removed(cases: Sequence[Case]) -> None:
    """Drop what was recorded for other cases than these, which are all of their files, and say how many there were.

    Raises:
        Failure: If a cassette cannot be written.
    """
    for file in dict.fromkeys(case.file for case in cases):
        with _written(file) as cassette:
            count = cassette.keep_only({case.name.text for case in cases if case.file == file})
        if count:
            console.say(f"{shown_path(str(cassette.path))}: dropped the replies to {counted(count, 'removed case')}")


@contextmanager
def _written(file: Path) -> Iterator[Cassette]:
    cassette = Cassette(file)
    try:
        yield cassette
    except OSError as error:
        raise cannot_write(shown_path(str(cassette.path)), error) from error


def run_cases(
    cases: Sequence[Case],
    load: "Callable[[], Configuration]",
    *,
    asking: Asking = NOTHING_SAID,
    jobs: int = 1,
    fail_fast: bool = False,
    is_apart: bool = False,
    note: Callable[[Ran], object] = lambda _: None,
) -> list[Ran]:
    """Run cases, and return the results in the same order.

    Args:
        cases: The cases.
        load: Returns the configuration of the project, also in a child process.
        asking: How models are asked for choices.
        jobs: How many cases run at the same time.
        fail_fast: Whether to stop after the first case that fails.
        is_apart: Whether even one job has a process of its own.
        note: Receives each result as soon as it and those before it are known.
    """
    is_alone = jobs == 1 or len(cases) < 2  # noqa: PLR2004 - one needs no pool
    results = _in_turn(cases, load(), asking) if is_alone and not is_apart else _at_once(cases, load, asking, jobs)
    ran = []
    for one in results:
        ran.append(one)
        keep_recorded(one)
        note(one)
        if fail_fast and not one.result.passed:
            break
    return ran


def _in_turn(cases: Sequence[Case], configuration: "Configuration", asking: Asking) -> Iterator[Ran]:
    runner = CaseRunner(configuration, asking)
    for case in cases:
        yield Ran(case, runner.run(case))


def _at_once(cases: Sequence[Case], load: "Callable[[], Configuration]", asking: Asking, jobs: int) -> Iterator[Ran]:
    processes = local()
    with ExitStack() as stack, ThreadPoolExecutor(min(jobs, len(cases))) as threads:

        def result_of(case: Case) -> CaseResult:
            """Run a case in the process of this thread; one that a case has killed is followed by another."""
            if not hasattr(processes, "own"):
                processes.own = stack.enter_context(_process(load, asking))
            try:
                return processes.own.submit(_run_in_child, case.file, case.position, _overrides(case)).result()  # type: ignore[no-any-return]
            except BrokenProcessPool:
                del processes.own
                problem = Problem(FAILED_CASE, f"{case.title}: its process was killed", case.run.location)
                return CaseResult((problem,))

        waiting = [(case, threads.submit(result_of, case)) for case in cases]
        try:
            for case, future in waiting:
                yield Ran(case, future.result())
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


def _process(load: "Callable[[], Configuration]", asking: Asking) -> ProcessPoolExecutor:
    """Return a pool of one process, so that a case that kills its process harms no other."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_start, initargs=(load, asking))


_runner: CaseRunner | None = None


def _start(load: "Callable[[], Configuration]", asking: Asking) -> None:
    global _runner  # noqa: PLW0603 - one for all cases of a child
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback; the parent says what happened
    console.start_redacting()
    _runner = CaseRunner(load(), asking)


def _overrides(case: Case) -> dict[str, Any]:
    return {"model": case.model, "attempt": case.attempt, "label": case.label, "base": case.base}


def _run_in_child(file: Path, position: int, overrides: dict[str, Any]) -> CaseResult:
    assert _runner is not None
    return _runner.run(_cases_of(file)[position]._replace(**overrides))


@cache
def _cases_of(file: Path) -> tuple[Case, ...]:
    found, _ = _read(file)
    return () if found is None else found.cases
