"""A case whose tool ends the process: it fails, and the other cases still run."""

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
KILLED = """\
error[TK806]: exits: its process was killed
 --> leave.cases.yaml:2:24
  |
2 |   - {name: exits, run: "leave.py:leave", with: kill, expect: {error: true}}
  |                        ^^^^^^^^^^^^^^^^
  |

1 failed, 1 passed (2 cases in 1 file)
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


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_process_of_several_fails_its_case_only(leave):
    lines = CASES.replace("with: exit", "with: kill").splitlines(keepends=True)
    done = leave("".join(line for line in lines if "insists" not in line), "--jobs", "2")
    assert (done.returncode, done.stdout) == (1, KILLED)


def test_crash_of_the_interpreter_says_where_it_was(leave):
    done = leave("".join(CASES.replace("with: exit", "with: crash").splitlines(keepends=True)[:2]))
    assert (done.returncode in {0, 1}, done.stdout) == (False, "")
    assert 'leave.py", line 17 in leave\n' in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_process_that_a_tool_has_forked_may_end_itself(leave):
    assert leave(FORKS).stdout == "1 passed (1 case in 1 file)\n"
