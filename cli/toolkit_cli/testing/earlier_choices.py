"""Compares what models choose with an earlier report, or with what they choose from the tools of a git revision."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.cases.case import Case, Ran
from toolkit.cases.comparisons import Comparison, Report, compare
from toolkit.codes import DEFINITION_DRIFT
from toolkit.lint.changes.comparing import place_in
from toolkit.lint.changes.git_revisions import GitRevision, find_revision
from toolkit.lint.engine.workers import temporary_folder
from toolkit.problems import Problem, Severity
from toolkit.regular_files import bounded_bytes
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
    """Return an earlier report, or a git revision if the text names neither a file nor something that ends in `.json`.

    Raises:
        Failure: If the file cannot be read.
        ConfigurationError: If the revision is unknown, or the working folder is not in a repository.
    """
    if not (Path(text).is_file() or text.endswith(".json")):
        return find_revision(text, Path.cwd())
    try:
        return EarlierReport(text, json.loads(bounded_bytes(Path(text), most=_LARGEST)))
    except ValueError as error:
        raise _not_a_report(text) from error
    except OSError as error:
        raise Failure(ExitCode.USAGE, f"'{text}' cannot be read: {error.strerror}") from error


def compare_choices(
    earlier: EarlierReport | GitRevision,
    ran: Sequence[Ran],
    load: "Callable[[], Configuration]",
    *,
    asking: Asking,
    jobs: int,
) -> tuple[list[Comparison], list[Ran]]:
    """Return how the choices of models differ from earlier ones, and the results, with why some are not compared.

    Args:
        earlier: A report; or a revision, with whose tools the same cases are run in another process.
        ran: The results.
        load: Returns the configuration of the project, also in a child process.
        asking: How models are asked.
        jobs: How many cases run at the same time.

    Raises:
        Failure: If it is not a report, or no case can be compared.
        ConfigurationError: If the files of the revision cannot be read, or a case file is outside of its repository.
    """
    if isinstance(earlier, GitRevision):
        return _compared_with_revision(earlier, ran, load, asking=asking, jobs=jobs)
    try:
        found = compare(earlier.content, as_record(ran))
    except (AttributeError, KeyError, TypeError) as error:
        raise _not_a_report(earlier.name) from error
    if not found:
        raise Failure(ExitCode.USAGE, f"'{earlier.name}' has no results of these models for these cases")
    return found, [*ran]


def _not_a_report(name: str) -> Failure:
    return Failure(ExitCode.USAGE, f"'{name}' is not a JSON report of `toolkit test`")


def _compared_with_revision(
    revision: GitRevision, ran: Sequence[Ran], load: "Callable[[], Configuration]", *, asking: Asking, jobs: int
) -> tuple[list[Comparison], list[Ran]]:
    chose = [one for one in ran if one.result.choice is not None]
    with temporary_folder() as made:
        folder = Path(os.path.realpath(made))
        revision.put_files(_EVERY_FILE, folder)
        asking = asking._replace(strict=False, trees=(revision.root, folder))
        cases = [_moved(one.case, revision, folder) for one in chose]
        load = partial(_load_beside, load, revision.root, folder)
        before = run_cases(cases, load, asking=asking, jobs=jobs)
    why = {
        id(one.case): _not_compared(one.case, earlier.result.problems[0], revision, folder)
        for one, earlier in zip(chose, before, strict=True)
        if earlier.result.choice is None
    }
    found = compare(as_record(before), as_record(ran))
    if why and not found:
        raise Failure(ExitCode.USAGE, problems=[replace(one, severity="error") for one in why.values()])
    return found, [_noted(one, why.get(id(one.case))) for one in ran]


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


def _not_compared(case: Case, problem: Problem, revision: GitRevision, folder: Path) -> Problem:
    """Return that a case was not compared: an error if only a reply is missing, and otherwise a warning."""
    reason = problem.message.removeprefix(f"{case.title}: ").replace(f"{folder}{os.sep}", "")
    message = f"{case.title}: it was not compared with '{revision.name}': {reason}"
    severity: Severity = "warning" if problem.code else "error"
    return Problem(problem.code, message, case.name.location, severity, None if problem.code else problem.hint)


def _noted(one: Ran, problem: Problem | None) -> Ran:
    """Return a result with why it was not compared; a stale reply hides what has changed, so it is an error."""
    result, found = one.result, [*one.result.warnings, *([] if problem is None else [problem])]
    errors = [replace(note, severity="error") for note in found if note.code in ("", DEFINITION_DRIFT)]
    return one._replace(
        result=result._replace(
            problems=(*result.problems, *errors),
            warnings=tuple(note for note in found if note.code not in ("", DEFINITION_DRIFT)),
            is_broken=result.is_broken or any(not note.code for note in errors),
        )
    )
