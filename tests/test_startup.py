"""What a command does not need, it does not import: a quick start is a promise."""

import os
import subprocess
import sys

import pytest

LIBRARIES = {
    "anyio",
    "asyncio",
    "prompt_toolkit",
    "pydantic",
    "pydantic_core",
    "questionary",
    "rich",
    "yaml",
}
DIALOGUE = {"prompt_toolkit", "questionary"}
EVENT_LOOPS = {"anyio", "asyncio"}

PROBE = """
import atexit, os, sys
atexit.register(lambda: open(os.environ["SEEN"], "w").write("\\n".join(sys.modules)))
{program}
"""
COMMAND = "from toolkit_cli.main import main\nsys.exit(main())"

TOOL = '''
from toolkit import tool

@tool
def greet(name: str, times: int = 1) -> str:
    """Greet somebody."""
    return ", ".join(["hello " + name] * times)
'''
TEXT_TOOLS = """
class Upper:
    name = "upper"
    description = "Put text into capitals."

    def execute(self, text: str) -> str:
        return text.upper()
"""
TEXT_PIPELINE = """
name: shout
description: Put text into capitals, twice.
tools: [./text_tools.py]
steps: [upper, upper]
"""


def imported(directory, program, *arguments):
    """Run a program in a fresh interpreter; return what it printed and which of the libraries it had imported."""
    seen = directory / "seen.txt"
    finished = subprocess.run(
        [sys.executable, "-c", PROBE.format(program=program), *arguments],
        cwd=directory,
        env=os.environ | {"SEEN": str(seen), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    roots = {name.partition(".")[0] for name in seen.read_text("utf-8").splitlines()}
    return finished.stdout, roots & LIBRARIES


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tools.py").write_text(TOOL, "utf-8")
    (tmp_path / "text_tools.py").write_text(TEXT_TOOLS, "utf-8")
    (tmp_path / "shout.yaml").write_text(TEXT_PIPELINE, "utf-8")
    return tmp_path


def test_importing_the_library_imports_no_other(tmp_path):
    assert imported(tmp_path, "import toolkit") == ("", set())


def test_marking_a_function_imports_nothing(tmp_path):
    assert imported(tmp_path, TOOL) == ("", set())


def test_version_imports_not_even_the_parser_of_arguments(tmp_path):
    program = COMMAND.replace("sys.exit(main())", "sys.exit(main() or 'typer' in sys.modules)")
    output, libraries = imported(tmp_path, program, "--version")
    assert output.startswith("toolkit ")
    assert libraries == set()


def test_help_imports_no_library(tmp_path):
    output, libraries = imported(tmp_path, COMMAND, "--help")
    assert "run" in output
    assert libraries == set()


def test_run_of_a_tool_imports_only_what_validates(project):
    output, libraries = imported(project, COMMAND, "run", "tools.py:greet", "name=Ada", "times=2")
    assert output == "hello Ada, hello Ada\n"
    assert libraries <= {"pydantic", "pydantic_core"}


def test_schema_of_a_tool_imports_only_what_makes_schemas(project):
    output, libraries = imported(project, COMMAND, "schema", "tools.py")
    assert '"greet"' in output
    assert libraries <= {"pydantic", "pydantic_core"}


def test_run_of_text_steps_imports_neither_dialogue_nor_event_loop(project):
    output, libraries = imported(project, COMMAND, "run", "shout.yaml", "--input", "hello")
    assert output == "HELLO\n"
    assert libraries & (DIALOGUE | EVENT_LOOPS) == set()


def test_agents_cost_nothing_where_there_are_none_and_show_asks_no_provider(project):
    for arguments in (("run", "tools.py:greet", "name=Ada"), ("run", "shout.yaml", "--input", "hello")):
        imported(project, COMMAND, *arguments)
        modules = (project / "seen.txt").read_text("utf-8").splitlines()
        assert "toolkit.tools.base" in modules
        assert "toolkit.agents.agent" not in modules
    (project / "clerk.yaml").write_text("agent: simple\ndescription: Greet.\ntools: [./tools.py]\nmodel: chat:x\n")
    output, libraries = imported(project, COMMAND, "show", "clerk.yaml")
    assert "chat:x" in output
    assert libraries <= {"pydantic", "pydantic_core", "yaml"}
