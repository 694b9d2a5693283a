"""What `toolkit lint` prints about the whole, or leaves out, and the comments that it adds."""

import json
import signal
import subprocess
import sys

import pytest

BAD = """\
from toolkit import tool


@tool
def remind(when) -> str:
    return f"reminded {when}"
"""
CONCISE = (
    "bad.py:5:5: error[TK201] tool 'remind' has no description\n"
    "bad.py:5:12: warning[TK204] parameter 'when' of 'remind' has no description\n"
    "bad.py:5:12: warning[TK301] parameter 'when' of 'remind' has no type\n"
)


def write(project, text=BAD):
    (project / "bad.py").write_text(text, "utf-8")


def test_quiet_prints_the_findings_and_nothing_else(invoke, project):
    write(project)
    result = invoke("lint", "-q", "bad.py", "--format", "concise")
    assert (result.exit_code, result.stdout, result.stderr) == (1, CONCISE, "")
    text = invoke("lint", "--quiet", "bad.py").stdout
    assert text.startswith("error[TK201]: tool 'remind' has no description\n --> bad.py:5:5\n")
    assert text.endswith("hint: annotate it: when: str\n")


def test_quiet_prints_nothing_where_all_is_well(invoke, project):
    write(project)
    options = ("lint", "-q", "bad.py", "--ignore", "TK2,TK3", "--baseline", "known.json")
    assert invoke(*options, "--update-baseline").exit_code == 0
    result = invoke(*options)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


MANY = """\
error[TK402]: tool 'remind_7' returns a connection, which cannot be written as JSON
  --> bad.py:41:23
   |
41 | def remind_7(when) -> sqlite3.Connection:
   |                       ^^^^^^^^^^^^^^^^^^
   |
hint: return plain data: text, numbers, lists, dicts, a dataclass or a model

TOOL       PLACE         FINDINGS
remind_0   bad.py:6:5    missing-description (error), missing-parameter-description
remind_1   bad.py:11:5   missing-description (error), missing-parameter-description
remind_2   bad.py:16:5   missing-description (error), missing-parameter-description
remind_3   bad.py:21:5   missing-description (error), missing-parameter-description
remind_4   bad.py:26:5   missing-description (error), missing-parameter-description
remind_5   bad.py:31:5   missing-description (error), missing-parameter-description
remind_6   bad.py:36:5   missing-description (error), missing-parameter-description
remind_7   bad.py:41:5   missing-description (error), missing-parameter-description, untyped-parameter
remind_9   bad.py:51:5   missing-description (error), missing-parameter-description
remind_10  bad.py:56:5   missing-description (error), missing-parameter-description
remind_11  bad.py:61:5   missing-description (error), missing-parameter-description
remind_8   bad.py:46:14  missing-parameter-description
(file)     none.py       no-tools

Found 12 errors and 14 warnings in 2 files. (12 tools in 1 file; read, not run; TK002 needs an import)

12  TK204  [ ] missing-parameter-description
11  TK201  [ ] missing-description
 1  TK004  [ ] no-tools
 1  TK301  [ ] untyped-parameter
 1  TK402  [ ] unserialisable-return

FRAMEWORK  TOOLS  FINDINGS
toolkit    12     25

TOOL      FILE    FINDINGS
remind_7  bad.py  4
remind_0  bad.py  2
remind_1  bad.py  2
remind_2  bad.py  2
remind_3  bad.py  2

hint: `--select TK402` shows what stops a server or an agent
hint: `--format full` shows each finding with its source, and `--select CODE` those of one rule;
      `--baseline lint-baseline.json --update-baseline` records all of them, so that only new ones count
"""


def write_many_tools(project):
    tool = "\n\n@tool\ndef remind_{0}(when: str) -> str:\n    return when\n"
    source = "import sqlite3\nfrom toolkit import tool\n" + "".join(tool.format(number) for number in range(12))
    source = source.replace("remind_7(when: str) -> str", "remind_7(when) -> sqlite3.Connection")
    source = source.replace("tool\ndef remind_8(when: str)", "tool(description='Set one.')\ndef remind_8(when: str)")
    write(project, source)
    (project / "none.py").write_text("import fastmcp\n", "utf-8")
    return "lint", "bad.py", "none.py", "--static", "--select", "TK004,TK201,TK204,TK301,TK402", "--profile", "all"


def test_many_findings_are_a_line_for_each_tool_after_what_breaks(invoke, project, monkeypatch):
    options = write_many_tools(project)
    monkeypatch.setenv("COLUMNS", "120")
    assert invoke(*options).stdout == MANY


@pytest.mark.proof
def test_full_format_shows_each_of_many_findings(invoke, project):
    options = write_many_tools(project)
    text = invoke(*options, "--format", "full").stdout
    assert text.count(" --> ") == 26
    assert text.splitlines()[-2:] == [
        "hint: `--format concise` shows each finding on one line, and `--select CODE` shows those of one rule;",
        "      `--baseline lint-baseline.json --update-baseline` records all of them, so that only new ones count",
    ]


@pytest.mark.proof
def test_known_findings_are_no_new_ones(invoke, project):
    known = invoke(*write_many_tools(project), "--baseline", "known.json", "--update-baseline")
    assert known.stdout == "All checks passed! (12 tools in 1 file; read, not run; TK002 needs an import)\n"


def test_gitlab_gets_a_report_of_code_quality(invoke, project):
    write(project)
    result = invoke("lint", "bad.py", "--format", "gitlab")
    issues = json.loads(result.stdout)
    marks = [issue.pop("fingerprint") for issue in issues]
    assert len(set(marks)) == len(marks) == 3
    assert issues[0] == {
        "description": "tool 'remind' has no description (write a docstring: what it does and when to use it)",
        "check_name": "TK201",
        "severity": "major",
        "location": {"path": "bad.py", "lines": {"begin": 5}},
    }
    assert [issue["severity"] for issue in issues] == ["major", "minor", "minor"]


def test_gitlab_gets_a_place_for_what_is_in_no_file(invoke, project):
    (project / "code").mkdir()
    [issue] = json.loads(invoke("lint", "code", "--format", "gitlab").stdout)
    assert issue["location"] == {"path": ".", "lines": {"begin": 1}}


def test_comments_silence_all_findings(invoke, project):
    write(project)
    result = invoke("lint", "bad.py", "--add-noqa")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "All checks passed! (1 tool in 1 file)\n",
        "Suppressed 3 findings with comments in 1 file.\n",
    )
    assert "def remind(when) -> str:  # toolkit: ignore[TK201, TK204, TK301]\n" in (project / "bad.py").read_text(
        "utf-8"
    )
    assert invoke("lint", "bad.py").stdout == "All checks passed! (1 tool in 1 file)\n"


def test_findings_that_no_comment_can_silence_are_shown(invoke, project):
    (project / "tools.json").write_text('[{"name": "find_order", "description": "Short."}]', "utf-8")
    result = invoke("lint", "tools.json", "--add-noqa", "--format", "concise")
    assert result.stderr == "Suppressed 0 findings with comments in 0 files.\n"
    assert "tools.json:1:41: warning[TK202]" in result.stdout


@pytest.mark.proof
def test_comment_for_other_linters_is_answered_with_ours(invoke, project):
    write(project, BAD.replace("str:", "str:  # noqa: TK301"))
    assert (
        "bad.py:5:27: warning[TK010] [*] '# noqa: TK301' suppresses nothing here: it is a comment for other linters\n"
        in invoke("lint", "bad.py", "--format", "concise").stdout
    )
    invoke("lint", "bad.py", "--fix")
    assert "str:  # toolkit: ignore[TK301]\n" in (project / "bad.py").read_text("utf-8")


def test_text_on_stdin_is_checked_as_the_file_that_it_stands_for(invoke, project):
    write(project, "X = 1\n")
    result = invoke("lint", "-", "--stdin-filename", "bad.py", "--format", "concise", input=BAD)
    note = "1 tool in 1 file; read, not run; "
    assert (result.exit_code, result.stdout.partition(note)[0]) == (
        1,
        f"{CONCISE}Found 1 error and 2 warnings in 1 file. (",
    )
    assert (project / "bad.py").read_text("utf-8") == "X = 1\n"
    text = invoke("lint", "-", "--stdin-filename", "new/bad.py", input=BAD).stdout
    assert text.startswith(
        "error[TK201]: tool 'remind' has no description\n --> new/bad.py:5:5\n  |\n5 | def remind(when) -> str:\n"
    )


def test_pipelines_and_definitions_come_over_stdin_too(invoke, project):
    found = invoke("lint", "-", "--stdin-filename", "p.yaml", "--format", "concise", input="name: [\n").stdout
    assert found.startswith("p.yaml:1:8: error[TK601]")
    found = invoke("lint", "-", "--stdin-filename", "t.json", "--format", "concise", input="[").stdout
    assert found.startswith("t.json:1:2: error[TK601]")


def test_text_on_stdin_needs_a_name_and_stands_alone(invoke, project):
    for words, message in (
        (("-",), "text on stdin needs a file name"),
        (("-", "bad.py", "--stdin-filename", "bad.py"), "stdin cannot be checked together with other paths"),
        (("-", "--stdin-filename", "bad.py", "--fix"), "text on stdin cannot be changed"),
        (("bad.py", "--stdin-filename", "bad.py"), "'--stdin-filename' works only with text on stdin"),
    ):
        result = invoke("lint", *words, input=BAD)
        assert (result.exit_code, result.stderr.splitlines()[0]) == (2, f"error: {message}")


@pytest.mark.proof
def test_watch_checks_again_after_each_change_until_it_is_interrupted(project):
    write(project)
    command = [sys.executable, "-m", "toolkit_cli", "lint", "bad.py", "--watch", "--format", "concise", "-q"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=project, stdout=pipe, stderr=pipe, encoding="utf-8") as process:
        first = [process.stdout.readline() for _ in range(3)]
        watching = process.stderr.readline()
        write(project, BAD.replace("when)", "when: str)"))
        second = [process.stdout.readline() for _ in range(2)]
        again = [process.stderr.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 1
    assert "".join(first) == CONCISE
    assert watching == "watching for changes; press Ctrl-C to stop\n"
    assert "".join(second) == "".join(CONCISE.splitlines(keepends=True)[:2])
    assert again == ["\n", watching]


@pytest.mark.proof
def test_paths_are_relative_from_a_subfolder_of_the_project_too(invoke, project, monkeypatch):
    (project / "toolkit.toml").write_text("sources = ['tools']\n", "utf-8")
    (project / "tools").mkdir()
    (project / "tools/bad.py").write_text(BAD, "utf-8")
    (project / "docs/guides").mkdir(parents=True)
    monkeypatch.chdir(project / "docs/guides")
    expected = CONCISE.replace("bad.py", "../../tools/bad.py")
    assert invoke("lint", "-q", "--format", "concise").stdout == expected
    assert " --> ../../tools/bad.py:5:5\n" in invoke("lint").stdout
    [location, *_] = [one["location"]["file"] for one in json.loads(invoke("lint", "--format", "json").stdout)]
    assert location == str(project / "tools/bad.py")
    issues = json.loads(invoke("lint", "--format", "gitlab").stdout)
    assert {issue["location"]["path"] for issue in issues} == {"../../tools/bad.py"}
    assert '<testsuite name="../../tools/bad.py" ' in invoke("lint", "--format", "junit").stdout
    assert "| `../../tools/bad.py:5:5` |" in invoke("lint", "--format", "markdown").stdout


def test_gitlab_gets_paths_below_the_repository_wherever_the_job_runs(invoke, project, monkeypatch):
    write(project)
    (project / "docs").mkdir()
    monkeypatch.chdir(project / "docs")
    monkeypatch.setenv("CI_PROJECT_DIR", str(project))
    issues = json.loads(invoke("lint", "../bad.py", "--format", "gitlab").stdout)
    assert {issue["location"]["path"] for issue in issues} == {"bad.py"}
