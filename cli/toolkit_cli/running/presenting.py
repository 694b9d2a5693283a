"""Presenting: how a call ended, on stdout for what it gave, on stderr for what went wrong."""

import sys
from collections.abc import Sequence

from toolkit.problems import Problem
from toolkit.runs.records import ModelUse
from toolkit_cli import console
from toolkit_cli.failures import report
from toolkit_cli.rendering.results import Format, rendered_result
from toolkit_cli.running.calling import Ending
from toolkit_cli.running.interrupts import leave_if_threads_remain
from toolkit_cli.running.telling import Teller


def present(
    ending: Ending,
    format: Format,  # noqa: A002 - the option's name
    teller: Teller | None,
    uses: Sequence[ModelUse] = (),
) -> int:
    """Write the closing table, the result, what went wrong, and what models were asked; return the exit code."""
    show(ending, format, teller)
    if uses and teller is not None:
        from toolkit_cli.rendering.usage import usage_line  # noqa: PLC0415 - only agents ask models

        console.say(usage_line(uses))
    sys.stderr.flush()
    leave_if_threads_remain(ending.exit_code)
    return ending.exit_code


def show(ending: Ending, format: Format, teller: Teller | None) -> None:  # noqa: A002 - the option's name
    """Write the closing table, the result unless it was seen to come, and what went wrong."""
    if teller is not None:
        teller.close()
    if format != "text" or (ending.problem is None and not (teller and teller.has_shown(ending.result.output))):
        console.write_data(rendered_result(ending.result, format, for_terminal=console.data_is_terminal()))
    if ending.problem is not None:
        failed = teller.failed_step if teller is not None else None
        hint = f"in step '{failed}'" if failed is not None else None
        report([Problem("", ending.problem.message, hint=hint)], ending.exit_code, as_json=format != "text")
