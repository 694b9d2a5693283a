"""Warnings of imported modules are counted in one line, and shown with `-v`."""

import pytest

from tests.mcp.served import over_http

TOOLS = '''
import warnings

from toolkit import tool

for number in range(3):
    warnings.warn(f"old way {number % 2}", FutureWarning)


@tool(read_only=True)
def greet(name: str) -> str:
    """Greet somebody by name.

    Args:
        name: The name.
    """
    return f"hello {name}"
'''
COUNTED = "2 warnings of imported modules (-v shows them)\n"
COMMANDS = ["list tools.py --format json", "show tools.py", "schema tools.py", "run tools.py:greet name=Ada"]


@pytest.mark.parametrize("command", COMMANDS)
def test_warnings_are_counted_once(project, program, command):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    plain = program(*command.split())
    shown = program(*command.split(), "-v")
    assert (plain.returncode, shown.returncode) == (0, 0)
    assert plain.stderr.count(COUNTED) == 1
    assert "FutureWarning" not in plain.stderr + plain.stdout
    assert shown.stderr.count("FutureWarning: old way") == 2  # Python itself shows each text of a line once
    assert COUNTED not in shown.stderr
    assert plain.stdout == shown.stdout


def test_quiet_run_does_not_count_them(project, program):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    done = program("run", "tools.py:greet", "name=Ada", "-q")
    assert (done.stdout, done.stderr) == ("hello Ada\n", "")


def test_tests_of_tools_count_them_after_the_table(project, program):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    plain, shown = program("test", "tools.py"), program("test", "tools.py", "--debug")
    assert (plain.returncode, plain.stderr) == (0, COUNTED.replace("-v", "--debug"))
    assert shown.stderr.count("FutureWarning: old way") == 2


def test_server_counts_them(project):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    with over_http(project, "tools.py") as (process, _):
        process.terminate()
        rest = process.stderr.read()
    assert "FutureWarning" not in rest


def test_filters_of_a_module_stay(project, program):
    text = TOOLS.replace("for number", "warnings.simplefilter('ignore')\n\nfor number")
    (project / "tools.py").write_text(text, "utf-8")
    assert program("list", "tools.py").stderr == ""
