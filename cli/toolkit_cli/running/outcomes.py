"""Outcomes: how a call ended, on stdout for what it gave, on stderr for what went wrong."""

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
    """Write the result unless it was seen to come, the closing table, what was done, and what went wrong.

    Programs get the result first: if the run was made to end, there may be little time.
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
    """Write what the requests to models came to, if there were any."""
    if uses and reporter is not None:
        from toolkit_cli.rendering.usage import usage_line  # noqa: PLC0415 - only agents ask models

        screen.say(usage_line(uses))
        sys.stderr.flush()


def _show_kept(steps: "Sequence[dict[str, object]]") -> None:
    from toolkit_cli.rendering.kept import kept_lines  # noqa: PLC0415 - only bad ends need it

    for line in kept_lines(steps):
        console.say(paint(line, colour=console.talk_has_colour()))
