"""Renders findings as GitLab Code Quality reports, which merge requests show next to the lines."""

from collections.abc import Sequence
from typing import Any

from toolkit.lint.baselines import fingerprints
from toolkit.lint.breakages import is_breakage
from toolkit.problems import Problem, Severity
from toolkit.visibility import visible_json
from toolkit_cli.rendering.excerpts import shown_path

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
            "path": shown_path(place.file) if place else ".",
            "lines": {"begin": (place and place.line) or 1},
        },
    }
