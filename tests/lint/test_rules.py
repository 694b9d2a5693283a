"""Every rule finds what it should, where it should, and nothing else.

A folder of `rules/` is a case, named after a code: `bad.*` has what the rule finds, which `expected.txt` lists, `good.*`
has nothing of it, and `fixed.*` is what fixing makes of `bad.*`. A `toolkit.toml` beside them has the settings.
`TOOLKIT_REVIEW=1 pytest tests/lint/test_rules.py` writes what is found, to be reviewed.
"""

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from toolkit.lint.checking import check
from toolkit.lint.fixing import fix_files, is_fixable
from toolkit.lint.rule import PORTABLE, Rule
from toolkit.lint.rules import all_rules, codes, rule_of
from toolkit.lint.settings import read_lint_settings
from toolkit.sources.configuring import find_configuration

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CASES = sorted(path for path in (HERE / "rules").iterdir() if path.is_dir())
FOUND_ELSEWHERE = {"opening", "building", "planning"}
CHECKS = ("check_tool", "check_function", "check_module", "check_pipeline", "check_toolset")
EXAMPLE = re.compile(r"^## (Example|Instead)\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(python|json|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"python": "tools.py", "json": "tools.json", "yaml": "pipeline.yaml"}


def findings(code, *targets):
    """Return the findings of one rule in files, each as one line."""
    return [str(problem) for problem in problems_of(code, *targets)]


def problems_of(code, *targets):
    configuration, _ = find_configuration()
    settings, wrong = read_lint_settings(configuration)
    assert wrong == []
    return [problem for problem in check(targets, configuration, settings=settings) if problem.code == code]


def reviewed(file, text):
    """Return what a file of the case says; on request, it says from now on what was found."""
    if os.environ.get("TOOLKIT_REVIEW"):
        file.write_text(text, "utf-8")
    return file.read_text("utf-8") if file.exists() else ""


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request, tmp_path, monkeypatch):
    shutil.copytree(request.param, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return request.param


def test_rule_finds_what_is_bad_and_not_what_is_good(case):
    [bad] = Path().glob("bad.*")
    [good] = Path().glob("good.*")
    found = findings(case.name, str(bad))
    assert found
    assert "".join(f"{line}\n" for line in found) == reviewed(case / "expected.txt", "".join(f"{x}\n" for x in found))
    assert findings(case.name, str(good)) == []


def test_fixes_do_what_they_promise(case):
    [bad] = Path().glob("bad.*")
    rule = rule_of(case.name)
    before = problems_of(case.name, str(bad))
    assert any(problem.fix for problem in before) == (rule.fix is not None)
    if rule.fix is None:
        return
    unsafe = rule.fix == "unsafe"
    left = fix_files(lambda: problems_of(case.name, str(bad)), unsafe=unsafe).problems
    assert [problem for problem in left if is_fixable(problem, unsafe=unsafe)] == []
    text = bad.read_bytes().decode("utf-8")
    assert text == reviewed(case / f"fixed{bad.suffix}", text)


class Example(NamedTuple):
    """An example in the documentation of a rule: its section, its language and its text."""

    section: str
    language: str
    text: str


def examples_of(rule):
    return [
        Example(section, language, text)
        for section, body in EXAMPLE.findall(rule.documentation())
        for language, text in BLOCK.findall(body)
    ]


def examined(folder, rules):
    """Write the examples of rules, each into a folder of its own, and return the codes that are found in each."""
    named = {}
    for rule in rules:
        for example in examples_of(rule):
            path = folder / f"{rule.code}_{example.section}" / FILES[example.language]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.text, "utf-8")
            named[rule.code, example.section] = str(path)
    return named


@pytest.fixture(scope="module")
def found_in_examples(tmp_path_factory):
    """The codes found in the examples of all rules; those for the same providers are checked together."""
    folder = tmp_path_factory.mktemp("examples")
    before = Path.cwd()
    os.chdir(folder)
    found = {}
    groups: dict[object, list[type[Rule]]] = {}
    for rule in all_rules():
        groups.setdefault(rule.code if rule.overrides("check_toolset") else rule.providers, []).append(rule)
    for rules in groups.values():
        named = examined(folder, rules)
        parts = [[path] for path in named.values()] if rules[0].overrides("check_toolset") else [list(named.values())]
        for paths in parts:
            configuration, _ = find_configuration(folder)
            settings, _ = read_lint_settings(configuration)
            chosen = settings._replace(providers=rules[0].providers or (PORTABLE,))
            for problem in check(paths, configuration, settings=chosen) if paths else ():
                place = problem.location.file if problem.location else ""
                found.setdefault(str((folder / place).parent.name), set()).add(problem.code)
    os.chdir(before)
    return found


@pytest.mark.parametrize("code", codes())
def test_examples_of_the_documentation_show_what_they_say(code, found_in_examples):
    rule = rule_of(code)
    sections = {example.section for example in examples_of(rule)}
    shown = {section: code in found_in_examples.get(f"{code}_{section}", set()) for section in sections}
    assert shown == {section: section == "Example" for section in sections}


@pytest.mark.parametrize("code", codes())
def test_documentation_is_whole(code):
    rule = rule_of(code)
    text = rule.documentation()
    assert rule.code == code
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Why", "Example", "Instead", "Source"]
    assert text.partition("\n")[0].endswith(".")
    assert text.partition("\n")[2].startswith("\n## Why")


@pytest.mark.parametrize("code", codes())
def test_rule_is_called_after_the_pattern_that_it_finds(code):
    rule = rule_of(code)
    module = rule.__module__.rpartition(".")[2]
    assert module in {*FOUND_ELSEWHERE, rule.name.replace("-", "_")}
    assert re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", rule.name)


def test_every_rule_that_looks_has_a_case():
    looking = {rule.code for rule in all_rules() if any(rule.overrides(check) for check in CHECKS)}
    assert sorted(looking | {"TK010"}) == sorted(case.name for case in CASES)


def test_names_of_rules_are_their_own():
    names = [rule.name for rule in all_rules()]
    assert sorted(set(names)) == sorted(names)


def test_no_rule_finds_anything_in_good_definitions(tmp_path, monkeypatch):
    shutil.copytree(HERE / "benign", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    configuration, _ = find_configuration()
    assert [str(problem) for problem in check(["."], configuration)] == []


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
