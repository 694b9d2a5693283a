"""A folder of bad pipelines: each is reported whole, with line, column and hint, and nothing runs.

Each case is a folder with `pipeline.yaml` and `expected.txt`, a line for each problem: `line:column code message (hint)`.
"""

from pathlib import Path

import pytest

from toolkit.pipelines import read_pipeline

CASES = sorted((Path(__file__).parent / "cases" / "bad").iterdir())


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_pipeline_is_reported_whole(case, bench, problem_line):
    pipeline, problems = read_pipeline(case / "pipeline.yaml", bench.opening)
    report = "".join(f"{problem_line(problem)}\n" for problem in problems)
    assert report == (case / "expected.txt").read_text("utf-8")
    assert (pipeline is None) == any(problem.severity == "error" for problem in problems)


HINTS = ("must be", "should be", "needs", "exists only", "instead of", "only functions")
"""Words by which a message says itself what is to be done."""


def test_nearly_every_problem_carries_its_line_and_a_hint(bench):
    problems = [problem for case in CASES for problem in read_pipeline(case / "pipeline.yaml", bench.opening)[1]]
    assert all(problem.location is not None and problem.location.line for problem in problems)
    solved = [problem for problem in problems if problem.hint or any(hint in problem.message for hint in HINTS)]
    assert len(solved) >= 0.95 * len(problems)
