"""Reading a file finds what importing it finds, wherever the source shows it."""

import shutil
from pathlib import Path

import pytest

from toolkit.lint import Selection, all_pages, check, read_lint_settings
from toolkit.sources import find_configuration

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in (HERE / "rules").glob("*/bad.py"))
PIPELINES = sorted(path.parent for path in (HERE / "rules").glob("TK6*/bad.yaml"))
PLANNED = {path.name for path in PIPELINES} - {"TK601", "TK603", "TK613", "TK620"}
"""The rules that find nothing in a pipeline that is not planned."""
ONLY_RUN = {
    "TK010": 5,  # what a comment silences is known only when all of it was looked for
    "TK102": 1,  # a name that is computed
    "TK201": 1,  # a class without a mark
    "TK203": 1,  # a description that is computed
    "TK207": 1,  # a description that stands elsewhere
    "TK307": 1,
    "TK309": 1,
    "TK322": 2,
    "TK501": 1,  # a description that stands elsewhere
    "TK514": 1,
}
"""How many findings of a case show only when the file is run."""


def found(file, code, *, is_static):
    """Return the places at which a rule finds something in a file."""
    configuration, _ = find_configuration()
    settings, _ = read_lint_settings(configuration)
    extended = Selection(extend_select=tuple(page.code for page in all_pages() if not page.default))
    settings = settings._replace(selections=(*settings.selections, extended), is_static=is_static)
    problems = check([file], configuration, settings=settings)
    return [str(problem.location) for problem in problems if problem.code == code]


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def code(request, tmp_path, monkeypatch):
    shutil.copytree(request.param, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return request.param.name


def test_rule_finds_the_same_without_an_import(code):
    lines = Path("expected.txt").read_text("utf-8").splitlines()
    expected = [line.partition(": ")[0] for line in lines if line.startswith("bad.py")]
    places = found("bad.py", code, is_static=True)
    assert set(places) <= set(expected)
    assert len(expected) - len(places) == ONLY_RUN.get(code, 0)
    assert found("good.py", code, is_static=True) == []


def test_rules_that_need_an_import_are_those_that_find_less_without_one():
    needing = {page.code for page in all_pages() if page.needs_import}
    assert needing == {"TK002", *PLANNED, *(needing & ONLY_RUN.keys())}


@pytest.mark.parametrize("case", PIPELINES, ids=lambda case: case.name)
def test_rules_that_need_a_plan_are_those_that_find_nothing_without_one(case, tmp_path, monkeypatch):
    shutil.copytree(case, tmp_path, dirs_exist_ok=True)
    shutil.copy(HERE / "rules" / "texts.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert bool(found("bad.yaml", case.name, is_static=True)) == (case.name not in PLANNED)
