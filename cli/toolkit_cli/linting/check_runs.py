"""Checks files or text from stdin, and compares the findings with a baseline."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.lint.changes.baselines import compare, write_baseline
from toolkit.problems import Problem
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, cannot_write
from toolkit_cli.linting.head_starts import collect_less
from toolkit_cli.rendering.excerpts import stand_in
from toolkit_cli.rendering.problem_texts import counted
from toolkit_cli.running.opened_tools import gate_for

if TYPE_CHECKING:
    from toolkit.lint.configuration.settings import LintSettings
    from toolkit.lint.engine.checking import Checked
    from toolkit.settings.configuration import Configuration


class CheckRun:
    """Checks the files each time it is called.

    Attributes:
        last: What the last check found, whatever the baseline has.
        targets: The targets as typed.
        directory: The folder of the project.
    """

    def __init__(
        self,
        paths: Sequence[str],
        configuration: "Configuration",
        settings: "LintSettings",
        cache: Path | None,
        *,
        update_baseline: bool,
        text: str | None = None,
        against: str | None = None,
    ) -> None:
        """Prepare the check.

        Args:
            paths: The paths as typed.
            configuration: The project's configuration.
            settings: The lint settings.
            cache: The cache folder; `None` disables the cache.
            update_baseline: Whether to write the findings to the baseline.
            text: The text to check instead of the contents of the only path.
            against: The git revision to compare tool definitions with, instead of checking them.

        Raises:
            Failure: If `update_baseline` is set without a baseline.
        """
        if update_baseline and settings.baseline is None:
            raise Failure(
                ExitCode.USAGE, "there is no baseline to update", hint="pass its file: --baseline lint-baseline.json"
            )
        self._check: Callable[[], Checked] = lambda: _check(
            paths, configuration, settings=settings, cache=cache, text=text, against=against
        )
        self.last: Checked
        self._file, self._folder = settings.baseline, settings.baseline_folder
        self.targets, self.directory = paths, configuration.directory
        self._is_new = update_baseline
        self._summary = ""

    def __call__(self) -> list[Problem]:
        """Check the files, and return the findings that are not in the baseline."""
        self.last = self._check()
        problems = self.last.problems
        if self._file is None:
            return problems

        if self._is_new:
            try:
                write_baseline(problems, self._file, beneath=self._folder)
            except OSError as error:
                raise cannot_write(self._file, error) from error
            self._summary = f"wrote {counted(len(problems), 'finding')} to the baseline '{self._file}'"
            return []
        new, known, gone = compare(problems, self._file)
        parts = [f"{counted(known, 'finding')} in the baseline"] if known else []
        parts += [f"{gone} in the baseline are no longer found; --update-baseline removes them"] if gone else []
        self._summary = "; ".join(parts)
        return new

    @property
    def has_baseline(self) -> bool:
        """Whether a baseline distinguishes new findings from known ones."""
        return self._file is not None

    def print_summary(self) -> None:
        """Print how the baseline affected the findings, or that it was written."""
        if self._summary:
            console.say(self._summary)


def _check(
    paths: Sequence[str],
    configuration: "Configuration",
    settings: "LintSettings",
    cache: Path | None,
    text: str | None,
    against: str | None,
) -> "Checked":
    if against is not None:
        from toolkit.lint.changes.comparing import check_against  # few runs compare

        return check_against(against, paths, configuration, settings)
    from toolkit.lint.engine.checking import check_and_count  # help needs none of it

    collect_less()
    gate = gate_for(configuration)
    return check_and_count(paths, configuration, settings=settings, cache=cache, gate=gate, text=text)


STDIN = "-"


def text_of_stdin(paths: Sequence[str], filename: str | None, *, writes: bool) -> str | None:
    """Return the text on stdin, or `None` if stdin is not checked.

    Args:
        paths: The paths as typed; `-` means stdin.
        filename: The name of the file that the text belongs to.
        writes: Whether the command would change files.

    Raises:
        Failure: If there are other paths, the file name is missing, files would be changed, or the text is not
            UTF-8.
    """
    if STDIN not in paths:
        if filename is not None:
            raise Failure(
                ExitCode.USAGE, "'--stdin-filename' works only with text on stdin", hint="use `-` as the path"
            )
        return None
    if filename is None or len(paths) > 1 or writes:
        _refuse(filename, is_alone=len(paths) == 1)
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise Failure(ExitCode.USAGE, f"stdin is not UTF-8: {error.reason} at byte {error.start}") from error
    stand_in(str(filename), text)
    return text


def _refuse(filename: str | None, *, is_alone: bool) -> None:
    if not is_alone:
        raise Failure(
            ExitCode.USAGE, "stdin cannot be checked together with other paths", hint="leave out the other paths"
        )
    if filename is None:
        hint = "pass it: --stdin-filename tools.py"
        raise Failure(ExitCode.USAGE, "text on stdin needs a file name", hint=hint)
    raise Failure(ExitCode.USAGE, "text on stdin cannot be changed", hint="leave out --fix, --diff and --add-noqa")
