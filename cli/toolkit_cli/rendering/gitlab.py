"""Renders findings as GitLab Code Quality reports, which merge requests show next to the lines."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolkit.lint.baselines import fingerprints
from toolkit.lint.breakages import is_breakage
from toolkit.problems import Problem, Severity
from toolkit.visibility import visible_json
from toolkit_cli.rendering.excerpts import path_for_people

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def as_gitlab(problems: Sequence[Problem]) -> str:
    """Return a JSON array; findings without a file are located at line 1 of the folder."""
    marks = fingerprints(problems)
    return visible_json([_issue(problem, mark) for problem, mark in zip(problems, marks, strict=True)], indent=2)


def _issue(problem: Problem, mark: str) -> dict[str, Any]:
    place = problem.location
    hint = f" ({problem.hint})" if problem.hint else ""
    return {
        "description": f"{problem.message}{hint}",
        "check_name": problem.code or "toolkit",
        "fingerprint": mark,
        "severity": "critical" if is_breakage(problem) else _SEVERITIES[problem.severity],
        "location": {
            "path": _path_in_repository(place.file) if place else ".",
            "lines": {"begin": (place and place.line) or 1},
        },
    }


def _path_in_repository(file: str) -> str:
    """Return a path relative to the repository, as GitLab expects it; its jobs name the folder in `CI_PROJECT_DIR`."""
    root = os.environ.get("CI_PROJECT_DIR")
    return str(Path(file).relative_to(root)) if root and Path(file).is_relative_to(root) else path_for_people(file)
