"""What people get wrong, and what a shell may do to a command: a word about it and its exit code, never a traceback."""

import re
import subprocess
import sys

import pytest

TOOLS = '''
import subprocess, sys
from toolkit import tool

opened = open("diary.txt", "w")
print("printed while imported", file=sys.stderr)
subprocess.run([sys.executable, "-c", "import sys; print('printed by a child', file=sys.stderr)"])


@tool
def greet(name: str) -> str:
    """Greet a guest who comes in."""
    return f"hello {name}"
'''


@pytest.fixture
def tools(project):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    return project


@pytest.fixture
def in_shell(project):
    """Run the program as a shell starts it, and return its exit code with what it printed."""

    def run(line):
        command = line.replace("toolkit", f"'{sys.executable}' -m toolkit_cli")
        finished = subprocess.run(
            ["bash", "-c", command], cwd=project, capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
        return finished.returncode, finished.stdout.decode(), finished.stderr.decode()

    return run


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "show tools.py --frmat json",
            "error: no such option: --frmat\nhint: did you mean '--format' or '--grant'?\n",
        ),
        (
            "run tools.py --tiemout 3s",
            (
                "error: no such option: --tiemout\nhint: for an argument of the tool, write tiemout=…; "
                "otherwise, did you mean '--timeout' or '--out'?\n"
            ),
        ),
        (
            "list --format jsn",
            "error: invalid value for '--format': 'jsn' is not one of 'text', 'json'\nhint: did you mean 'json'?\n",
        ),
        ("new", "error: missing argument 'tool|pipeline|agent|cases'\nhint: see `toolkit new --help`\n"),
        (
            "agent hi --max-turns many",
            (
                "error: invalid value for '--max-turns': 'many' is not a whole number\n"
                "hint: see `toolkit agent --help`\n"
            ),
        ),
        (
            "mcp",
            "error: `toolkit mcp` needs a command\nhint: the commands are list, ping, doctor, install, uninstall, login, logout\n",
        ),
    ],
)
def test_nearest_is_named_first(invoke, line, told):
    result = invoke(*line.split())
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", told)


@pytest.mark.parametrize("whole", ['{"name":', "[1]", "@nowhere.json"])
def test_of_arguments_that_cannot_be_read_none_is_said_to_be_missing(invoke, tools, whole):
    result = invoke("run", "tools.py", "--args", whole)
    assert result.exit_code == 2
    assert result.stderr.count("error: ") == 1
    assert "error: --args" in result.stderr


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("word", ["name=\\xff", "name:=\\xff", "--input=\\xff"])
def test_argument_that_is_no_text_is_told(in_shell, word):
    code, printed, told = in_shell(f"toolkit run calculator $'{word}'")
    assert (code, printed) == (2, "")
    assert told.endswith(" is not UTF-8 text\n")
    assert told.count("error: ") == 1


def test_link_that_leads_nowhere_is_not_offered_for_itself(invoke, project):
    (project / "tools.py").symlink_to("gone.py")
    result = invoke("run", "tools.py")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == "error[TK001]: 'tools.py' is a broken link\nhint: it leads to 'gone.py'\n"


def test_file_that_cannot_be_read_is_a_finding_where_servers_are_configured_too(invoke, project):
    (project / "toolkit.toml").write_text('[mcp.desk]\ncommand = "true"\n', "utf-8")
    (project / "gone.yaml").symlink_to("nowhere.yaml")
    result = invoke("lint", ".")
    assert (result.exit_code, result.stderr) == (1, "")
    assert "'gone.yaml' is a broken link" in result.stdout


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("command", ["lint", "run calculator 1+1", "lock", "lint --no-cache ."])
def test_working_directory_that_has_been_removed_is_told(in_shell, command):
    assert in_shell(f"mkdir gone; cd gone; rmdir ../gone; toolkit {command}") == (
        2,
        "",
        "error: the working directory has been removed\nhint: change to a directory that exists\n",
    )


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-"])
def test_what_goes_to_closed_streams_gets_into_no_file(in_shell, tools, closed):
    code, printed, told = in_shell(f"toolkit run tools.py name=Ada {closed}")
    assert (code, told) == (0, "")
    assert printed == ("" if ">&- 2" in closed else "hello Ada\n")
    assert (tools / "diary.txt").read_text("utf-8") == ""


def test_lockfile_that_cannot_be_written_or_read_is_told(invoke, tools):
    (tools / "toolkit.lock").mkdir()
    written = invoke("lock", "tools.py", "--update")
    assert (written.exit_code, written.stdout) == (2, "")
    assert written.stderr.endswith("error: cannot write 'toolkit.lock': it already exists and is not a lockfile\n")
    read = invoke("lock", "tools.py")
    assert read.exit_code == 2
    assert "error[TK514]: 'toolkit.lock' cannot be read: it is a directory\n" in read.stderr


@pytest.mark.parametrize("options", ["--output json=gone/findings", "--baseline gone/known --update-baseline"])
def test_file_of_findings_that_cannot_be_written_is_told(invoke, project, options):
    (project / "gone").write_text("a file in the way of a folder")
    result = invoke("lint", "calculator", *options.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(r"error: cannot write 'gone/(findings|known)': [a-z ]+\n", result.stderr)


def test_statistics_are_not_promised_in_a_format_that_they_have_not(invoke):
    result = invoke("lint", "calculator", "--statistics", "--format", "sarif")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: '--statistics' does not support the format sarif, only text\n"


def test_name_that_no_folder_takes_is_told(invoke):
    result = invoke("new", "tool", "a" * 300)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: cannot write '{'a' * 300}.py': file name too long\n"


ECHO = """
[builtin.echo]
kind = "process"
description = "Says it again. Input: the text."
command = ["sh", "-c", "read -r said; echo '{\\"output\\": \\"made\\"}'"]
"""


@pytest.mark.proof
@pytest.mark.usefixtures("cold_starts")
@pytest.mark.parametrize(
    ("command", "printed"), [("run calculator 1+1", "2\n"), ("run echo text --yes --quiet", "made\n")]
)
def test_more_files_may_be_open_than_select_can_watch(in_shell, project, command, printed):
    (project / "toolkit.toml").write_text(ECHO, "utf-8")
    many = 'ulimit -n 4096; for number in $(seq 3 1100); do eval "exec $number</dev/null"; done'
    assert in_shell(f"{many}; toolkit {command}") == (0, printed, "")
