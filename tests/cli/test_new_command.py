"""`toolkit new`."""

import os
import subprocess
import sys

import pytest

from tests.testing.case_projects import write_shop

EXAMPLES = '''
from typing import Annotated

from pydantic import Field

from toolkit import tool


@tool(read_only=True, examples=[{"city": "Oslo"}])
def forecast(city: str, days: Annotated[int, Field(ge=1, le=3)] = 1) -> str:
    """Tell the weather."""
    return f"Sunny in {city} for {days} days"


@tool(destructive=True)
def delete(city: str) -> str:
    """Delete a city."""
    raise NotImplementedError
'''
FIRST_CASES = """\
# `toolkit test --update FILE` writes the outputs of the snapshots; read them before you keep them.
toolkit: 1
cases:
  - name: 'forecast of {"city": "Oslo"}'
    run: examples.py:forecast
    with:
      city: Oslo
    snapshot: true
  - name: 'forecast of {"city": "text"}'
    run: examples.py:forecast
    with:
      city: text
    snapshot: true
  - name: 'forecast of {"city": "text", "days": 1}'
    run: examples.py:forecast
    with:
      city: text
      days: 1
    snapshot: true
  - name: forecast refuses what breaks required of city
    run: examples.py:forecast
    with: {}
    expect:
      error: true
      not:
        - forecast
  - name: forecast refuses what breaks type of city
    run: examples.py:forecast
    with:
      city: {}
    expect:
      error: true
      not:
        - forecast
  - name: delete asks first
    run: examples.py:delete
    with:
      city: text
    answers:
      - delete:
          reject: 'no'
    expect:
      error: 'no'
      code: rejected
      asked:
        - delete
      not:
        - delete
  - name: delete refuses what breaks required of city
    run: examples.py:delete
    with: {}
    expect:
      error: true
      not:
        - delete
  - name: delete refuses what breaks type of city
    run: examples.py:delete
    with:
      city: {}
    expect:
      error: true
      not:
        - delete
"""
NEW_TOOL_SAYS = "\nNow check it, and run it:\n  toolkit lint {0}.py\n  toolkit run {0}.py:{0} who=Ada\n"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_new_tool_is_written_with_its_test(invoke, project):
    result = invoke("new", "tool", "greet")
    assert result.exit_code == 0
    assert result.stdout == "greet.py\ntest_greet.py\ngreet.cases.yaml\n"
    assert result.stderr == NEW_TOOL_SAYS.format("greet")
    assert names_in(project) == ["greet.cases.yaml", "greet.py", "test_greet.py"]


@pytest.mark.proof
def test_new_tool_lints_clean_and_runs_and_its_test_passes(invoke, program, project):
    invoke("new", "tool", "greet")
    assert invoke("lint").stdout == "All checks passed! (1 tool in 1 file; 1 Python file run)\n"
    finished = program("run", "greet.py:greet", "who=Ada", "language=fr")
    assert (finished.stdout, finished.stderr, finished.returncode) == ("Bonjour, Ada!\n", "", 0)
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout
    assert tests.stdout.splitlines()[-1].startswith(
        ("3 passed", "5 passed")
    )  # with the cases, if the plugin is installed
    assert program("test", "greet.cases.yaml").stdout == "2 passed (2 cases in 1 file)\n"


def test_new_tool_is_in_good_style(project, invoke):
    invoke("new", "tool", "greet")
    for command in (["check", "--isolated", "--select", "E,F,I,UP,B"], ["format", "--isolated", "--check"]):
        arguments = [sys.executable, "-m", "ruff", *command, "--line-length", "100", "--no-cache", "."]
        finished = subprocess.run(arguments, cwd=project, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stdout + finished.stderr


def test_new_pipeline_lints_clean_and_runs(invoke, program):
    result = invoke("new", "pipeline", "order_price")
    assert result.exit_code == 0
    assert result.stdout == "order_price.yaml\npipeline.schema.json\n"
    assert result.stderr == (
        "\nNow check it, and run it:\n  toolkit lint order_price.yaml\n  toolkit run order_price.yaml pieces=10\n"
    )
    assert invoke("lint").stdout == "All checks passed! (1 tool in 1 file)\n"
    finished = program("run", "order_price.yaml", "pieces=10", "-q")
    assert (finished.stdout, finished.stderr, finished.returncode) == ("net 125, gross 150\n", "", 0)


def test_new_pipeline_tells_editors_where_its_format_is_described(invoke, program, project):
    invoke("new", "pipeline", "first")
    invoke("new", "pipeline", "second")
    assert (
        (project / "second.yaml")
        .read_text("utf-8")
        .startswith("# yaml-language-server: $schema=./pipeline.schema.json\n")
    )
    assert (project / "pipeline.schema.json").read_text("utf-8") == program("schema", "--of", "pipeline").stdout


def test_files_go_into_the_folder_that_is_named(invoke, project):
    result = invoke("new", "tool", "greet", "--path", "my tools/deep")
    assert result.stdout == "my tools/deep/greet.py\nmy tools/deep/test_greet.py\nmy tools/deep/greet.cases.yaml\n"
    assert "toolkit lint 'my tools/deep/greet.py'\n" in result.stderr
    assert (project / "my tools" / "deep" / "greet.py").is_file()


def test_nothing_is_ever_overwritten(invoke, project):
    (project / "test_greet.py").write_text("mine", "utf-8")
    result = invoke("new", "tool", "greet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: 'test_greet.py' is already there; nothing was created\n"
        "hint: choose another name, or another folder with --path\n"
    )
    assert names_in(project) == ["test_greet.py"]
    assert (project / "test_greet.py").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("get-weather", "get_weather"),
        ("2fast", "tool_2fast"),
        ("größe", "gr_e"),
        ("json", "json_tool"),
        ("class", "class_tool"),
    ],
)
def test_name_that_cannot_be_a_tool_and_a_file_is_refused_with_a_better_one(invoke, project, name, better):
    result = invoke("new", "tool", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(f"hint: call it '{better}'\n")
    assert names_in(project) == []


def test_folder_that_cannot_be_written_is_said(invoke, project):
    (project / "file").write_text("", "utf-8")
    result = invoke("new", "tool", "greet", "--path", "file/inside")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: cannot write 'file/inside/greet.py': not a directory\n"


def test_kind_that_does_not_exist_names_those_that_do(invoke):
    result = invoke("new", "toll", "greet")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: invalid value for 'tool|pipeline|agent|cases': 'toll' is not one of 'tool', 'pipeline', 'agent', 'cases'\n"
        "hint: did you mean 'tool'?\n"
    )


def test_new_cases_are_those_of_the_examples_the_boundaries_and_the_refusals(program, project):
    write_shop(project)
    (project / "examples.py").write_text(EXAMPLES, "utf-8")
    assert program("new", "cases", "examples.py").stdout == "examples.cases.yaml\n"
    assert (project / "examples.cases.yaml").read_text("utf-8") == FIRST_CASES
    assert program("lint", "examples.cases.yaml").returncode == 0
    updated = program("test", "examples.cases.yaml", "--update")
    assert (updated.returncode, updated.stdout) == (0, "8 passed (8 cases in 1 file)\n")
    assert program("test", "examples.cases.yaml").returncode == 0
    assert program("new", "cases", "refunds.yaml").stdout == "refunds.cases.yaml\n"
    assert "refund: stubbed" in (project / "refunds.cases.yaml").read_text("utf-8")
    assert program("lint", "refunds.cases.yaml").returncode == 0


def test_new_cases_are_not_written_over_others_nor_for_nothing(program, project):
    write_shop(project)
    (project / "shop.cases.yaml").write_text("mine", "utf-8")
    refused = [program("new", "cases", "shop.py"), program("new", "cases", "nothing.py")]
    assert [one.returncode for one in refused] == [2, 4]
    assert (project / "shop.cases.yaml").read_text("utf-8") == "mine"
