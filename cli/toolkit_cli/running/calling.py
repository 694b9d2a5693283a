"""Calling: one call of a tool from the command line, and how it ended."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolkit.errors import BudgetExceeded, ExitEarlyError, TerminationRequested
from toolkit.problems import Problem
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult
from toolkit_cli.failures import ExitCode
from toolkit_cli.running.interrupts import Interrupts

_CODES = {"rejected": ExitCode.APPROVAL, "timeout": ExitCode.TIMED_OUT}


class Ending(NamedTuple):
    """How a call ended.

    Attributes:
        result: What it gave; of a call that was ended from outside, why.
        exit_code: What the command says to its caller.
        problem: What is told on stderr, unless all is well.
    """

    result: ToolResult
    exit_code: int
    problem: Problem | None = None


def call_tool(tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> Ending:
    """Call a tool and wait for its end, however it ends.

    Raises:
        ConfigurationError: If the program is set up wrongly.
    """
    with Interrupts() as interrupts:
        try:
            result = tool.run(arguments, context)
        except ExitEarlyError as ending:
            if ending.interrupted:
                return _interrupted(interrupts)
            return _ended(ending.reason, "exit_early", ExitCode.APPROVAL)
        except BudgetExceeded as ending:
            return _ended(str(ending), "budget", ExitCode.FINDINGS)
        except TerminationRequested as ending:
            return _ended(f"the run was ended: {ending.reason}", "terminated", ExitCode.FINDINGS)
        except KeyboardInterrupt:
            return _interrupted(interrupts)
    return _ending_of(result)


def _ending_of(result: ToolResult) -> Ending:
    if result.error is None:
        return Ending(result, ExitCode.WELL)
    exit_code = _CODES.get(str(result.error_code), ExitCode.FINDINGS)
    return Ending(result, exit_code, Problem("", result.error))


def _interrupted(interrupts: Interrupts) -> Ending:
    return _ended("interrupted", "interrupted", interrupts.exit_code)


def _ended(reason: str, code: str, exit_code: int) -> Ending:
    return Ending(ToolResult.failure(reason, code), exit_code, Problem("", reason))
