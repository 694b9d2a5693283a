"""What each rule finds in the tools of public repositories, to be counted and to be read.

    git clone https://github.com/awslabs/mcp FOLDER/awslabs+mcp
    TOOLKIT_CHECKOUTS=FOLDER pytest --proofs tests/lint/test_findings.py

`docs/precision.md` has the counts that are printed under "figures", and how many of a sample were true and useful. With
`TOOLKIT_SAMPLE=FILE`, up to thirty findings of each rule are written into a file, the same ones each time.
"""

import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from toolkit.lint import all_pages

PAGE = Path(__file__).parents[2] / "docs/precision.md"
LISTED = re.compile(r"\b(TK\d{3})\b")
READ = 30


def test_page_lists_every_rule_once():
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(("| TK", "- TK"))]
    listed = [code for row in rows for code in LISTED.findall(row)]
    assert sorted(listed) == sorted(page.code for page in all_pages())


@pytest.mark.proof
def test_rules_find_something_in_every_checkout(figure):
    found = defaultdict(list)
    for checkout in checkouts():
        for problem in problems_in(checkout):
            found[problem["code"]].append((checkout, problem))
    for code, problems in sorted(found.items()):
        projects = {checkout for checkout, _ in problems}
        figure(f"{code}: {len(problems)} findings in {len(projects)} projects")
    assert found.keys() <= {page.code for page in all_pages()}
    if target := os.environ.get("TOOLKIT_SAMPLE"):
        lines = [line for code in sorted(found) for line in sample_of(found[code])]
        Path(target).write_text("\n".join(lines), "utf-8")


def checkouts():
    """Return the checkouts that are here, or skip the test."""
    folder = os.environ.get("TOOLKIT_CHECKOUTS")
    if not folder:
        pytest.skip("clone repositories into a FOLDER, and set TOOLKIT_CHECKOUTS=FOLDER")
    return sorted(path for path in Path(folder).iterdir() if path.is_dir())


def problems_in(checkout):
    """Return what the source of a checkout shows, as data."""
    options = ["--static", "--select", "ALL", "--no-cache", "--format", "json", "--exit-zero"]
    command = [sys.executable, "-m", "toolkit_cli", "lint", *options, "."]
    linted = subprocess.run(command, cwd=checkout, capture_output=True, encoding="utf-8", check=True)
    return json.loads(linted.stdout)


def sample_of(problems):
    """Return the lines that show some of the findings of a rule: what it says, and where."""
    for checkout, problem in random.Random(14).sample(problems, min(READ, len(problems))):  # noqa: S311 - the same sample each time
        place = problem["location"] or {"file": ".", "line": 0}
        path = checkout / place["file"]
        source = path.read_text("utf-8", errors="replace").splitlines() if path.is_file() else []
        yield f"{problem['code']} {path}:{place['line']} {problem['message']} ({problem['hint']})"
        yield from (f"    {line}" for line in source[max(place["line"] - 3, 0) : place["line"] + 3])
