"""Calls a tool from the command line, and determines how the call ended."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.errors import ApprovalPending, BudgetExceeded, ExitEarlyError, TerminationRequested
from toolkit.problems import Problem
from toolkit.runs.records import ChangedInput, JournalError
from toolkit.tools.base import Tool
from toolkit.tools.calls.call_limits import LocalLimits
from toolkit.tools.calls.foreign_values import describe_error
from toolkit.tools.calls.results import NO_MESSAGE, ToolResult
from toolkit.tools.context import ToolContext
from toolkit_cli.arguments.assignments import object_in
from toolkit_cli.failures import ExitCode
from toolkit_cli.running.finished_steps import CollectedSteps
from toolkit_cli.running.watchdog import ForcedEnd, Interrupts, Watched

if TYPE_CHECKING:
    from toolkit.stores.recorded_runs import State
    from toolkit.tools.calls.call_limits import Limit, Limiter


_CODES = {"rejected": ExitCode.APPROVAL, "in_doubt": ExitCode.APPROVAL, "timeout": ExitCode.TIMED_OUT}
_SIGNAL_OFFSET = 128


class Ending(NamedTuple):
    """How a call ended.

    Attributes:
        result: The result; for a cancelled call, a failure with the reason.
        exit_code: The exit code of the command.
        problem: The problem to report on stderr; `None` if the call succeeded.
        pending: The pending approvals, if any.
    """

    result: ToolResult
    exit_code: int
    problem: Problem | None = None
    pending: ApprovalPending | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the call succeeded."""
        return self.exit_code == ExitCode.SUCCESS

    @property
    def state(self) -> "State":
        """The state of the recorded run."""
        if self.pending is not None:
            return "waiting"
        return "completed" if self.is_complete else "interrupted" if self.exit_code >= _SIGNAL_OFFSET else "failed"


def call_tool(
    tool: Tool,
    arguments: Mapping[str, Any],
    context: ToolContext,
    collected: CollectedSteps,
    show: Callable[[Ending], None],
) -> int:
    """Call a tool, show how the call ended, and return the exit code.

    Args:
        tool: The tool.
        arguments: Its arguments.
        context: The context of the call, with `collected` as its listener.
        collected: Collects the results of steps.
        show: Shows the outcome and the collected results; called in another thread if the call is forced to end.

    Raises:
        ConfigurationError: If the configuration is invalid; finished steps are shown first.
    """
    return end_run(lambda: tool.run(arguments, context), collected, show)


def end_run(work: Callable[[], ToolResult], collected: CollectedSteps, show: Callable[[Ending], None]) -> int:
    """Run work, show how it ended, and return the exit code.

    Args:
        work: Runs, and returns a result.
        collected: Collects the results of steps.
        show: Shows the outcome and the collected results; called in another thread if the work is forced to end.

    Raises:
        ConfigurationError: If the configuration is invalid; finished steps are shown first.
    """

    def give_up(end: ForcedEnd) -> None:
        collected.close()
        show(_forced(end))

    watched = Watched(lambda end: _forced(end).exit_code, give_up, lambda: collected.is_cleaning_up)
    with Interrupts(watched) as interrupts:
        try:
            ending = _ending(work, interrupts)
        except Exception as error:
            interrupts.over()
            collected.close()
            if collected.has_steps:
                show(Ending(ToolResult.failure(str(error), "error"), ExitCode.OUR_BUG))
            raise
        interrupts.over()
        collected.close()
        show(ending)
    return ending.exit_code


def _ending(work: Callable[[], ToolResult], interrupts: Interrupts) -> Ending:
    try:
        return ending_of(work)
    except KeyboardInterrupt:
        return _ended("interrupted", "interrupted", interrupts.exit_code)


def ending_of(work: Callable[[], ToolResult]) -> Ending:
    """Run work that returns a result, and return how it ended.

    Raises:
        ConfigurationError: If the configuration is invalid.
        KeyboardInterrupt: If it is interrupted.
    """
    try:
        return _ending_of(work())
    except ExitEarlyError as ending:
        if ending.interrupted:
            raise KeyboardInterrupt from ending
        return _ended(ending.reason, "exit_early", ExitCode.APPROVAL)
    except ApprovalPending as pending:
        return _ended(str(pending), "waiting", ExitCode.APPROVAL)._replace(pending=pending)
    except (BudgetExceeded, JournalError) as ending:
        exit_code = ExitCode.APPROVAL if isinstance(ending, ChangedInput) else ExitCode.FINDINGS
        return _ended(str(ending), "budget" if isinstance(ending, BudgetExceeded) else "journal", exit_code)
    except TerminationRequested as ending:
        return _ended(f"the run was ended: {ending.reason}", "terminated", ExitCode.FINDINGS)
    except GeneratorExit as error:
        return _ended(describe_error(error), "error", ExitCode.FINDINGS)


def _ending_of(result: ToolResult) -> Ending:
    if result.error is None:
        return Ending(result, ExitCode.SUCCESS)
    exit_code = _CODES.get(str(result.error_code), ExitCode.FINDINGS)
    message = result.error if result.error.strip() else NO_MESSAGE
    if (raised := result.raised) is None:
        return Ending(result, exit_code, Problem("", message))
    return Ending(result, exit_code, Problem("", raised.named_in(message), raised.place))


def with_hint_on_json(ending: Ending, tool: Tool, words: Iterable[str]) -> Ending:
    """Add a hint to a text tool's failure if its message shows that it received a JSON object as its text.

    The message must quote the text or its first character, since a tool that expects JSON may fail for other reasons.
    """
    problem = ending.problem
    if tool.pipe != "text" or problem is None or problem.hint or "'{" not in problem.message:
        return ending
    if not any(object_in(word) for word in words):
        return ending
    hint = f"the whole JSON object was passed as {', '.join(tool.spec.required)!r}; pass only the text"
    return ending._replace(problem=replace(problem, hint=hint))


def _forced(end: ForcedEnd) -> Ending:
    if end.message:
        return _ended(end.message, "timeout", ExitCode.TIMED_OUT)
    return _ended("interrupted", "interrupted", _SIGNAL_OFFSET + end.signal)


def _ended(reason: str, code: str, exit_code: int) -> Ending:
    return Ending(ToolResult.failure(reason, code), exit_code, Problem("", reason))


def limiter_of(limits: "Mapping[str, Limit]") -> "Limiter | None":
    """Return the limiter for calls of this process; `None` if there are no limits."""
    if not limits:
        return None

    return LocalLimits(limits)
