"""Turns safe fixes of changed lines into suggestions, which GitHub can apply with one click."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolkit_cli.pull_requests.comments import code_span
from toolkit_cli.pull_requests.reports import Edit, Finding

MARKER = "<!-- toolkit lint: suggestion -->"
MOST_SUGGESTIONS = 20
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_MOST_LINES = 20


class Suggestion(NamedTuple):
    """A comment that suggests a replacement for the lines `first` to `last` of a file."""

    path: str
    first: int
    last: int
    body: str


class ChangedFile(NamedTuple):
    """The lines of a file that are in its patch, by number, and the numbers of added lines."""

    lines: Mapping[int, str]
    added: frozenset[int]


def read_patch(patch: str) -> ChangedFile:
    """Return the lines of the new file in a unified diff."""
    lines: dict[int, str] = {}
    added = set()
    number = 0
    for line in patch.split("\n"):
        if head := _HUNK.match(line):
            number = int(head[1])
        elif line.startswith(("+", " ")):
            lines[number] = line[1:]
            added |= {number} if line.startswith("+") else set()
            number += 1
    return ChangedFile(lines, frozenset(added))


def suggestions_for(findings: Iterable[Finding], files: Mapping[str, ChangedFile]) -> Iterator[Suggestion]:
    """Yield a suggestion for each safe fix that changes only added lines; if two change the same line, the first."""
    taken: set[tuple[str, int]] = set()
    for finding in findings:
        file = files.get(finding.path)
        if not finding.edits or file is None:
            continue
        first = min(edit.span.line for edit in finding.edits)
        last = max(_last_line(edit) for edit in finding.edits)
        lines = range(first, last + 1)
        if len(lines) > _MOST_LINES or not file.added.issuperset(lines) or taken & {(finding.path, n) for n in lines}:
            continue
        text = _edit([file.lines[number] for number in lines], first, finding.edits)
        if text is not None:
            taken |= {(finding.path, number) for number in lines}
            yield Suggestion(finding.path, first, last, _body(finding, text))


def _last_line(edit: Edit) -> int:
    """Return the last line that an edit changes; an edit that ends at column 1 does not change that line."""
    span = edit.span
    return span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line


def _edit(lines: Sequence[str], first: int, edits: Iterable[Edit]) -> str | None:
    """Apply edits to lines; return `None` if an edit is outside these lines."""
    text = "".join(f"{line}\n" for line in lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    after = len(text) + 1
    for span, new in sorted(edits, key=lambda edit: edit.span, reverse=True):
        start = starts[span.line - first] + span.column - 1
        end = starts[span.end_line - first] + span.end_column - 1
        if not start <= end <= min(after, len(text)):
            return None
        text, after = text[:start] + new + text[end:], start
    return text.removesuffix("\n")


def _body(finding: Finding, text: str) -> str:
    ticks = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, ticks + 1)
    block = f"{fence}suggestion\n{text}\n{fence}" if text else f"{fence}suggestion\n{fence}"
    return f"{MARKER}\n{finding.code} {code_span(finding.message)}\n\n{block}\n"
