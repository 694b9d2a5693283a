"""Renders findings as a pull request comment in Markdown, and safe fixes of changed lines as suggestions."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from toolkit_cli.pull_requests.finding_reports import Edit, Finding

MARKER = "<!-- toolkit lint: this comment is edited in place -->"
_MOST_ROWS = 100
_MOST_CHARACTERS = 60_000
_SIGNS = {"error": "❌", "warning": "⚠️", "info": "💡"}
_CLEAN = f"{MARKER}\n### toolkit lint\n\nAll checks passed! ✅\n"


def comment_of(findings: Sequence[Finding]) -> str:
    """Return the comment: breakages first, then other findings, up to the size limit."""
    if not findings:
        return _CLEAN
    lines = [MARKER, "### toolkit lint", "", _summary(findings)]
    size = sum(map(len, lines))
    shown = 0
    for is_breakage, group in groupby(findings, key=lambda finding: finding.is_breakage):
        title = "#### Breakages" if is_breakage else "#### Other findings"
        lines += ["", title, "", "| | rule | where | what |", "| --- | --- | --- | --- |"]
        for finding in group:
            row = _row(finding)
            size += len(row)
            if shown == _MOST_ROWS or size > _MOST_CHARACTERS:
                lines += ["", f"… and {len(findings) - shown} more: see the log of the job."]
                return "\n".join(lines) + "\n"
            lines.append(row)
            shown += 1
    return "\n".join(lines) + "\n"


def code_span(text: str) -> str:
    """Return a text as inline code, where it cannot contain mentions, links or HTML."""
    shown = text.replace("`", "'").replace("|", "\\|").strip()
    return f"`{shown}`" if shown else ""


def _row(finding: Finding) -> str:
    where = finding.path + (f":{finding.line}" if finding.path and finding.line else "")
    hint = f"<br>{code_span(finding.hint)}" if finding.hint else ""
    return f"| {_SIGNS[finding.severity]} | {finding.code} | {code_span(where)} | {code_span(finding.message)}{hint} |"


def _summary(findings: Sequence[Finding]) -> str:
    kinds = [finding.severity for finding in findings]
    counts = [(kinds.count(kind), kind) for kind in _SIGNS if kind in kinds]
    words = [f"{count} {kind}{'' if count == 1 or kind == 'info' else 's'}" for count, kind in counts]
    breakages = sum(finding.is_breakage for finding in findings)
    first = f", of which {breakages} {'is a breakage' if breakages == 1 else 'are breakages'}" if breakages else ""
    return f"Found {', '.join(words)}{first}."


SUGGESTION_MARKER = "<!-- toolkit lint: suggestion -->"
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
    return f"{SUGGESTION_MARKER}\n{finding.code} {code_span(finding.message)}\n\n{block}\n"
