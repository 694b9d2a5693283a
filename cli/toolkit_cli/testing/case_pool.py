"""Finds the cases of files, chooses some, and runs them: one after another, or several at once."""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache
from glob import has_magic
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from toolkit.cases.case import Case, CaseFile, CaseResult, Ran
from toolkit.cases.cassettes import Cassette
from toolkit.codes import NOT_FOUND
from toolkit.documents.nodes import Word
from toolkit.problems import Problem, errors_among
from toolkit.sources.targets import case_files_in
from toolkit.testing.failing_inputs import keep_record, read_record
from toolkit_cli import console
from toolkit_cli.failures import Failure, cannot_write, code_for
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.problem_texts import counted
from toolkit_cli.testing.case_processes import CaseProcess, read_case_file
from toolkit_cli.testing.case_targets import from_folder
from toolkit_cli.testing.choices import NOTHING_SAID, Asking

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration

_FAILED: Final = "failed-cases.json"
NO_BAR: Final = nullcontext[Callable[[Ran], object]](lambda _: None)


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
            file, more = read_case_file(Path(os.path.abspath(path)))  # noqa: PTH100 - a Path would resolve links
            problems += more
            found += [] if file is None else [file]
    if errors_among(problems):
        raise Failure(code_for(problems), problems=problems)
    return list({file.path: file for file in found}.values())


def _matching(target: str) -> list[Path]:
    """Return the files in a folder, those of a pattern, which shells of Windows leave to the program, or the file."""
    if Path(target).is_dir():
        return case_files_in(Path(target))
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
    bar: AbstractContextManager[Callable[[Ran], object]] = NO_BAR,
) -> list[Ran]:
    """Run cases, and return the results in the same order.

    Args:
        cases: The cases.
        load: Returns the configuration of the project, also in a child process.
        asking: How models are asked for choices.
        jobs: How many cases run at the same time.
        fail_fast: Whether to stop after the first case that fails.
        bar: Receives each result as soon as it and those before it are known; it begins when the processes are running.
    """
    ran = []
    with ExitStack() as stack:
        processes = [stack.enter_context(CaseProcess(cases, load, asking)) for _ in range(min(jobs, len(cases)))]
        results = _at_once(processes, len(cases)) if len(processes) > 1 else _in_turn(processes, len(cases), fail_fast)
        stack.callback(results.close)
        note = stack.enter_context(bar)
        for one in map(Ran, cases, results):
            ran.append(one)
            keep_recorded(one)
            note(one)
            if fail_fast and not one.result.passed:
                break
    return ran


def _in_turn(processes: Sequence[CaseProcess], count: int, fail_fast: bool) -> Generator[CaseResult]:  # noqa: FBT001 - the option
    """Yield the results of so many cases in order; to fail fast, none runs before the result of the one before it."""
    for process in processes:
        for positions in ([at] for at in range(count)) if fail_fast else (range(count),):
            yield from process.results(positions)


def _at_once(processes: Sequence[CaseProcess], count: int) -> Generator[CaseResult]:
    """Yield the results of so many cases in order; each process runs the next one as soon as it is free."""
    free = SimpleQueue[CaseProcess]()
    for process in processes:
        free.put(process)

    def result_of(at: int) -> CaseResult:
        process = free.get()
        try:
            return next(process.results([at]))
        finally:
            free.put(process)

    with ThreadPoolExecutor(len(processes)) as threads:
        waiting = [threads.submit(result_of, at) for at in range(count)]
        try:
            for future in waiting:
                yield future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
