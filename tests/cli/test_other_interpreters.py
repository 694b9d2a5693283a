"""`toolkit lint --python`: modules are opened with another Python, whose packages this one does not have."""

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

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
CASES = """
cases:
  - {name: afternoon, run: "tools.py:forecast", with: {city: Oslo}, expect: {output: "Oslo, afternoon: sunny"}}
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


@pytest.fixture
def guest(project, program, other):
    """Return a function that runs a command with the other Python, beside a module that needs its packages."""
    (project / "tools.py").write_text(MODULE, "utf-8")
    (project / "weather.cases.yaml").write_text(CASES, "utf-8")
    return lambda *arguments, **options: program(*arguments, "--python", other, **options)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(["run", "tools.py:forecast", "city=Oslo"], "Oslo, afternoon: sunny\n", id="run"),
        pytest.param(
            ["list", "tools.py"],
            "NAME      MARKS      FROM      DESCRIPTION\n"
            "forecast  read-only  tools.py  Tell the weather of a part of tomorrow in a city.\n",
            id="list",
        ),
        pytest.param(
            ["schema", "tools.py", "--format", "yaml"],
            "name: forecast\n"
            "description: Tell the weather of a part of tomorrow in a city.\n"
            "parameters:\n"
            "  type: object\n"
            "  properties:\n"
            "    city:\n"
            "      type: string\n"
            "      description: A town, such as Oslo.\n"
            "    part:\n"
            "      type: string\n"
            "      description: Part of the day.\n"
            "      default: afternoon\n"
            "  required:\n"
            "    - city\n",
            id="schema",
        ),
        pytest.param(["lock", "tools.py", "--update"], "", id="lock"),
        pytest.param(["test", "weather.cases.yaml"], "1 passed (1 case in 1 file)\n", id="test"),
    ],
)
def test_commands_run_with_the_packages_of_the_other_python(program, guest, command, expected):
    alone = program(*command)
    assert "ModuleNotFoundError: No module named 'guest'" in alone.stderr + alone.stdout
    ended = guest(*command)
    assert (ended.returncode, ended.stdout) == (0, expected)


@pytest.mark.proof
def test_definition_that_is_shown_has_the_defaults_of_the_other_python(guest):
    ended = guest("show", "tools.py:forecast")
    assert ended.returncode == 0
    assert "afternoon" in ended.stdout


@pytest.mark.proof
def test_agent_runs_with_the_other_python_and_the_packages_that_it_lacks(project, guest):
    (project / "replies.yaml").write_text(
        "turns:\n  - calls: [{tool: forecast, arguments: {city: Rome}}]\n  - It will be sunny.\n", "utf-8"
    )
    ended = guest("agent", "How will it be?", "--tools", "tools.py", "--model", "scripted:replies.yaml")
    assert (ended.returncode, ended.stdout) == (0, "It will be sunny.\n")


@pytest.mark.proof
def test_server_runs_with_the_other_python_and_the_sdk_that_it_lacks(guest):
    asked: list[dict[str, Any]] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "client", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "forecast", "arguments": {"city": "Rome"}}},
    ]
    ended = guest("serve", "tools.py", input="".join(f"{json.dumps({'jsonrpc': '2.0', **one})}\n" for one in asked))
    answer = json.loads(ended.stdout.splitlines()[-1])
    assert answer["result"]["content"] == [{"type": "text", "text": "Rome, afternoon: sunny"}]
    assert ended.returncode == 0


@pytest.mark.proof
def test_configuration_for_a_client_names_the_other_python(guest, other):
    ended = guest("serve", "tools.py", "--print-config", "claude")
    arguments = json.loads(ended.stdout)["mcpServers"]["toolkit"]["args"]
    assert arguments[-2:] == ["--python", str(other / "bin/python")]


@pytest.mark.proof
def test_run_is_resumed_with_the_python_that_it_was_started_with(project, program, guest, tmp_path_factory):
    (project / "tools.py").write_text(
        MODULE.replace("return f", "import pathlib\n    assert pathlib.Path('open').exists()\n    return f"), "utf-8"
    )
    (project / "cities.jsonl").write_text('{"city": "Oslo"}\n', "utf-8")
    journal = {"XDG_STATE_HOME": str(tmp_path_factory.mktemp("state"))}
    failed = guest("run", "tools.py:forecast", "--each", "cities.jsonl", env=journal)
    assert failed.returncode == 1
    (project / "open").touch()
    [run] = json.loads(program("runs", "list", "--format", "json", env=journal).stdout)
    resumed = program("runs", "resume", run["id"], "--failed", env=journal, cwd=project.parent)
    assert (resumed.returncode, resumed.stdout) == (0, '{"item": 1, "output": "Oslo, afternoon: sunny"}\n')


@pytest.mark.parametrize("option", ["--static", "--groups"])
def test_list_that_imports_nothing_refuses_a_python(invoke, option):
    ended = invoke("list", option, "--python", "python3")
    assert (ended.exit_code, ended.stderr) == (
        2,
        f"error: '{option}' opens no modules, so '--python' has no effect\nhint: leave out one of them\n",
    )


FAILING = """
from guest import AFTERNOON

from toolkit import tool


@tool(read_only=True)
def forecast(city: str) -> str:
    '''Tell the weather of this afternoon in a city.'''
    return AFTERNOON[city.index("a")]
"""


@pytest.mark.proof
def test_commands_that_are_proposed_name_the_other_python(project, program, guest, other):
    shown = guest("show", "tools.py:forecast").stdout.splitlines()[-1].strip()
    assert shown == f"toolkit run tools.py:forecast --python {other} city=CITY"
    missing = guest("run", "tools.py:forecast").stderr.splitlines()[-1]
    assert missing == f"hint: write: toolkit run tools.py:forecast --python {other} city=…"
    (project / "tools.py").write_text(FAILING, "utf-8")
    tested = json.loads(guest("test", "tools.py", "--format", "json").stdout)
    command = tested["tools"][0]["findings"][0]["command"]
    assert command.startswith(f"toolkit run tools.py:forecast --python {other} --args ")
    assert "ValueError: substring not found" in program(*shlex.split(command)[1:]).stderr


@pytest.mark.proof
def test_record_in_a_store_is_not_enough_to_start_a_program(project, program, guest, other):
    (project / "tools.py").write_text(
        MODULE.replace("return f", "import pathlib\n    assert pathlib.Path('open').exists()\n    return f"), "utf-8"
    )
    (project / "cities.jsonl").write_text('{"city": "Oslo"}\n', "utf-8")
    store = ("--store", f"sqlite:///{project}/runs.db")
    assert guest("run", "tools.py:forecast", "--each", "cities.jsonl", *store).returncode == 1
    (project / "open").touch()
    [run] = json.loads(program("runs", "list", "--format", "json", *store).stdout)
    python = other / "bin/python"
    refused = program("runs", "resume", run["id"], "--failed", *store)
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        3,
        "",
        (
            f"error: the run '{run['id']}' was started with the Python '{python}', and others may be able to write its store\n"
            f"hint: if you trust that program, name it: toolkit runs resume {run['id']} {shlex.join(store)} --python {python}\n"
        ),
    )
    resumed = program("runs", "resume", run["id"], "--failed", *store, "--python", python)
    assert (resumed.returncode, resumed.stdout) == (0, '{"item": 1, "output": "Oslo, afternoon: sunny"}\n')
