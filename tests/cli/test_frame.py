"""The frame of the command line: help, unknown names, streams, pipes, colours, failures."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from pydoc import locate
from typing import Any

import pydantic
import pytest

import toolkit
from toolkit_cli import shared_options  # private
from toolkit_cli.commands import COMMANDS  # private
from toolkit_cli.main import HELP, main
from toolkit_cli.shared_options import spread  # private

TALKATIVE = '''
import os, subprocess, sys
from toolkit import tool

print("printed while imported")
os.write(1, b"written to descriptor 1\\n")
sys.__stdout__.write("written to the first stdout\\n")
subprocess.run([sys.executable, "-c", "print('printed by a child')"])

@tool
def greet(name: str) -> str:
    """Greet somebody."""
    return "hello " + name
'''
ENDLESS = """
import time
from toolkit import tool

@tool
def never() -> None: ...

print("begun", flush=True)
time.sleep(60)
"""
MANY = """
from toolkit import from_function

def made(number):
    def work(text: str) -> str:
        return text
    return from_function(work, name=f"tool_{number}", description="Does something of use. " * 40)

TOOLS = [made(number) for number in range(400)]
"""


def test_version_and_help_go_to_stdout(capsys):
    assert main(["--version"]) == 0
    assert main(["-h"]) == 0
    assert capsys.readouterr().out == f"toolkit {toolkit.__version__}\n{HELP}"


def test_help_groups_the_commands_by_what_they_are_for():
    headings = [line for line in HELP.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Run and serve:", "Look at tools:", "Check and protect:", "Start:", "Options:"]


@pytest.mark.parametrize("arguments", [["--help"], ["show", "--help"], ["runs", "--help"]], ids=" ".join)
def test_help_is_in_colour_on_a_terminal_and_plain_elsewhere(project, program, arguments):
    plain = program(*arguments).stdout
    coloured = program(*arguments, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    assert "\x1b[1mUsage:\x1b[0m" in coloured
    assert re.search(r"  \x1b\[1;36m-h, --help|  \x1b\[1;36m--help", coloured)


def test_help_lists_every_command_with_its_line():
    for name, (_, line) in COMMANDS.items():
        assert f"  {name:<8}{line}\n" in HELP


def test_application_shows_the_same_help_and_version(invoke):
    assert invoke("--help").stdout.strip() == HELP.strip()
    assert invoke("--version").stdout == f"toolkit {toolkit.__version__}\n"


def test_verbose_version_has_what_a_bug_report_needs(invoke):
    result = invoke("--version", "--verbose")
    assert result.exit_code == 0
    assert result.stdout == invoke("-vV").stdout
    rows = dict(re.split(r"  +", line, maxsplit=1) for line in result.stdout.splitlines())
    assert list(rows) == [
        *("toolkit", "Python", "system", "encoding", "dependencies"),
        *("agent", "durable", "keyring", "mcp", "openapi", "otel", "parquet", "tools", "tools-extract", "tools-regex"),
    ]
    assert rows["toolkit"] == f"{toolkit.__version__} ({Path(toolkit.__file__).parent})"
    assert f"pydantic {pydantic.VERSION}, " in rows["dependencies"]
    assert rows["tools-regex"] == f"google-re2 {version('google-re2')}"


def test_verbose_before_a_command_is_explained(invoke):
    result = invoke("--verbose", "list")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: --verbose cannot come before the command\n"
        "hint: write it after the command; before a command, it only works as `toolkit --version --verbose`\n"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_page_of_its_own(invoke, name):
    result = invoke(name, "--help")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"Usage: toolkit {name} ")
    assert result.stderr == ""


def test_no_command_is_a_usage_error_that_shows_the_help(invoke):
    result = invoke()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip() == HELP.strip()


def test_unknown_command_names_the_nearest(invoke):
    result = invoke("shcema")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: there is no command 'shcema'\nhint: did you mean 'schema'?\n"


def test_unknown_command_that_is_near_to_none_lists_them(invoke):
    assert invoke("xyzzy").stderr == (
        "error: there is no command 'xyzzy'\nhint: the commands are run, agent, serve, mcp, runs, worker, list, show, ui, schema, lint, test, policy, lock, new\n"
    )


def test_unknown_option_names_the_nearest(invoke):
    result = invoke("list", "--fromat", "json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: no such option: --fromat\nhint: did you mean '--format'?\n"


def test_argument_of_a_tool_written_as_an_option_is_told_how_it_is_written(invoke):
    result = invoke("run", "weather.py:forecast", "--hours", "2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: no such option: --hours\n"
        "hint: for an argument of the tool, write hours=…; otherwise, see `toolkit run --help`\n"
    )


def test_option_of_a_command_without_tool_arguments_is_not_taken_for_one(invoke):
    result = invoke("runs", "show", "abc", "--jobs", "2")
    assert result.exit_code == 2
    assert result.stderr == "error: no such option: --jobs\nhint: see `toolkit runs show --help`\n"


def test_bad_value_of_an_option_names_the_good_ones(invoke):
    result = invoke("list", "--format", "xml")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: invalid value for '--format': 'xml' is not one of 'text', 'json'\nhint: see `toolkit list --help`\n"
    )


def test_failure_is_one_json_object_where_json_was_asked_for(invoke):
    result = invoke("list", "--format=json", "--nope")
    assert (result.exit_code, result.stdout) == (2, "")
    assert json.loads(result.stderr) == {
        "exit_code": 2,
        "message": "no such option: --nope",
        "problems": [
            {
                "code": "",
                "severity": "error",
                "message": "no such option: --nope",
                "location": None,
                "hint": "see `toolkit list --help`",
                "related": [],
            }
        ],
    }


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whatever_users_code_prints_goes_to_stderr(program, project, unbuffered):
    (project / "tools.py").write_text(TALKATIVE, "utf-8")
    finished = program("schema", "tools.py", env={"PYTHONUNBUFFERED": unbuffered})
    assert json.loads(finished.stdout)["name"] == "greet"
    assert sorted(finished.stderr.splitlines()) == [
        "printed by a child",
        "printed while imported",
        "written to descriptor 1",
        "written to the first stdout",
    ]
    assert finished.returncode == 0


def test_whatever_users_code_prints_goes_to_stderr_without_real_descriptors(invoke, project):
    (project / "tools.py").write_text("print('while imported')\n" + MANY, "utf-8")
    result = invoke("list", "tools.py:TOOLS", "--format", "json")
    assert len(json.loads(result.stdout)) == 400
    assert result.stderr == "while imported\n"


@pytest.mark.parametrize("arguments", [["list", "tools.py:TOOLS"], ["list", "--help"], ["--help"], ["--version"]])
def test_reader_that_goes_away_ends_the_writing_quietly(project, arguments):
    (project / "tools.py").write_text(MANY, "utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        command = [sys.executable, "-m", "toolkit_cli", *arguments]
        finished = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, cwd=project, check=False)
    assert (finished.returncode, finished.stderr) == (0, b"")


def test_reader_that_goes_away_changes_no_exit_code(project):
    reading, writing = os.pipe()
    os.close(reading)
    (project / "broken.py").write_text("def :\n", "utf-8")
    with os.fdopen(writing, "wb") as pipe:
        command = [sys.executable, "-m", "toolkit_cli", "lint", "broken.py"]
        finished = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, cwd=project, check=False)
    assert (finished.returncode, finished.stderr) == (1, b"")


def test_full_disk_is_said_without_a_traceback(project):
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "toolkit_cli", "list", "builtin"]
        finished = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=project, check=False)
    assert finished.returncode == 1
    assert finished.stderr == b"error: cannot write the output: No space left on device\n"


@pytest.mark.proof
def test_closed_streams_do_no_harm(project):
    command = f"'{sys.executable}' -m toolkit_cli list builtin >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=project, check=False).returncode == 0


@pytest.mark.proof
def test_text_that_the_terminal_cannot_show_is_escaped(program):
    finished = program("list", "nothing-é.py", env={"PYTHONIOENCODING": "ascii:strict"})
    assert finished.returncode == 4
    assert finished.stderr.startswith("error[TK001]: there is no file 'nothing-\\xe9.py'\n")


def test_data_is_utf_8_wherever_it_goes(program, project):
    (project / "tools.py").write_text(TALKATIVE.replace("Greet somebody.", "Grüßt jemanden."), "utf-8")
    finished = program("schema", "tools.py", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"})
    assert json.loads(finished.stdout)["description"] == "Grüßt jemanden."


@pytest.mark.proof
def test_colour_is_forced_and_forbidden_by_the_environment(program):
    assert "\x1b[" not in program("list").stdout
    assert "\x1b[1mcalculator" in program("list", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" not in program("list", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
    assert program("nope", env={"FORCE_COLOR": "1"}).stderr.startswith("\x1b[1;31merror\x1b[0m")


def test_ctrl_c_ends_with_130(project):
    (project / "tools.py").write_text(ENDLESS, "utf-8")
    command = [sys.executable, "-m", "toolkit_cli", "list", "tools.py"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=project)
    assert process.stderr
    assert process.stderr.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.usefixtures("cold_starts")
def test_module_in_the_working_directory_that_hides_the_library_is_named(program, project):
    (project / "toolkit").mkdir()
    (project / "toolkit" / "__init__.py").write_text("", "utf-8")
    finished = program("--version")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == (
        f"error[TK006]: {project / 'toolkit'} hides the library of the same name\n"
        "hint: run `toolkit` instead of `python -m toolkit_cli`, or `python -P -m toolkit_cli`\n"
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_shown_for_the_shell(invoke, shell):
    result = invoke("--show-completion", shell)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "_TOOLKIT_COMPLETE" in result.stdout


def test_completion_is_installed_in_the_home_directory(program, project):
    finished = program("--install-completion", "bash", env={"HOME": str(project)})
    assert finished.returncode == 0
    assert finished.stdout == f"{project}/.bash_completions/toolkit.sh\n"
    assert finished.stderr == "completion for bash is installed; it takes effect in the next shell you open\n"
    assert "_TOOLKIT_COMPLETE" in (project / ".bash_completions" / "toolkit.sh").read_text("utf-8")


def test_unknown_shell_names_the_known_ones(invoke):
    result = invoke("--show-completion", "tcsh")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: there is no completion for 'tcsh'\n"
        "hint: choose one of bash, zsh, fish, powershell, pwsh, as in `toolkit --show-completion bash`\n"
    )


@pytest.mark.proof
def test_commands_options_and_targets_complete_without_running_anything(program, project):
    (project / "tools.py").write_text("raise SystemExit('was run')", "utf-8")
    (project / "more").mkdir()
    (project / "more" / "report.yaml").write_text("", "utf-8")

    def completed(line):
        words = line.split(" ")
        environment = {
            "_TOOLKIT_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        }
        return program(env=environment).stdout.split()

    assert completed("toolkit s") == ["serve", "show", "schema"]
    assert completed("toolkit ") == list(COMMANDS)
    assert completed("toolkit list --f") == ["--format"]
    assert completed("toolkit show --format m") == ["mermaid"]
    assert completed("toolkit show t") == ["tools.py"]
    assert completed("toolkit list more/") == ["more/report.yaml"]
    assert completed("toolkit schema ca") == ["calculator"]
    assert completed("toolkit lint m") == ["more/"]


SHOP = """
from toolkit import MemoryId, ToolContext, tool

raise SystemExit("was run")

def helper(): ...

@tool
def refund(order: str, euros: int, context: ToolContext, memory: MemoryId) -> str: ...

class Shop:
    @tool(read_only=True)
    async def find(self, name: str) -> str: ...
    def hidden(self): ...
"""


@pytest.mark.proof(everyday=7)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("toolkit run shop.py:", ["shop.py:refund", "shop.py:find"]),
        ("toolkit show shop.py:f", ["shop.py:find"]),
        ("toolkit run shop.py :", ["refund", "find"]),  # as bash splits it
        ("toolkit run shop.py : re", ["refund"]),
        ("toolkit show shop.py : re", ["refund"]),
        ("toolkit run shop.py:refund ", ["order=", "euros="]),
        ("toolkit run shop.py : refund ", ["order=", "euros="]),
        ("toolkit run shop.py:refund order=7 ", ["euros="]),
        ("toolkit run shop.py : refund order = 7 ", ["euros="]),
        ("toolkit run shop.py:find n", ["name="]),
        ("toolkit run plain.py:", ["plain.py:one"]),
        ("toolkit run plain.py ", ["left=", "right="]),
        ("toolkit run gone.py:", []),
        ("toolkit run broken.py:", []),
        ("toolkit run glob ", ["pattern=", "path="]),
        ("toolkit run report.yaml ", ["city="]),
        ("toolkit run text.yaml ", ["input="]),
        ("toolkit run clerk.yaml ", ["task=", "language="]),
        (
            "toolkit lint --select TK61",
            ["TK610", "TK611", "TK612", "TK613", "TK614", "TK615", "TK617", "TK618", "TK619"],
        ),
        ("toolkit lint --ignore A", ["ALL"]),
        ("toolkit lint --explain TK9", []),
    ],
)
def test_names_arguments_and_rules_complete_without_running_anything(program, project, line, expected):
    for name, text in {
        "shop.py": SHOP,
        "plain.py": "def one(left, *, right): ...\ndef _two(): ...\n",
        "broken.py": "def (:",
        "report.yaml": "inputs: {city: {type: string}}\nsteps: []\n",
        "text.yaml": "steps: []\n",
        "clerk.yaml": "agent: simple\ninputs: {language: {type: string}}\n",
    }.items():
        (project / name).write_text(text, "utf-8")
    place = str(len(line.split(" ")) - 1)
    shown = program(env={"_TOOLKIT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": place})
    assert (shown.stdout.split(), shown.stderr) == (expected, "")


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        (
            "run",
            [
                "Arguments",
                "Tool arguments",
                "Batches",
                "Model",
                "Approvals",
                "Tools",
                "Context",
                "Output",
                "Options",
            ],
        ),
        ("lint", ["Arguments", "Rules", "Fixes", "Baseline", "Approvals", "Tools", "Output", "Exit code", "Options"]),
        ("agent", ["Arguments", "Model", "Conversation", "Approvals", "Tools", "Context", "Output", "Options"]),
        ("list", ["Arguments", "Options"]),
    ],
)
def test_help_of_a_command_with_many_options_has_them_under_headings(invoke, name, headings):
    shown = invoke(name, "--help").stdout
    assert re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE) == headings


def test_every_option_under_a_heading_is_one_of_a_command():
    found: list[Any] = [locate(place.replace(":", ".")) for place, _ in COMMANDS.values()]
    functions = [each for one in found for each in (one.values() if isinstance(one, Mapping) else (one,))]
    options = {name for function in functions for name in signature(spread(function)).parameters}
    assert set(shared_options._GROUPS) - options == set()
