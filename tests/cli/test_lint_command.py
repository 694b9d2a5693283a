"""`toolkit lint`."""

import json

import pytest

BAD = """\
from toolkit import tool


@tool
def remind(when) -> str:
    return "reminded"
"""
REPORT = """\
error[TK201]: tool 'remind' has no description
 --> bad.py:5:5
  |
5 | def remind(when) -> str:
  |     ^^^^^^
  |
hint: write a docstring: what it does and when to use it

warning[TK301]: parameter 'when' of 'remind' has no type
 --> bad.py:5:12
  |
5 | def remind(when) -> str:
  |            ^^^^
  |
hint: annotate it: when: str

Found 1 error and 1 warning in 1 file.
"""
GOOD = '''\
from toolkit import tool


@tool
def remind(when: str) -> str:
    """Remind somebody."""
    return "reminded"
'''


@pytest.fixture
def bad(project):
    (project / "bad.py").write_text(BAD, "utf-8")
    return project


def test_findings_go_to_stdout_with_their_places_and_cures(invoke, bad):
    result = invoke("lint", "bad.py")
    assert (result.exit_code, result.stdout, result.stderr) == (1, REPORT, "")


def test_without_a_path_the_working_directory_is_checked(invoke, bad):
    assert invoke("lint").stdout == REPORT


def test_without_a_path_configured_sources_are_checked(invoke, bad):
    (bad / "good.py").write_text(GOOD, "utf-8")
    (bad / "toolkit.toml").write_text('sources = ["good.py"]\n', "utf-8")
    result = invoke("lint")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "All checks passed!\n", "")


def test_warnings_alone_fail_nothing(invoke, bad):
    (bad / "bad.py").write_text(GOOD.replace("when: str", "when"), "utf-8")
    result = invoke("lint", "bad.py")
    assert result.exit_code == 0
    assert result.stdout.endswith("Found 1 warning in 1 file.\n")


def test_json_is_an_array_of_problems(invoke, bad):
    result = invoke("lint", "bad.py", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    assert [(problem["code"], problem["location"]["line"]) for problem in json.loads(result.stdout)] == [
        ("TK201", 5),
        ("TK301", 5),
    ]
    (bad / "bad.py").write_text(GOOD, "utf-8")
    assert invoke("lint", "bad.py", "--format", "json").stdout == "[]\n"


def test_github_gets_annotations(invoke, bad):
    result = invoke("lint", "bad.py", "--format", "github")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "::error file=bad.py,line=5,endLine=5,col=5,title=toolkit TK201::"
        "tool 'remind' has no description%0Ahint: write a docstring: what it does and when to use it\n"
        "::warning file=bad.py,line=5,endLine=5,col=12,title=toolkit TK301::"
        "parameter 'when' of 'remind' has no type%0Ahint: annotate it: when: str\n"
    )


def test_file_that_is_not_there_is_a_finding(invoke, bad):
    result = invoke("lint", "gone.py")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("error[TK001]: there is no file 'gone.py'\n")


def test_file_that_kills_the_interpreter_hides_no_other(invoke, bad):
    (bad / "deadly.py").write_text("import os\nos._exit(3)\n", "utf-8")
    result = invoke("lint")
    assert result.exit_code == 1
    assert REPORT.rpartition("\n\n")[0] in result.stdout
    assert "deadly.py" in result.stdout


def test_wrong_configuration_is_exit_code_2(invoke, bad):
    (bad / "toolkit.toml").write_text("sources = 3\n", "utf-8")
    result = invoke("lint")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error[TK005]: 'sources' must be a list of texts\n --> toolkit.toml:1:1\n")
