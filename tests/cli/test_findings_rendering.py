"""Findings in every format, each as those who read it want it."""

import json
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.problems import Edit, Fix, Location, Problem
from toolkit_cli.rendering.findings import FORMATS, render, statistics_of  # private

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text("utf-8"))
SOURCE = "from toolkit import tool\n\n\n@tool\ndef remind(when) -> str:\n    return when\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my tools.py").write_text(SOURCE, "utf-8")
    return tmp_path


@pytest.fixture
def problems(folder):
    file = str(folder / "my tools.py")
    when = Location(file, 5, 12, 5, 16)
    fix = Fix("Rename the entry to 'when'", (Edit(when, "then"), Edit(Location(file, 6, 12, 6, 16), "then")))
    return [
        Problem("TK205", "'remind' has no parameter 'wen' <&|]]>", when, hint="rename it", fix=fix),
        Problem("TK103", "duplicate tool name 'remind'", Location(file, 5, 5, 5, 11), related=((when, "first\nhere"),)),
        Problem("TK202", "very short", Location(file, 5, 5, 5, 11), "warning"),
        Problem("TK003", "the ready tool cannot work here", None, "info"),
        Problem("", "something else", Location("/elsewhere/a.py")),
    ]


def test_concise_is_a_line_for_each(problems):
    assert render(problems, "concise", note="read, not run") == (
        "my tools.py:5:12: error[TK205] [*] 'remind' has no parameter 'wen' <&|]]>\n"
        "my tools.py:5:5: error[TK103] duplicate tool name 'remind'\n"
        "my tools.py:5:5: warning[TK202] very short\n"
        "info[TK003] the ready tool cannot work here\n"
        "/elsewhere/a.py: error something else\n"
        "Found 3 errors, 1 warning and 1 note in 2 files. (read, not run)\n"
        "1 problem can be fixed with `--fix`.\n"
    )


def test_json_has_every_key(problems):
    first = json.loads(render(problems, "json"))[0]
    fingerprint = first.pop("fingerprint")
    assert first == {
        "code": "TK205",
        "severity": "error",
        "message": "'remind' has no parameter 'wen' <&|]]>",
        "location": {"file": "my tools.py", "line": 5, "column": 12, "end_line": 5, "end_column": 16},
        "hint": "rename it",
        "related": [],
        "rule": "docstring-parameter-mismatch",
        "breakage": False,
        "fix": {
            "message": "Rename the entry to 'when'",
            "is_safe": True,
            "edits": [
                {
                    "location": {"file": "my tools.py", "line": 5, "column": 12, "end_line": 5, "end_column": 16},
                    "text": "then",
                },
                {
                    "location": {"file": "my tools.py", "line": 6, "column": 12, "end_line": 6, "end_column": 16},
                    "text": "then",
                },
            ],
        },
    }
    assert len(fingerprint) == 32
    assert [json.loads(line) for line in render(problems, "jsonl").splitlines()] == json.loads(render(problems, "json"))


def test_fingerprints_stay_when_lines_move_and_tell_twins_apart(problems):
    def marks(found):
        return [one["fingerprint"] for one in json.loads(render(found, "json"))]

    moved = [one if one.location is None else _moved(one) for one in problems]
    assert marks(problems) == marks(moved)
    assert len({*marks([problems[0]] * 3)}) == 3
    assert marks([problems[0]] * 3)[0] == marks(problems)[0]


def _moved(problem):
    place = problem.location
    return Problem(problem.code, problem.message, place._replace(line=(place.line or 0) + 7), problem.severity)


def test_sarif_is_valid_and_says_all(problems):
    log = json.loads(render(problems, "sarif"))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    [run] = log["runs"]
    driver = run["tool"]["driver"]
    assert [(rule["id"], rule["name"]) for rule in driver["rules"]] == [
        ("TK003", "NotATool"),
        ("TK103", "DuplicateToolName"),
        ("TK202", "ShortDescription"),
        ("TK205", "DocstringParameterMismatch"),
    ]
    first, second, third, fourth, fifth = run["results"]
    assert [driver["rules"][one["ruleIndex"]]["id"] for one in run["results"][:4]] == [
        "TK205",
        "TK103",
        "TK202",
        "TK003",
    ]
    assert [one["level"] for one in run["results"]] == ["error", "error", "warning", "note", "error"]
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "my%20tools.py", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 5, "startColumn": 12, "endLine": 5, "endColumn": 16},
            }
        }
    ]
    assert [
        change["insertedContent"]["text"] for change in first["fixes"][0]["artifactChanges"][0]["replacements"]
    ] == [
        "then",
        "then",
    ]
    assert second["relatedLocations"][0]["message"] == {"text": "first\nhere"}
    assert "locations" not in fourth
    assert fifth["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "file:///elsewhere/a.py"}}
    assert len({one["partialFingerprints"]["toolkit/v1"] for one in run["results"]}) == 5
    assert third["message"] == {"text": "very short"}


def test_sarif_of_nothing_is_valid(folder):
    log = json.loads(render([], "sarif"))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    assert log["runs"][0]["results"] == []


class Element(NamedTuple):
    """What an element of JUnit's XML may have: the children in their order, the attributes, and those it must have."""

    children: tuple[str, ...]
    attributes: frozenset[str]
    needed: frozenset[str] = frozenset()


TOTALS = frozenset({"name", "tests", "failures", "errors", "time", "disabled", "skipped"})
OUTPUTS = ("system-out", "system-err")
JUNIT = {
    "testsuites": Element(("testsuite",), TOTALS),
    "testsuite": Element(
        ("properties", "testcase", *OUTPUTS),
        TOTALS | {"timestamp", "hostname", "id", "package", "file"},
        frozenset({"name", "tests"}),
    ),
    "testcase": Element(
        ("skipped", "error", "failure", *OUTPUTS),
        frozenset({"name", "classname", "assertions", "time", "status", "file", "line"}),
        frozenset({"name"}),
    ),
    "failure": Element((), frozenset({"message", "type"})),
    "system-out": Element((), frozenset()),
}
"""The structure that readers of JUnit's XML share: Jenkins' `jenkins-junit.xsd`, and what GitLab and pytest add to it."""


def assert_junit(text):
    """Hold XML to the structure, and its totals to what is in it."""
    root = ET.fromstring(text.encode())  # noqa: S314 - it is our own
    assert root.tag == "testsuites"
    for element in root.iter():
        kind = JUNIT[element.tag]
        assert set(element.attrib) <= kind.attributes
        assert set(element.attrib) >= kind.needed
        order = [kind.children.index(child.tag) for child in element]
        assert order == sorted(order)
        assert bool(list(element)) <= (not (element.text or "").strip())
    for owner in [root, *root]:
        cases = list(owner.iter("testcase"))
        assert len(cases) == int(owner.get("tests"))
        assert sum(case.find("failure") is not None for case in cases) == int(owner.get("failures"))
        assert int(owner.get("errors")) == 0
    return root


def test_junit_counts_errors_as_failures(problems):
    root = assert_junit(render(problems, "junit"))
    assert (root.tag, root.attrib) == (
        "testsuites",
        {"name": "toolkit lint", "tests": "5", "failures": "3", "errors": "0"},
    )
    suites = {suite.get("name"): suite for suite in root}
    assert {name: (suite.get("tests"), suite.get("failures"), len(suite)) for name, suite in suites.items()} == {
        "my tools.py": ("3", "2", 3),
        "toolkit": ("1", "0", 1),
        "/elsewhere/a.py": ("1", "1", 1),
    }
    first, _, third = suites["my tools.py"]
    assert first.attrib == {
        "name": "TK205 my tools.py:5:12",
        "classname": "my tools.py",
        "file": "my tools.py",
        "line": "5",
    }
    [failure] = first
    assert (failure.tag, failure.get("type")) == ("failure", "TK205")
    assert failure.text == "my tools.py:5:12: error: 'remind' has no parameter 'wen' <&|]]>\nhint: rename it"
    assert [child.tag for child in third] == ["system-out"]


def test_junit_of_nothing_is_one_case_that_passed(folder):
    root = assert_junit(render([], "junit"))
    assert [[case.attrib for case in suite] for suite in root] == [[{"name": "No problems", "classname": "toolkit"}]]


def test_markdown_is_a_table_in_which_nothing_is_taken_for_a_sign(problems):
    assert render(problems, "markdown") == (
        "### toolkit lint\n\n"
        "Found 3 errors, 1 warning and 1 note in 2 files.\n\n"
        "| | rule | where | what |\n"
        "| --- | --- | --- | --- |\n"
        "| ❌ | TK205 | `my tools.py:5:12` | 'remind' has no parameter 'wen' \\<&amp;\\|\\]\\]\\><br>rename it |\n"
        "| ❌ | TK103 | `my tools.py:5:5` | duplicate tool name 'remind' |\n"
        "| ⚠️ | TK202 | `my tools.py:5:5` | very short |\n"
        "| 💡 | TK003 |  | the ready tool cannot work here |\n"
        "| ❌ |  | `/elsewhere/a.py` | something else |\n"
    )
    assert render([], "markdown") == "### toolkit lint\n\nAll checks passed! ✅\n"


def test_statistics_count_by_rule(problems):
    assert statistics_of([*problems, problems[0]]) == (
        "2  TK205  [*] docstring-parameter-mismatch\n"
        "1  -      [ ]\n"
        "1  TK003  [ ] not-a-tool\n"
        "1  TK103  [ ] duplicate-tool-name\n"
        "1  TK202  [ ] short-description\n"
    )


ANYTHING = st.text(max_size=30)
PLACES = st.none() | st.builds(
    Location,
    ANYTHING,
    *[st.none() | st.integers(1, 9)] * 4,
)


CODES = st.sampled_from(["", "TK201", "SHOP001"])


@settings(max_examples=examples(20), deadline=None)
@given(
    st.lists(
        st.builds(Problem, CODES, ANYTHING, PLACES, st.sampled_from(["error", "warning", "info"]), ANYTHING),
        max_size=3,
    )
)
def test_every_format_takes_any_text(found):
    written = {name: render(found, name) for name in FORMATS}
    jsonschema.Draft4Validator(SCHEMA).validate(json.loads(written["sarif"]))
    assert len(json.loads(written["json"])) == written["jsonl"].count("\n") == len(found)
    assert_junit(written["junit"])
    for name in ("concise", "markdown"):
        assert "\x1b" not in written[name]
