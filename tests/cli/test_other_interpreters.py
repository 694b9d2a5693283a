"""`toolkit lint --python`: modules are opened with another Python, whose packages this one does not have."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

OWN = sysconfig.get_python_version()
MODULE = """
from guest import AFTERNOON

from toolkit import tool


@tool(read_only=True)
def forecast(city: str, part: str = AFTERNOON) -> str:
    '''Tell the weather of a part of tomorrow in a city.

    Args:
        city: A town, such as Oslo.
        part: Part of the day.
    '''
    return f"{city}, {part}: sunny"
"""
PIPELINE = """
name: report
description: Tell the weather of tomorrow in two cities, one after the other.
tools: [tools.py]
inputs: {city: {type: string, description: A town.}}
steps:
  - {id: first, use: forecast, with: {city: "${{ inputs.city }}"}}
"""


@pytest.fixture
def other(tmp_path_factory):
    """Return a Python with one package of its own, and nothing that toolkit needs."""
    place = tmp_path_factory.mktemp("other")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    packages = next(place.glob("lib/python3*/site-packages"))
    (packages / "guest.py").write_text("AFTERNOON = 'afternoon'\n", "utf-8")
    return place


def python_that_answers(folder, answer):
    """Return a command that answers as a Python would that has other packages."""
    script = folder / "python"
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n", "utf-8")
    script.chmod(0o755)
    return script


@pytest.mark.proof
def test_modules_are_opened_with_the_packages_of_the_other_python(invoke, project, other):
    (project / "tools.py").write_text(MODULE, "utf-8")
    (project / "report.yaml").write_text(PIPELINE, "utf-8")
    assert "No module named 'guest'" in invoke("lint", ".").stdout
    for named in (other, other / "bin/python"):
        ended = invoke("lint", ".", "--python", named)
        assert (ended.exit_code, ended.stdout, ended.stderr) == (
            0,
            "All checks passed! (2 tools in 2 files; 1 Python file run)\n",
            "",
        )


@pytest.mark.proof
def test_nothing_but_what_toolkit_needs_is_lent_to_the_other_python(invoke, project, other):
    (project / "tools.py").write_text(f"import rich\n{MODULE}", "utf-8")
    ended = invoke("lint", "tools.py", "--python", other, "--no-cache")
    assert "error[TK002]: 'tools.py' cannot be imported: ModuleNotFoundError: No module named 'rich'" in ended.stdout
    assert f"hint: install it into {other}" in ended.stdout


@pytest.mark.proof
def test_what_was_found_with_one_python_is_not_taken_for_another(invoke, project, other):
    (project / "tools.py").write_text(MODULE, "utf-8")
    assert invoke("lint", "--python", other).exit_code == 0
    assert invoke("lint").exit_code == 1
    for file in other.glob("lib/python3*/site-packages/guest.py"):
        file.unlink()
    assert invoke("lint", "--python", other).exit_code == 1


@pytest.mark.proof
def test_command_on_the_path_is_found_by_its_name(invoke, project, other, monkeypatch):
    (project / "tools.py").write_text(MODULE, "utf-8")
    monkeypatch.setenv("PATH", f"{other / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert invoke("lint", "tools.py", "--python", "python3").exit_code == 0


@pytest.mark.parametrize(
    ("answer", "message", "hint"),
    [
        pytest.param(
            '{"numbers": [3, 9], "version": "3.9.1"}',
            "'./python' is Python 3.9, and toolkit opens modules with 3.11 or newer",
            "choose a newer one, or only read the source, with --static",
            id="too old",
        ),
        pytest.param(
            '{"numbers": [3, 12], "version": "3.12.1", "installed": {"pydantic": "1.10.2"}}',
            "'./python' has pydantic 1.10.2, and toolkit opens modules with 2.11 or newer",
            "upgrade it: FOLDER/python -m pip install 'pydantic>=2.11', or only read the source, with --static",
            id="old pydantic",
        ),
        pytest.param(
            '{"numbers": [3, 99], "version": "3.99.0", "installed": {}, "suffix": ".cpython-399.so"}',
            f"'./python' is Python 3.99 without pydantic, and the one of toolkit works with Python {OWN} only",
            "install it there: FOLDER/python -m pip install pydantic, or only read the source, with --static",
            id="no pydantic",
        ),
        pytest.param(
            "Hello!", "'./python' is not a Python interpreter", "name the one that your modules run with", id="none"
        ),
    ],
)
def test_python_that_cannot_open_modules_is_refused(invoke, project, answer, message, hint):
    python_that_answers(project, answer)
    ended = invoke("lint", "tools.py", "--python", "./python")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr == f"error[TK005]: {message}\nhint: {hint.replace('FOLDER', str(project))}\n"


def test_python_that_is_not_there_is_reported(invoke, project):
    ended = invoke("lint", "tools.py", "--python", ".venv/bin/python")
    message = "error[TK005]: there is no Python '.venv/bin/python'"
    hint = "hint: name the interpreter that your modules run with, such as --python .venv/bin/python"
    assert (ended.exit_code, ended.stderr) == (2, f"{message}\n{hint}; looked in '{project}'\n")


def test_python_that_cannot_be_run_is_reported(invoke, project):
    Path(project, "python").write_text("", "utf-8")
    ended = invoke("lint", "tools.py", "--python", "./python")
    message = "error[TK005]: './python' cannot be run: Permission denied"
    assert (ended.exit_code, ended.stderr) == (
        2,
        f"{message}\nhint: name the interpreter that your modules run with\n",
    )


def test_python_is_not_named_where_nothing_runs(invoke):
    ended = invoke("lint", "--static", "--python", "python3")
    message = "error: '--static' opens no modules, so '--python' has no effect"
    assert (ended.exit_code, ended.stderr) == (2, f"{message}\nhint: leave out one of them\n")
