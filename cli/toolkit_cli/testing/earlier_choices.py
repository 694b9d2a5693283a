"""Compares what models choose with an earlier report, or with what they choose from the tools of a git revision."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.cases.case import Case, Ran
from toolkit.cases.comparisons import Comparison, Report, compare
from toolkit.codes import NOT_FOUND
from toolkit.errors import ConfigurationError
from toolkit.lint.changes.comparing import place_in
from toolkit.lint.changes.git_revisions import GitRevision, find_revision
from toolkit.lint.engine.workers import temporary_folder
from toolkit.problems import Problem
from toolkit.regular_files import bounded_bytes
from toolkit.sources.targets import FilesTarget, parse_target
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.case_reports import as_record
from toolkit_cli.testing.case_pool import run_cases
from toolkit_cli.testing.choices import Asking

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration

_LARGEST: Final = 256 * 1024 * 1024
_EVERY_FILE: Final = ("",)


class EarlierReport(NamedTuple):
    """A JSON report of `toolkit test`, and its file as the user named it."""

    name: str
    content: Report


def find_earlier(text: str) -> EarlierReport | GitRevision:
    """Return the report in a file or, if there is no such file, a revision.

    Raises:
        Failure: If the file cannot be read.
        ConfigurationError: If it is no file, and there is no such revision, or no repository.
    """
    if not (Path(text).is_file() or text.endswith(".json")):
        return find_revision(text, Path.cwd())
    try:
        return EarlierReport(text, json.loads(bounded_bytes(Path(text), most=_LARGEST)))
    except ValueError as error:
        raise _not_a_report(text) from error
    except OSError as error:
        raise Failure(ExitCode.USAGE, f"'{text}' cannot be read: {error.strerror}") from error


def compare_with_report(report: EarlierReport, ran: Sequence[Ran]) -> list[Comparison]:
    """Return how the choices of models differ from those in a report.

    Raises:
        Failure: If it is not a report, or has none of these models and cases.
    """
    try:
        found = compare(report.content, as_record(ran))
    except (AttributeError, KeyError, TypeError) as error:
        raise _not_a_report(report.name) from error
    if not found:
        raise Failure(ExitCode.USAGE, f"'{report.name}' has no results of these models for these cases")
    return found


def _not_a_report(name: str) -> Failure:
    return Failure(ExitCode.USAGE, f"'{name}' is not a JSON report of `toolkit test`")


def compare_with_revision(
    revision: GitRevision, ran: Sequence[Ran], load: "Callable[[], Configuration]", *, asking: Asking, jobs: int
) -> tuple[list[Comparison], list[Ran]]:
    """Run the same cases with the tools of a revision, in another process, and compare what models choose.

    Returns:
        The comparisons, and the results, to which it is added why some could not be compared: an error if only a
        recorded reply is missing, or else a warning.

    Raises:
        Failure: If no case can be compared.
        ConfigurationError: If the files of the revision cannot be read, or a case file is outside of its repository.
    """
    chose = [one for one in ran if one.result.choice is not None]
    with temporary_folder() as made:
        folder = Path(os.path.realpath(made))
        revision.put_files(_EVERY_FILE, folder)
        asking = asking._replace(strict=False, trees=(revision.root, folder))
        why = {id(one.case): problem for one in chose if (problem := _missing(one.case, revision, folder))}
        cases = [_moved(one.case, revision, folder) for one in chose if id(one.case) not in why]
        load = partial(_load_beside, load, revision.root, folder)
        before = run_cases(cases, load, asking=asking, jobs=jobs) if cases else []
    left = iter(before)
    for one in chose:
        if id(one.case) not in why and (earlier := next(left).result).choice is None:
            why[id(one.case)] = _without(folder, earlier.problems[0], one.case)
    found = compare(as_record(before), as_record(ran))
    problems = {at: _not_compared(one.case, why[at], revision) for one in chose if (at := id(one.case)) in why}
    if not found and problems:
        raise Failure(ExitCode.USAGE, problems=[replace(one, severity="error") for one in problems.values()])
    return found, [_noted(one, problems.get(id(one.case))) for one in ran]


def _missing(case: Case, revision: GitRevision, folder: Path) -> Problem | None:
    """Return a problem if a file or folder with tools or skills of a case does not exist in the revision."""
    for word in (*case.tools, *case.skills):
        target = parse_target(word.text, case.file.parent)
        if not isinstance(target, FilesTarget) or has_magic(target.spelled):
            continue
        try:
            there = place_in(folder, target.spelled, case.file.parent, revision)
        except ConfigurationError:  # what is outside of the repository is the same in every revision
            continue
        if not Path(there).exists():
            return Problem(NOT_FOUND, f"'{target.spelled}' does not exist there", word.location)
    return None


def _moved(case: Case, revision: GitRevision, folder: Path) -> Case:
    base = Path(place_in(folder, ".", case.file.parent, revision))
    base.mkdir(parents=True, exist_ok=True)
    return case._replace(base=base)


def _load_beside(load: "Callable[[], Configuration]", root: Path, folder: Path) -> "Configuration":
    """Return the configuration, after each folder of a repository on the path is preceded by that of the revision."""

    def entries() -> Iterator[str]:
        for entry in sys.path:
            real = Path(os.path.realpath(entry))
            if real.is_relative_to(root) and (there := folder / real.relative_to(root)).is_dir():
                yield str(there)
            yield entry

    sys.path[:] = list(entries())
    return load()


def _without(folder: Path, problem: Problem, case: Case) -> Problem:
    """Return why a case was not run, without the folder that is gone."""
    message, hint = (text.replace(f"{folder}{os.sep}", "") for text in (problem.message, problem.hint or ""))
    return replace(problem, message=message.removeprefix(f"{case.title}: "), hint=hint or None, location=None)


def _not_compared(case: Case, problem: Problem, revision: GitRevision) -> Problem:
    message = f"{case.title}: it was not compared with '{revision.name}': {problem.message}"
    place = problem.location or case.name.location
    return replace(problem, message=message, location=place, severity="warning" if problem.code else "error")


def _noted(one: Ran, problem: Problem | None) -> Ran:
    result = one.result
    if problem is None:
        return one
    if problem.severity == "warning":
        return one._replace(result=result._replace(warnings=(*result.warnings, problem)))
    return one._replace(result=result._replace(problems=(*result.problems, problem), is_broken=True))
