"""Renders findings as Markdown, for pull request comments and job summaries."""

import re
from collections.abc import Sequence

from toolkit.problems import Problem, Severity
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.excerpts import path_for_people
from toolkit_cli.rendering.problems import summary_of

_SIGNS: dict[Severity, str] = {"error": "❌", "warning": "⚠️", "info": "💡"}
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#!~])")


def as_markdown(problems: Sequence[Problem]) -> str:
    """Return a heading, a summary, and a table of the findings."""
    if not problems:
        return "### toolkit lint\n\nAll checks passed! ✅"
    rows = [_row(problem) for problem in problems]
    head = ["### toolkit lint", "", summary_of(problems), "", "| | rule | where | what |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])


def _row(problem: Problem) -> str:
    place = problem.location
    at = [path_for_people(place.file), *(str(part) for part in (place.line, place.column) if part)] if place else []
    where = f"`{':'.join(at).replace('`', '').replace('|', chr(92) + '|')}`" if at else ""
    hint = f"<br>{_escape(problem.hint)}" if problem.hint else ""
    return f"| {_SIGNS[problem.severity]} | {problem.code} | {where} | {_escape(problem.message)}{hint} |"


def _escape(text: str) -> str:
    """Return a text on one line, with Markdown and HTML escaped."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("&", "&amp;")
