"""Every rule finds what it should, where it should, and nothing else.

A folder of `rules/` is a case, named after a code: `bad.*` has what the rule finds, which `expected.txt` lists, `good.*`
has nothing of it, and `fixed.*` is what fixing makes of `bad.*`: one of each, or one of Python, one of JSON and one of
YAML. A `toolkit.toml` beside them has the settings; the tools of `rules/texts.py` are there for every case.
`TOOLKIT_REVIEW=1 pytest tests/lint/test_rules.py` writes what is found, to be reviewed.
"""

import os
import re
import shutil
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

from toolkit.lint import (
    PORTABLE,
    PROVIDERS,
    RulePage,
    RuleSettings,
    Selection,
    all_pages,
    check,
    codes,
    fix_files,
    is_fixable,
    page_of,
    read_lint_settings,
)
from toolkit.lint.rules import has_checks, make_rules  # private
from toolkit.settings import find_configuration

HERE = Path(__file__).parent
OFF = tuple(page.code for page in all_pages() if not page.default)
ROOT = HERE.parents[1]
CASES = sorted(path for path in (HERE / "rules").iterdir() if path.is_dir())
FIRST = {
    *("TK101", "TK102", "TK103", "TK201", "TK202", "TK204", "TK205", "TK301", "TK302", "TK303", "TK304", "TK308"),
    *("TK312", "TK313", "TK314", "TK315", "TK318", "TK319", "TK401", "TK402", "TK403", "TK404", "TK405", "TK501"),
    *("TK502", "TK506", "TK507", "TK511", "TK514", "TK601", "TK602", "TK603", "TK604", "TK605", "TK606", "TK607"),
    *("TK608", "TK609", "TK610", "TK614"),
}
FIRST_FIXES = {
    **dict.fromkeys(("TK205", "TK303", "TK313", "TK315", "TK501", "TK614"), "safe"),
    **dict.fromkeys(("TK101", "TK304", "TK312", "TK404", "TK506", "TK602", "TK604", "TK610"), "unsafe"),
}
EXAMPLE = re.compile(r"^## (Example|Instead)\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r'^```(python|json|yaml|markdown)(?: title="([^"\n]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
TOGETHER = {"TK645", "TK654"}
"""The codes of findings that compare what is written with all tools."""
FILES = {"python": "tools.py", "json": "tools.json", "yaml": "pipeline.yaml"}


def findings(code, *targets):
    """Return the findings of one rule in files, each as one line."""
    return [str(problem) for problem in problems_of(code, *targets)]


def problems_of(code, *targets):
    configuration, _ = find_configuration()
    settings, wrong = read_lint_settings(configuration)
    assert wrong == []
    settings = with_rules_that_are_off(settings)
    return [problem for problem in check(targets, configuration, settings=settings) if problem.code == code]


def with_rules_that_are_off(settings):
    """Return settings with every rule, also those that by default are off, or off for tools of other frameworks."""
    return settings._replace(selections=(*settings.selections, Selection(extend_select=OFF)), profile="all")


def reviewed(file, text):
    """Return what a file of the case says; on request, it says from now on what was found."""
    if os.environ.get("TOOLKIT_REVIEW"):
        file.write_text(text, "utf-8")
    return file.read_text("utf-8") if file.exists() else ""


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request, tmp_path, monkeypatch):
    shutil.copytree(request.param, tmp_path, dirs_exist_ok=True)
    shutil.copy(HERE / "rules" / "texts.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    return request.param


@pytest.fixture(scope="module")
def problems_in():
    """Return what finds the problems of a case in one of its files, as long as that is as it was; it looks once."""
    return cache(problems_of)


@pytest.mark.proof(everyday=20)
def test_rule_finds_what_is_bad_and_not_what_is_good(case, problems_in):
    bad, good = sorted(map(str, Path().glob("bad.*"))), sorted(map(str, Path().glob("good.*")))
    found = {file: [str(problem) for problem in problems_in(case.name, file)] for file in bad}
    text = "".join(f"{line}\n" for lines in found.values() for line in lines)
    assert all(found.values())
    assert text == reviewed(case / "expected.txt", text)
    assert good == [file.replace("bad", "good") for file in bad]
    assert [line for file in good for line in findings(case.name, file)] == []


@pytest.mark.proof(everyday=20)
def test_fixes_do_what_they_promise(case, problems_in):
    rule = page_of(case.name)
    bad = sorted(Path().glob("bad.*"))
    offered = [problem.fix for file in bad for problem in problems_in(case.name, str(file)) if problem.fix]
    assert bool(offered) == (rule.fix is not None)
    if rule.fix is None:
        return
    assert any(fix.is_safe for fix in offered) or rule.fix == "unsafe"
    for file in bad:
        fixed = fix_files(partial(problems_of, case.name, str(file)), unsafe=True)
        assert [problem for problem in [*fixed.problems, *fixed.refused] if is_fixable(problem, unsafe=True)] == []
        text = file.read_bytes().decode("utf-8")
        assert text == reviewed(case / f"fixed{file.suffix}", text)


class Example(NamedTuple):
    """An example in the documentation of a rule: its section, the name of its file, and its text."""

    section: str
    file: str
    text: str


def examples_of(rule):
    return [
        Example(section, title or FILES[language], text)
        for section, body in EXAMPLE.findall(rule.documentation)
        for language, title, text in BLOCK.findall(body)
    ]


def examined(folder, rules):
    """Write the examples of rules, each into a folder of its own, and return the codes that are found in each."""
    named = {}
    for rule in rules:
        for example in examples_of(rule):
            path = folder / f"{rule.code}_{example.section}" / example.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.text, "utf-8")
            named.setdefault((rule.code, example.section), []).append(str(path))
    return named


@pytest.fixture(scope="module")
def found_in_examples(tmp_path_factory):
    """The codes found in the examples of all rules; those for the same providers are checked together."""
    folder = tmp_path_factory.mktemp("examples")
    before = Path.cwd()
    os.chdir(folder)
    found = {}
    of_toolsets = {
        rule.code for rule in make_rules(codes(), RuleSettings(PROVIDERS)) if rule.overrides("check_toolset")
    } | TOGETHER
    groups: dict[object, list[RulePage]] = {}
    for rule in all_pages():
        groups.setdefault(rule.code if rule.code in of_toolsets else rule.providers, []).append(rule)
    for rules in groups.values():
        named = examined(folder, rules)
        parts = list(named.values()) if rules[0].code in of_toolsets else [[*chain.from_iterable(named.values())]]
        for paths in parts:
            configuration, _ = find_configuration(folder)
            settings, _ = read_lint_settings(configuration)
            chosen = with_rules_that_are_off(settings)._replace(providers=rules[0].providers or (PORTABLE,))
            for problem in check(paths, configuration, settings=chosen) if paths else ():
                place = Path(problem.location.file if problem.location else "")
                found.setdefault(place.parts[0] if place.parts else "", set()).add(problem.code)
    os.chdir(before)
    return found


@pytest.mark.proof
@pytest.mark.parametrize("code", codes())
def test_examples_of_the_documentation_show_what_they_say(code, found_in_examples):
    rule = page_of(code)
    sections = {example.section for example in examples_of(rule)}
    shown = {section: code in found_in_examples.get(f"{code}_{section}", set()) for section in sections}
    assert shown == {section: section == "Example" for section in sections}


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("code", codes())
def test_documentation_is_whole(code):
    rule = page_of(code)
    text = rule.documentation
    assert rule.code == code
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Why", "Example", "Instead", "Source"]
    assert text.partition("\n")[0].endswith(".")
    assert text.partition("\n")[2].startswith("\n## Why")


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("code", codes())
def test_rule_is_called_after_the_pattern_that_it_finds(code):
    assert re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", page_of(code).name)


def test_every_rule_has_a_case_but_those_of_opening_and_of_calling():
    """What is found by calling tools has its cases in `tests/testing`."""
    cases = {code for code in codes() if has_checks(code) or not code.startswith(("TK0", "TK8"))}
    assert sorted(cases) == sorted(case.name for case in CASES)


def test_first_version_is_whole():
    """Every rule that was promised first is there with its page, its case and, where that was promised, its fix."""
    pages = {path.stem for path in (ROOT / "docs" / "rules").glob("*.md")}
    missing = {code for code in FIRST if code not in codes() or page_of(code).name not in pages}
    assert missing == set()
    assert FIRST - {case.name for case in CASES} == set()
    fixes = {code: page_of(code).fix for code in FIRST if page_of(code).fix}
    assert fixes == FIRST_FIXES
    assert {case.name for case in CASES if list(case.glob("fixed.*"))} >= set(fixes)


CHECKS = (
    "check_tool",
    "check_function",
    "check_module",
    "check_pipeline",
    "check_skill",
    "check_manifest",
    "check_api",
    "check_toolset",
)


def test_rules_that_check_nothing_are_pages():
    rules = make_rules(codes(), RuleSettings(PROVIDERS))
    idle = {rule.code for rule in rules if not any(map(rule.overrides, CHECKS))}
    assert idle == set()


def test_names_of_rules_are_their_own():
    names = [page.name for page in all_pages()]
    assert sorted(set(names)) == sorted(names)


def test_no_rule_finds_anything_in_good_definitions(tmp_path, monkeypatch):
    shutil.copytree(HERE / "benign", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    configuration, _ = find_configuration()
    definitions = sorted(map(str, Path().glob("*.json")))  # which a folder alone does not mean
    assert [str(problem) for problem in check([".", *definitions], configuration)] == []


def test_samples_have_no_problems(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "sample_pipelines", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    configuration, _ = find_configuration()
    assert [str(problem) for problem in check(["."], configuration)] == []


def test_ready_tools_have_no_problems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    configuration, _ = find_configuration()
    found = [problem for problem in check(["builtin"], configuration) if problem.severity != "info"]
    assert [str(problem) for problem in found] == []
