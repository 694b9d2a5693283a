"""Renders findings as a pull request comment in Markdown, in which text of findings cannot act as markup."""

from collections.abc import Sequence
from itertools import groupby

from toolkit_cli.pull_requests.reports import Finding

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
