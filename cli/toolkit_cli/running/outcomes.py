"""Writes the outcome of a call: the result to stdout, and problems to stderr."""

import sys
from collections.abc import Sequence
from dataclasses import replace

from toolkit.runs.records import ModelUse
from toolkit_cli import console
from toolkit_cli.failures import report
from toolkit_cli.rendering.results import Format, rendered_result
from toolkit_cli.rendering.styles import paint
from toolkit_cli.running.finished_steps import KeptWork
from toolkit_cli.running.reporters import RunReporter
from toolkit_cli.running.tool_calls import Ending
from toolkit_cli.screen import Screen


def present(
    ending: Ending,
    format: Format,  # noqa: A002 - the option's name
    reporter: RunReporter | None,
    kept: KeptWork,
    uses: Sequence[ModelUse] = (),
) -> None:
    """Write the result (unless it was shown already), the final table, finished outputs, and the problem.

    JSON results are written first, since there may be little time if the run was forced to end.
    """
    steps = [] if format == "jsonl" else kept.records()
    seen = ending.problem is None and reporter is not None and reporter.has_shown(ending.result.output)
    result = rendered_result(ending.result, format, steps, uses, for_terminal=console.data_is_terminal())
    if format != "text":
        console.write_data(result)
    if reporter is not None:
        reporter.close()
    if format == "text" and not seen:
        console.write_data(result)
    if format == "text" and ending.result.error is not None:
        _show_kept(steps)
    if ending.problem is not None:
        failed = reporter.failed_step if reporter is not None else None
        hint = f"in step '{failed}'" if failed is not None else ending.problem.hint
        report([replace(ending.problem, hint=hint)], ending.exit_code, as_json=format != "text")
    sys.stderr.flush()


def present_usage(uses: Sequence[ModelUse], reporter: RunReporter | None, screen: Screen) -> None:
    """Write the usage of models, if there were requests."""
    if uses and reporter is not None:
        from toolkit_cli.rendering.usage import usage_line  # noqa: PLC0415 - only agents use models

        screen.say(usage_line(uses))
        sys.stderr.flush()


def _show_kept(steps: "Sequence[dict[str, object]]") -> None:
    from toolkit_cli.rendering.kept import kept_lines  # noqa: PLC0415 - only failures need it

    for line in kept_lines(steps):
        console.say(paint(line, colour=console.stderr_has_colour()))
