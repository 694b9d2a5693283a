"""Checking: every problem of every tool and pipeline that the user named.

Users' files are opened in a child process, one child for all of them, which is started anew after a file that ends it.
So nobody's code runs in this process, and a file that crashes, hangs or exits hides no other.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from toolkit.lint.duplicates import duplicate_names
from toolkit.lint.endings import problem_of
from toolkit.lint.limits import DEFAULT_LIMITS, Limits
from toolkit.lint.records import configuration_record, problem_record, read_problem
from toolkit.lint.workers import Ending, Worker
from toolkit.problems import Location, Problem, Severity
from toolkit.sources.collected import NO_TOOLS
from toolkit.sources.configuration import Configuration
from toolkit.sources.displaying import seen_from
from toolkit.sources.targets import FilesTarget, parse_target

# Elsewhere some things weigh less or more than here, where definitions are judged and nothing is wanted to run.
_SEVERITIES: dict[str, Severity] = {"TK201": "error", NO_TOOLS: "warning"}


def check(targets: Sequence[str], configuration: Configuration, *, limits: Limits = DEFAULT_LIMITS) -> list[Problem]:
    """Return everything that is wrong with the tools and pipelines that the user named, sorted by place.

    Args:
        targets: Files, folders, globs, names and modules, relative to the working directory; with none, the configured
            sources, and without these the working directory.
        configuration: The settings of the project.
        limits: What one file may take while it is opened.
    """
    base = Path() if targets else configuration.directory
    requests, problems = _requests(targets or configuration.sources or ["."], base)
    tools: list[dict[str, Any]] = []
    with (
        TemporaryDirectory(prefix="toolkit-lint-") as folder,
        closing(_Child(configuration, limits, Path(folder))) as child,
    ):
        for request in requests:
            answer = child.open(request)
            if isinstance(answer, Problem):
                problems.append(answer)
            else:
                found = map(read_problem, answer["problems"])
                problems += (problem for problem in found if request.is_named or problem.code != NO_TOOLS)
                tools += answer["tools"]
    here = Path.cwd()
    seen = (seen_from(here, _judged(problem)) for problem in [*problems, *duplicate_names(tools)])
    return sorted(dict.fromkeys(seen), key=_order)


class _Request(NamedTuple):
    """One thing to open.

    Attributes:
        target: What it is called.
        base: The folder that this is relative to.
        file: The real path, where it is one file.
        is_named: Whether the user named this very thing, and not a folder or a pattern that it is in.
    """

    target: str
    base: str
    file: str | None = None
    is_named: bool = True


def _requests(targets: Iterable[str], base: Path) -> tuple[list[_Request], list[Problem]]:
    """Return what to open, a file at a time, and what was not found; Python comes first, since pipelines use it."""
    requests: dict[str, _Request] = {}
    problems = []
    for text in targets:
        match parse_target(text, base):
            case Problem() as problem:
                problems.append(problem)
            case FilesTarget(paths=(), spelled=spelled):
                problems.append(Problem(NO_TOOLS, f"there are no tools in '{spelled}'", severity="warning"))
            case FilesTarget(paths=paths, name=None, is_single=is_named):
                for path in paths:
                    file = os.path.realpath(path)
                    requests.setdefault(file, _Request(str(path), "", file, is_named))
            case _:
                requests.setdefault(text, _Request(text, str(base)))
    return sorted(requests.values(), key=lambda request: not request.target.endswith(".py")), problems


class _Child:
    """Has requests answered by a child process, and by a new one after a file that ended it."""

    def __init__(self, configuration: Configuration, limits: Limits, folder: Path) -> None:
        self._configuration = configuration_record(configuration)
        self._limits = limits
        self._crash_file = folder / "last_words.txt"
        self._worker: Worker | None = None
        self._number = 0
        self._refused: dict[str, dict[str, Any]] = {}

    def open(self, request: _Request) -> dict[str, Any] | Problem:
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

    def _ask(self, request: _Request) -> dict[str, Any] | Ending:
        if self._worker is None:
            setup = {"configuration": self._configuration, "refused": self._refused}
            self._worker = Worker(setup, self._limits, self._crash_file)
            self._number += 1
        answer = self._worker.ask({"target": request.target, "base": request.base})
        if isinstance(answer, Ending):
            self.close()
        else:
            answer["tools"] = [{**tool, "child": self._number} for tool in answer["tools"]]
        return answer


def _judged(problem: Problem) -> Problem:
    return replace(problem, severity=_SEVERITIES.get(problem.code, problem.severity))


def _order(problem: Problem) -> tuple[str, int, int, str, str]:
    place = problem.location or Location("")
    return place.file, place.line or 0, place.column or 0, problem.code, problem.message
