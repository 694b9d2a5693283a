"""Reads and checks files in a child process, with a timeout for each file.

A few small files are checked in the current process, which is faster. The work for a large one cannot be predicted.
"""

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint.engine.children import Answer
from toolkit.lint.engine.reports import Report, read_definition, read_report
from toolkit.lint.engine.requests import Limits, Request
from toolkit.lint.engine.workers import Ending, RenewedWorker
from toolkit.lint.rule import RuleSettings
from toolkit.problems import Location, Problem, problem_record
from toolkit.regular_files import bounded_bytes

LARGE: Final = 64 * 1024
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


class Judge(RenewedWorker):
    """Checks files in a child process, which is replaced after a file that ended it."""

    def __init__(self, instructions: Instructions) -> None:
        """Create the judge, without starting the process."""
        super().__init__(instructions.record(), instructions.limits, "lint.engine.judging")

    def report(self, request: Request, answer: Answer | None) -> Report:
        """Return the report of one file, or a report with the problem that it was not checked.

        Args:
            request: The file.
            answer: The result of opening it; None if no code is run.
        """
        problem = problem_record(answer) if isinstance(answer, Problem) else None
        question = {"request": request, "answer": None if problem else answer, "problem": problem}
        found = self.request(question)
        if isinstance(found, Ending):
            return _given_up(request, self._reason(found))
        if "gave_up" in found:
            return _given_up(request, f"reading it ended with a {found['gave_up']}")
        return read_report(found["report"], tuple(map(read_definition, found["tools"])))._replace(needs=found["needs"])

    def _reason(self, ending: Ending) -> str:
        if ending.is_late:
            return f"checking it takes longer than {self.limits.seconds:g} s"
        return f"checking it ended the process with status {ending.status}"


def _given_up(request: Request, reason: str) -> Report:
    message = f"'{Path(request.target).name}' was not checked: {reason}"
    hint = "split it into smaller files, or exclude it"
    return Report((Problem(DOES_NOT_IMPORT, message, Location(str(request.file)), hint=hint),))
