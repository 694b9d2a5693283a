"""A case whose tool ends the process: it fails, and the other cases still run."""

import os
import signal
import subprocess
import sys

import pytest

TOOL = '''
import ctypes
import os
import signal

from toolkit import tool


@tool(read_only=True)
def leave(how: str) -> str:
    """Leave, or stay."""
    if how == "exit":
        os._exit(0)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "crash":
        ctypes.string_at(0)
    if how == "insist":
        try:
            os._exit(0)
        except BaseException:
            return how
    if how == "fork":
        if (child := os.fork()) == 0:
            os._exit(3)
        return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return how
'''
CASES = """\
cases:
  - {name: exits, run: "leave.py:leave", with: exit, expect: {error: true}}
  - {name: insists, run: "leave.py:leave", with: insist, expect: {output: insist}}
  - {name: stays, run: "leave.py:leave", with: stay, expect: {output: stay}}
"""
WAITS = '''
import time
from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def wait() -> str:
    """Wait for a very long time."""
    Path("begun").write_text("waiting")
    time.sleep(3600)
    return "awake"
'''
VAULT = '''
from pydantic import SecretStr

from toolkit import tool


@tool(read_only=True)
def unlock(word: SecretStr) -> str:
    """Unlock a vault."""
    return f"unlocked with {word.get_secret_value()}"
'''
OPENS = """\
cases:
  - {name: opens, run: "vault.py:unlock", with: {word: correct-horse-staple}, expect: {output: unlocked}}
  - {name: opens again, run: "vault.py:unlock", with: {word: battery-horse-staple}, expect: {matches: "^un"}}
"""
STARRED = """\
error[TK806]: opens: output is "unlocked with **********", not "unlocked"
 --> leave.cases.yaml:2:96
  |
2 |   - {name: opens, run: "vault.py:unlock", with: {word: ********************}, expect: {output: unlocked}}
  |                                                                                                ^^^^^^^^
  |

1 failed, 1 passed (2 cases in 1 file)
"""
FORKS = """\
cases:
  - {name: forks, run: "leave.py:leave", with: fork, expect: {output: "3"}}
"""
FAILURES = """\
error[TK806]: exits: it ends the process with os._exit(0)
  --> leave.cases.yaml:2:24
   |
 2 |   - {name: exits, run: "leave.py:leave", with: exit, expect: {error: true}}
   |                        ^^^^^^^^^^^^^^^^
   |
  ::: leave.py:13
   |
13 |         os._exit(0)
   |         ^^^^^^^^^^^ called here
   |

error[TK806]: insists: it ends the process with os._exit(0)
  --> leave.cases.yaml:3:26
   |
 3 |   - {name: insists, run: "leave.py:leave", with: insist, expect: {output: insist}}
   |                          ^^^^^^^^^^^^^^^^
   |
  ::: leave.py:20
   |
20 |             os._exit(0)
   |             ^^^^^^^^^^^ called here
   |

2 failed, 1 passed (3 cases in 1 file)
"""
ENDED = """\
error[TK806]: exits: it was killed (SIGKILL)
 --> leave.cases.yaml:2:24
  |
2 |   - {name: exits, run: "leave.py:leave", with: kill, expect: {error: true}}
  |                        ^^^^^^^^^^^^^^^^
  |

"""


@pytest.fixture
def leave(project, program):
    """Run cases of a tool that can end the process."""
    (project / "leave.py").write_text(TOOL, "utf-8")

    def run(cases, *options):
        (project / "leave.cases.yaml").write_text(cases, "utf-8")
        return program("test", "leave.cases.yaml", *options, env={"COLUMNS": "120"})

    return run


@pytest.mark.parametrize("options", [(), ("--jobs", "2")], ids=["alone", "several"])
def test_case_that_ends_the_process_fails_and_the_others_run(leave, options):
    done = leave(CASES, *options)
    assert (done.returncode, done.stdout) == (1, FAILURES)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(
    ("options", "last"),
    [
        ((), "1 failed, 1 passed (2 cases in 1 file)\n"),
        (("--jobs", "2"), "1 failed, 1 passed (2 cases in 1 file)\n"),
        (("--fail-fast",), "1 failed, 0 passed, 1 not run (1 case in 1 file)\n"),
    ],
    ids=["alone", "several", "fail fast"],
)
@pytest.mark.parametrize(("how", "words"), [("kill", "was killed (SIGKILL)"), ("crash", "crashed Python (SIGSEGV)")])
def test_case_that_ends_its_process_by_a_signal_fails_and_the_others_run(leave, options, last, how, words):
    lines = CASES.replace("with: exit", f"with: {how}").splitlines(keepends=True)
    done = leave("".join(line for line in lines if "insists" not in line), *options)
    ended = ENDED.replace("was killed (SIGKILL)", words).replace("with: kill", f"with: {how}")
    assert (done.returncode, done.stdout) == (1, ended + last)
    assert ('leave.py", line 17 in leave\n' in done.stderr) == (how == "crash")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_process_that_a_tool_has_forked_may_end_itself(leave):
    assert leave(FORKS).stdout == "1 passed (1 case in 1 file)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_cases_before_one_that_ends_the_process_keep_their_results(leave):
    head, *lines = CASES.replace("with: exit", "with: kill").splitlines(keepends=True)
    stays = [lines[2].replace("stays", f"stays {number}") for number in range(3)]
    done = leave("".join((head, lines[0], *stays, lines[0].replace("exits", "exits again"))))
    again = (
        ENDED.replace("exits:", "exits again:").replace(":2:24", ":6:30").replace("name: exits", "name: exits again")
    )
    again = again.replace("^^^^^^^^^^^^^^^^", "      ^^^^^^^^^^^^^^^^").replace("\n2 |", "\n6 |")
    assert done.stdout == ENDED + again + "2 failed, 3 passed (5 cases in 1 file)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_case_that_runs_ends_with_the_command(project, number):
    (project / "waits.py").write_text(WAITS, "utf-8")
    (project / "waits.cases.yaml").write_text("cases: [{name: waits, run: 'waits.py:wait'}]\n", "utf-8")
    os.mkfifo(project / "begun")
    command = [sys.executable, "-m", "toolkit_cli", "test", "waits.cases.yaml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert (project / "begun").read_text() == "waiting"
        process.send_signal(number)
        process.communicate(timeout=100)  # waits for the child as well, since it has the same streams
    assert process.returncode == (130 if number == signal.SIGINT else -number)


@pytest.mark.parametrize("options", [(), ("--jobs", "2")], ids=["alone", "several"])
def test_secrets_that_a_case_passes_to_a_tool_are_not_shown(leave, project, options):
    (project / "vault.py").write_text(VAULT, "utf-8")
    assert leave(OPENS, *options).stdout == STARRED
