"""Writes the HTML page of a run to a file that only its owner can read."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolkit.approvals.audit_log import records_of_log
from toolkit.replacing import overwrite_same_kind
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, cannot_write
from toolkit_cli.rendering.run_pages.pages import PAGE_MARK, run_page
from toolkit_cli.running.answer_sources import audit_file


def write_run_page(file: Path, run: RecordedRun, steps: Sequence[RecordedStep]) -> None:
    """Write the page of a run atomically to a file, or to stdout for `-`.

    Raises:
        Failure: If the file exists and is not a run page, if it cannot be written, or the audit log cannot be read.
    """
    page = console.redactor().text(run_page(run, steps, records_of(run)))
    if str(file) == "-":
        console.write_data(page)
        return
    try:
        overwrite_same_kind(file, page.encode(), PAGE_MARK, "a page about a run", is_private=True)
    except OSError as error:
        raise cannot_write(file, error) from error
    console.say(f"written to {file}")


def records_of(run: RecordedRun) -> list[Mapping[str, Any]]:
    """Return the audit log records of a run, oldest first.

    Raises:
        Failure: If the log exists but cannot be read.
    """
    log = audit_file()
    try:
        return [one for one in records_of_log(log) if run.id in (one.get("run"), one.get("outermost_run"))]
    except OSError as error:
        message = f"the audit log '{log}' cannot be read: {(error.strerror or str(error)).lower()}"
        raise Failure(ExitCode.USAGE, message) from error
