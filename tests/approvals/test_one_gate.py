"""One gate decides on every call: nothing else asks a reviewer, and a refusal has its words from one place."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {
    str(file.relative_to(ROOT)): file.read_text("utf-8")
    for package in ("toolkit", "cli")
    for file in sorted((ROOT / package).rglob("*.py"))
}


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        (r'f"Rejected by reviewer', ["toolkit/approvals/decisions.py"]),
        (r"\.decide\(", ["toolkit/approvals/consents.py", "toolkit/tools/questions.py"]),
        # The gate waits for its reviewer in `answer_of`, next to a reviewer that asks another one, as that of MCP does.
        (
            r"\.review\(",
            ["toolkit/approvals/reviewers.py", "toolkit/mcp/serving/calls.py"],
        ),
    ],
)
def test_nothing_but_the_gate_asks_a_reviewer(pattern, places):
    assert [file for file, text in SOURCES.items() if re.search(pattern, text)] == places
