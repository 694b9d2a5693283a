"""Writes the outcome of a call: the result to stdout, and problems to stderr."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Self

from toolkit.events import CALLS, Listener, Outcome, RunFinished, RunStarted
from toolkit.runs.records import ModelUse
from toolkit_cli import console
from toolkit_cli.failures import report
from toolkit_cli.rendering.result_texts import Format, finished_lines, rendered_result, usage_line
from toolkit_cli.rendering.styles import paint
from toolkit_cli.running.finished_steps import CollectedSteps
from toolkit_cli.running.reporters import RunReporter
from toolkit_cli.running.tool_calls import Ending
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from types import TracebackType


def present(
    ending: Ending,
    format: Format,
    reporter: RunReporter | None,
    collected: CollectedSteps,
    uses: Sequence[ModelUse] = (),
) -> None:
    """Write the result (unless it was shown already), the final table, finished outputs, and the problem.

    JSON results are written first, since there may be little time if the run was forced to end.
    """
    steps = [] if format == "jsonl" else collected.records()
    seen = ending.problem is None and reporter is not None and reporter.has_shown(ending.result.output)
    result = rendered_result(ending.result, format, steps, uses, for_terminal=console.data_is_terminal())
    if format != "text":
        console.write_data(result)
    if reporter is not None:
        reporter.close()
    if format == "text" and not seen:
        console.write_data(result)
    if format == "text" and ending.result.error is not None:
        _show_finished(steps)
    if ending.problem is not None:
        failed = reporter.failed_step if reporter is not None else None
        hint = f"in step '{failed}'" if failed is not None else ending.problem.hint
        report([replace(ending.problem, hint=hint)], ending.exit_code, as_json=format != "text")
    sys.stderr.flush()


def present_usage(uses: Sequence[ModelUse], reporter: RunReporter | None, screen: Screen) -> None:
    """Write the usage of models, if there were requests."""
    if uses and reporter is not None:
        screen.say(usage_line(uses))
        sys.stderr.flush()


def _show_finished(steps: "Sequence[dict[str, object]]") -> None:

    for line in finished_lines(steps):
        console.say(paint(line, colour=console.stderr_has_colour()))


class RunReport:
    """Emits the start of a run, and its finish exactly once, possibly from another thread.

    Attributes:
        run: The id of the run.
    """

    def __init__(self, listener: Listener | None, target: str, run: str | None = None) -> None:
        """Prepare the report.

        Args:
            listener: Receives the events, if any.
            target: The target as the user wrote it.
            run: The id of the run; a new one if `None`.
        """
        self.run = run or os.urandom(6).hex()
        self._listener, self._target = listener, target
        self._call = 0
        self._began = perf_counter()

    def __enter__(self) -> Self:
        if self._listener is not None:
            self._call = next(CALLS)
            self._listener(RunStarted(self._call, self._target, self.run))
        return self

    def end(self, exit_code: int, error: str | None = None) -> None:
        """Emit the finish, unless it was emitted already."""
        self._finish("failure" if exit_code else "success", error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        """Emit the finish of a run that could not start, or was aborted."""
        self._finish("success" if error is None else "error", None if error is None else str(error))

    def _finish(self, outcome: Outcome, error: str | None) -> None:
        call, self._call = self._call, 0
        if self._listener is not None and call:
            seconds = perf_counter() - self._began
            self._listener(RunFinished(call, self._target, self.run, outcome=outcome, error=error, seconds=seconds))
