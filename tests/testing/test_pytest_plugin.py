"""The plugin for pytest: case files as tests, and fixtures for tests of tools."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.testing.case_projects import write_shop
from toolkit_cli.main import application

SAMPLES = Path(__file__).parents[2] / "sample_pipelines"
CASES = """\
cases:
  - name: the price is known
    run: shop.py:price
    with: {order: A-17}
    expect: {output: {euros: 80, cents: 50}}
  - name: a wrong price
    run: shop.py:price
    with: {order: A-17}
    expect: {output: {euros: 79, cents: 50}}
  - name: no such tool
    run: shop.py:prize
"""
FAILURE = """\
error[TK806]: a wrong price: output.euros is 80, not 79
 --> shop.cases.yaml:9:30
  |
9 |     expect: {output: {euros: 79, cents: 50}}
  |                              ^^
  |
"""
TESTS = """
import pytest

from shop import mail, price, refund
from toolkit import Pipeline, Reject, ToolCall, ToolContext, from_function
from toolkit.agents import run_agent


def test_a_target_with_answers_and_stubs(run_target, reviewer, tool_calls):
    reviewer.answer("refund", "approve")
    happened = run_target("refunds.yaml", {"orders": [{"id": "A-17", "euros": 80, "damaged": True}]}, mail="sent")
    assert happened.output == ["paid back 40 EUR for order A-17"]
    assert tool_calls.names == ["refund", "mail", "refunds"]
    assert tool_calls[0].arguments == {"order": "A-17", "euros": 40}


def test_a_tool_with_a_reviewer_and_a_listener(reviewer, tool_calls):
    reviewer.answer("refund", "approve", {"reject": "too much"}, Reject("closed"))
    context = ToolContext(reviewer=reviewer, listener=tool_calls)
    results = [from_function(refund).run({"order": "A-17", "euros": euros}, context) for euros in (1, 2, 3)]
    assert [one.error for one in results] == [None, "Rejected by reviewer: too much", "Rejected by reviewer: closed"]
    assert [one.arguments["euros"] for one in tool_calls] == [1, 2, 3]


def test_stubs(stubs):
    tell = stubs(Pipeline.of(price, mail, name="tell"), mail=["sent", {"error": "no network"}])
    assert [tell.run({"order": "A-17"}).text for _ in range(2)] == ["sent", "Error: no network"]


async def ask(model):
    return await run_agent(model, "What did it cost?", [price])


def test_an_agent(scripted_model):
    import asyncio

    model = scripted_model([ToolCall("price", '{"order": "A-17"}'), "It cost {price}."])
    assert asyncio.run(ask(model)).text == 'It cost {"euros":80,"cents":50}.'


def test_a_question_nobody_foresaw(reviewer):
    with pytest.raises(Exception, match="nobody foresaw"):
        from_function(refund).run({"order": "A-17", "euros": 1}, ToolContext(reviewer=reviewer))


def test_an_answer_nobody_needed(reviewer):
    reviewer.answer("refund", "approve")


def test_a_stub_that_nothing_calls(stubs):
    stubs(from_function(price), male="sent")


def test_a_target_that_is_missing(run_target):
    run_target("nowhere.yaml")
"""


@pytest.fixture
def run_pytest(project):
    """Run pytest in the project, with the plugin alone."""
    write_shop(project)
    (project / "pytest.ini").write_text("[pytest]\npythonpath = .\n", "utf-8")

    def run(*arguments, plugins=("toolkit_cli.testing.pytest_plugin",)):
        loaded = [word for plugin in plugins for word in ("-p", plugin)]
        command = [sys.executable, "-m", "pytest", *loaded, "-q", "--color=no", *arguments]
        environment = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "100"}
        return subprocess.run(
            command, capture_output=True, text=True, cwd=project, env={**inherited(), **environment}, check=False
        )

    return run


def inherited():
    import os

    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}


def results_in(text):
    return sorted(re.findall(r"^(FAILED|PASSED|ERROR) (\S+?\.(?:yaml|py)(?:::.+?)?)(?: - .*)?$", text, re.MULTILINE))


def test_cases_are_tests_with_their_names_and_lines(run_pytest, project):
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    done = run_pytest("-rA")
    assert results_in(done.stdout) == [
        ("FAILED", "shop.cases.yaml::a wrong price"),
        ("FAILED", "shop.cases.yaml::no such tool"),
        ("PASSED", "shop.cases.yaml::the price is known"),
    ]
    assert FAILURE in done.stdout
    assert "did you mean 'price'?" in done.stdout
    assert "Traceback" not in done.stdout
    listed = run_pytest("--collect-only").stdout.splitlines()
    assert listed[:3] == [
        f"shop.cases.yaml::{name}" for name in ("the price is known", "a wrong price", "no such tool")
    ]


@pytest.mark.proof
def test_cases_are_chosen_and_distributed_like_all_tests(run_pytest, project):
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    assert "1 passed, 2 deselected" in run_pytest("-k", "known").stdout
    assert "2 failed, 1 passed" in run_pytest("-n", "2", plugins=("toolkit_cli.testing.pytest_plugin", "xdist")).stdout
    again = run_pytest("--lf", "-rA")
    assert results_in(again.stdout) == [
        ("FAILED", "shop.cases.yaml::a wrong price"),
        ("FAILED", "shop.cases.yaml::no such tool"),
    ]
    assert "1 failed" in run_pytest("shop.cases.yaml::a wrong price").stdout


def test_a_wrong_file_is_an_error_of_collection(run_pytest, project):
    (project / "shop.cases.yaml").write_text("cases: [{name: a, wth: 1}]\n", "utf-8")
    done = run_pytest()
    assert done.returncode == 2
    assert "error[TK602]: unknown key 'wth' in a case" in done.stdout
    assert "a case needs 'run'" in done.stdout


def test_a_setting_turns_the_collection_off(run_pytest, project):
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    assert "no tests ran" in run_pytest("-o", "toolkit_cases=false").stdout


def test_the_fixtures(run_pytest, project):
    (project / "test_shop.py").write_text(TESTS, "utf-8")
    done = run_pytest("-rA")
    assert results_in(done.stdout) == [
        ("ERROR", "test_shop.py::test_a_question_nobody_foresaw"),
        ("ERROR", "test_shop.py::test_an_answer_nobody_needed"),
        ("FAILED", "test_shop.py::test_a_stub_that_nothing_calls"),
        ("FAILED", "test_shop.py::test_a_target_that_is_missing"),
        ("PASSED", "test_shop.py::test_a_question_nobody_foresaw"),
        ("PASSED", "test_shop.py::test_a_target_with_answers_and_stubs"),
        ("PASSED", "test_shop.py::test_a_tool_with_a_reviewer_and_a_listener"),
        ("PASSED", "test_shop.py::test_an_agent"),
        ("PASSED", "test_shop.py::test_an_answer_nobody_needed"),
        ("PASSED", "test_shop.py::test_stubs"),
    ]
    for words in (
        "nobody foresaw the question about 'refund'",
        "the answer to 'refund' was not needed",
        "'price' calls no tool named 'male'",
        "there is no file 'nowhere.yaml'",
    ):
        assert words in done.stdout


def test_a_start_without_case_files_imports_nothing_of_the_library(run_pytest, project):
    (project / "test_modules.py").write_text(
        "import sys\n\n\ndef test_modules():\n    found = {name for name in sys.modules if name.startswith('toolkit')}\n"
        "    assert found == {'toolkit_cli', 'toolkit_cli.testing', 'toolkit_cli.testing.pytest_plugin'}\n",
        "utf-8",
    )
    (project / "shop.py").unlink()
    assert "1 passed" in run_pytest().stdout


@pytest.mark.proof
def test_the_samples_keep_their_promises_in_pytest_and_on_the_command_line(run_pytest, program, project):
    shutil.copytree(SAMPLES, project / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    done = run_pytest("samples")
    assert "25 passed" in done.stdout
    files = ["samples/lessons.cases.yaml", "samples/agents/agents.cases.yaml"]
    finished = program("test", *files)
    assert (finished.returncode, finished.stdout) == (0, "25 passed (25 cases in 2 files)\n")


OF_ANOTHER_PROGRAM = """\
cases:
  - input: Write a post.
    expect: trigger
"""


def test_case_files_of_another_program_are_left_alone_in_folders(tmp_path, monkeypatch):
    """Its files may have the same names: `toolkit lint .`, `toolkit test .` and pytest pass over them, unless named."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "checks"
    folder.mkdir()
    (folder / "doctor.cases.yaml").write_text(OF_ANOTHER_PROGRAM, "utf-8")

    def said():
        lint, test = (CliRunner().invoke(application(), [command, "checks"]).output for command in ("lint", "test"))
        tested = [sys.executable, "-m", "pytest", "-q", "checks"]
        return lint, test, subprocess.run(tested, capture_output=True, text=True, check=False).stdout

    assert not any("doctor.cases" in one for one in said())
    for command in ("lint", "test"):
        assert "doctor.cases.yaml" in CliRunner().invoke(application(), [command, "checks/doctor.cases.yaml"]).output
    for case in (
        "{run: shop.py:price, wiht: {order: A-17}}",
        "{rn: shop.py:price, wiht: {id: 1}}",
        "{rn: a, with: {input: 1}}",
    ):
        (folder / "shop.cases.yaml").write_text(f"cases:\n  - {case}\n", "utf-8")
        assert all("wiht" in one or "'rn'" in one for one in said())
