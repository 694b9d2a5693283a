"""`toolkit lint --against REV` on the command line: the formats, the exit codes and the options beside it."""

import json
import subprocess

import pytest

BEFORE = '''from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast the weather in a city."""
    return f"sun in {city}"
'''
BREAKING = BEFORE.replace("city: str", "city: str, days: int")


@pytest.fixture
def repository(project):
    """A repository with one tool."""
    (project / "tools.py").write_text(BEFORE)
    for words in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=tools"],
    ):
        subprocess.run(["git", *words], check=True)
    return project


def test_a_breaking_change_fails_and_points_at_the_tool(repository, invoke):
    (repository / "tools.py").write_text(BREAKING)
    done = invoke("lint", "--against", "main", "--format", "concise")
    assert (done.exit_code, done.stdout) == (
        1,
        (
            "tools.py:5:5: error[TK514] tool 'forecast': parameter 'days' is new, and required: "
            '{"type": "integer"} (breaking)\n'
            "Found 1 error in 1 file. (1 tool in 1 file; compared with main; read, not run)\n"
        ),
    )


def test_without_changes_it_passes(repository, invoke):
    done = invoke("lint", "--against", "main")
    assert (done.exit_code, done.stdout) == (
        0,
        "All checks passed! (1 tool in 1 file; compared with main; read, not run)\n",
    )


def test_compatible_changes_pass_and_texts_fail_as_warnings_do(repository, invoke):
    (repository / "tools.py").write_text(BEFORE.replace("city: str", "city: str, days: int = 3"))
    assert invoke("lint", "--against", "main").exit_code == 0
    (repository / "tools.py").write_text(BEFORE.replace("the weather", "snow"))
    assert invoke("lint", "--against", "main", "--fail-on", "breakage").exit_code == 0
    assert invoke("lint", "--against", "main", "--warnings-as-errors").exit_code == 1
    (repository / "tools.py").write_text(BREAKING)
    assert invoke("lint", "--against", "main", "--fail-on", "breakage").exit_code == 1


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize("name", ["text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"])
def test_changes_are_told_in_every_format(repository, invoke, name):
    (repository / "tools.py").write_text(BREAKING)
    done = invoke("lint", "--against", "main", "--format", name)
    assert done.exit_code == 1
    assert "TK514" in done.stdout
    assert "is new, and required" in done.stdout.replace("\\", "")


def test_changes_in_json_have_their_place_and_their_class(repository, invoke):
    (repository / "tools.py").write_text(BREAKING)
    [found] = json.loads(invoke("lint", "--against", "main", "--format", "json").stdout)
    assert (found["code"], found["severity"], found["location"]["line"]) == ("TK514", "error", 5)


def test_unknown_revision_is_one_error_and_no_traceback(repository, invoke):
    done = invoke("lint", "--against", "mian")
    assert done.exit_code == 2
    assert "there is no revision 'mian'" in done.stderr
    assert "did you mean 'main'?" in done.stderr


@pytest.mark.parametrize("option", ["--fix", "--diff", "--compat"])
def test_options_that_mean_another_check_are_refused(repository, invoke, option):
    done = invoke("lint", "--against", "main", option)
    assert (done.exit_code, done.stderr) == (2, f"error: '--against' and '{option}' cannot be combined\n")


def test_folder_without_tools_is_not_passed_over(repository, invoke):
    (repository / "code").mkdir()
    (repository / "code" / "module.py").write_text("X = 1\n")
    done = invoke("lint", "--against", "main", "--require-tools", "code")
    assert done.exit_code == 1
    assert "no tools found in the source of 'code'" in done.stdout
