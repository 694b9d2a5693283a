"""Stores outcomes of steps in a journal and recalls them when a run is resumed."""

from dataclasses import replace

from toolkit.pipelines.pipeline_states import Outcome
from toolkit.pipelines.plans import PlannedStep
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_in, result_text

_KEPT_ENDS = ("ok", "failed", "timed_out", "rejected")


def recalled(step: PlannedStep, context: ToolContext) -> Outcome | None:
    """Return the journaled outcome of a step, or `None` if the step has to run.

    A failure is recalled only if the pipeline continues after it.
    """
    record = context.journal.recall(context.path) if context.journal is not None and context.path else None
    if record is None or (record.status != "ok" and not _goes_on(step)) or not record.is_whole:
        return None
    result, output = result_in(record.result)
    return Outcome(record.status, result, output, 0, goes_on=record.status == "ok", skips=result.skips)  # type: ignore[arg-type]  # what `record` has written


def record(outcome: Outcome, context: ToolContext) -> None:
    """Write the outcome of a step to the journal, before the next step begins.

    Raises:
        JournalError: If the journal cannot be written.
    """
    if context.journal is None or not context.path or outcome.status not in _KEPT_ENDS:
        return
    result = replace(outcome.result, skips=outcome.skips) if outcome.skips else outcome.result
    text, is_whole = result_text(result, outcome.output, context)
    context.journal.end(context.path, outcome.status, text, is_whole=is_whole)


def _goes_on(step: PlannedStep) -> bool:
    each = step.definition.each
    return step.on_error != "fail" or (each is not None and each.skips_failed)
