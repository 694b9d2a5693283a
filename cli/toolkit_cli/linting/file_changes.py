"""Fixes or suppresses findings in their files, or shows what fixes would change."""

from collections.abc import Sequence

from toolkit.lint.changes.fixing import (
    diff_of,
    fix_files,
    is_beneath,
    is_fixable,
    make_changes,
    real_targets,
    write_change,
)
from toolkit.lint.changes.silencing import silence_with_comments
from toolkit.problems import Problem
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.linting.check_runs import CheckRun
from toolkit_cli.rendering.excerpts import as_lines, shown_path
from toolkit_cli.rendering.problem_texts import counted
from toolkit_cli.rendering.styles import paint_all


def apply_fixes(check_run: CheckRun, *, unsafe: bool) -> list[Problem]:
    """Apply fixes, and return the remaining findings.

    Raises:
        Failure: If a file cannot be written.
    """
    beneath = _beneath(check_run)
    try:
        problems, solved, refused = fix_files(check_run, unsafe=unsafe, beneath=beneath)
    except OSError as error:
        raise Failure(ExitCode.FINDINGS, f"cannot write '{error.filename}': {error.strerror}") from error
    if solved:
        files = {problem.location.file for problem in solved if problem.location}
        console.say(f"Fixed {counted(len(solved), 'problem')} in {counted(len(files), 'file')}.")
    for problem in refused:
        console.say(f"not fixed, because the file could not be parsed after the fix: {problem}")
    for problem in problems:
        if is_fixable(problem, unsafe=unsafe) and not is_beneath(problem, beneath):
            console.say(f"not fixed, because the file is outside of the project and was not named: {problem}")
    return problems


def add_suppressions(check_run: CheckRun, problems: Sequence[Problem]) -> list[Problem]:
    """Add suppression comments for the findings, and return the findings that no comment can suppress.

    Raises:
        Failure: If a file cannot be written.
    """
    beneath = _beneath(check_run)
    ours = [problem for problem in problems if is_beneath(problem, beneath)]
    changes, left = silence_with_comments(ours)
    left += [problem for problem in problems if problem not in ours]
    try:
        for change in changes:
            write_change(change)
    except OSError as error:
        raise Failure(ExitCode.FINDINGS, f"cannot write '{error.filename}': {error.strerror}") from error
    count = sum(len(change.solved) for change in changes)
    console.say(f"Suppressed {counted(count, 'finding')} with comments in {counted(len(changes), 'file')}.")
    return left


def _beneath(check_run: CheckRun) -> list[str]:
    """Return the real paths of the files and folders in which files can be changed: the targets and the project."""
    return real_targets(check_run.targets, check_run.directory)


def show_diff(problems: Sequence[Problem], *, unsafe: bool) -> ExitCode:
    """Print what fixes would change, and return the exit code."""
    changes, _ = make_changes(problems, unsafe=unsafe)
    console.write_data(_for_reader("".join(diff_of(change, shown_path(change.file)) for change in changes)))
    solved = sum(len(change.solved) for change in changes)
    console.say(f"Would fix {counted(solved, 'problem')} in {counted(len(changes), 'file')}.")
    return ExitCode.FINDINGS if changes else ExitCode.SUCCESS


def _for_reader(difference: str) -> str:
    """Return a diff unchanged for programs such as `patch`, and escaped and colored for a terminal."""
    if not (difference and console.data_is_terminal()):
        return difference

    return paint_all(as_lines(difference), colour=console.data_has_colour())
