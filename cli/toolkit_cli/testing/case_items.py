"""Case files and cases as pytest collects them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolkit.cases.case import Case
from toolkit.cases.case_format import read_cases
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, seen_from
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.rendering.problem_texts import as_text
from toolkit_cli.testing.case_runs import CaseRunner

_RUNNER = pytest.StashKey[CaseRunner]()
_WIDTH = 100


class CaseFailed(Exception):
    """A case fails, or cannot be run."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Create the exception from the problems."""
        super().__init__("\n".join(problem.message for problem in problems))
        self.problems = problems


class CaseModule(pytest.File):
    """A case file."""

    def collect(self) -> "Iterator[CaseItem]":
        """Yield the cases of the file.

        Raises:
            CollectError: If the file is wrong; the message has all problems.
        """
        file, problems = read_cases(self.path)
        if file is None:
            raise self.CollectError(_shown(problems))
        for case in file.cases:
            yield CaseItem.from_parent(self, name=case.name.text, case=case)


class CaseItem(pytest.Item):
    """A case."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        """Create the item."""
        super().__init__(**others)
        self.case = case

    def runtest(self) -> None:
        """Run the case.

        Raises:
            CaseFailed: If it fails.
        """
        result = runner_of(self.config).run(self.case)
        for one in result.warnings:
            self.warn(pytest.PytestWarning(one.message))
        if result.problems:
            raise CaseFailed(result.problems)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the failure as `toolkit test` shows it."""
        if isinstance(excinfo.value, CaseFailed):
            return _shown(excinfo.value.problems)
        if isinstance(excinfo.value, ConfigurationError):
            return _shown(excinfo.value.problems) or str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the line from 0, and the name."""
        return self.path, (self.case.name.location.line or 1) - 1, self.name


def runner_of(config: pytest.Config) -> CaseRunner:
    """Return the runner of this process, which opens each target once."""
    if _RUNNER not in config.stash:
        config.stash[_RUNNER] = CaseRunner(load_configuration())
    return config.stash[_RUNNER]


def _shown(problems: "list[Problem] | tuple[Problem, ...]") -> str:
    here = Path.cwd()
    return as_text([seen_from(here, problem) for problem in problems], width=_WIDTH)
