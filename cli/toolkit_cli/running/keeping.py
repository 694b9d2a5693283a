"""Keeping: a run whose steps a journal keeps, from its first record to how it can go on."""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolkit.errors import ApprovalPending
from toolkit.journals.journal_files import JournalFile
from toolkit.journals.kept_runs import KeptRun
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.runs.journal import JournalError
from toolkit.tools.base import Tool
from toolkit.tools.exact_numbers import dumps
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.tools import pipeline_in
from toolkit_cli.running.definition_files import definition_of
from toolkit_cli.running.pipeline_graphs import graph_of
from toolkit_cli.running.tool_calls import Ending

NOT_FROM_TEXTS: Final = "an agent whose kind closes tools, or whose objects bring tools, cannot go on from texts alone"


class Resumed(NamedTuple):
    """A run that goes on.

    Attributes:
        file: The journal.
        run: The run.
        accepts_changes: Whether it goes on with definitions, and items, that have changed.
        repeats_failures: Whether items that have failed are done again.
    """

    file: JournalFile
    run: KeptRun
    accepts_changes: bool = False
    repeats_failures: bool = False


class Keeping:
    """One run that is kept.

    Attributes:
        id: Its unique id.
        journal: Where its steps are kept.
        resumed: What it goes on from, if it does.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 - its name everywhere
        tool: Tool,
        target: str,
        request: Mapping[str, Any],
        arguments: Mapping[str, Any],
        resumed: Resumed | None,
    ) -> None:
        """Begin to keep it, or go on.

        Args:
            id: Its unique id.
            tool: What is run.
            target: What it was named by.
            request: What it takes to run it again, as plain data.
            arguments: Those of the call, or those that hold for all items.
            resumed: What goes on, if something does.

        Raises:
            Failure: If what goes on has changed, and nobody has agreed to that.
            JournalError: If the journal cannot be written.
        """
        self.id, self.resumed = id, resumed
        definition = definition_of(tool)
        if resumed is not None:
            check_unchanged(resumed.run, definition, accepts_changes=resumed.accepts_changes)
            self._file = resumed.file
            self.journal = self._file.resume(resumed.run, definition)
            return
        self._file = JournalFile(JournalFile.usual_path())
        pipeline = pipeline_in(tool)
        is_batch = request["batch"] is not None
        self.journal = self._file.begin(
            self.id,
            target,
            request=without_secrets(request, arguments) | {"graph": console.redactor().data(graph_of(tool))},
            definition=definition,
            unit="items" if is_batch else "steps",
            of=None if is_batch or pipeline is None else len(pipeline.plan.steps),
        )

    def end(self, ending: Ending) -> None:
        """Keep how it ended, and report how it can go on if it was cut short, or waits."""
        error = ending.result.error
        with suppress(JournalError):  # if that was the reason, there is nothing left to be written
            self.journal.finish(ending.state, console.redactor().text(error) if error else None)
        if ending.is_complete:
            return
        with suppress(JournalError):
            run = self._file.run(self.id)
            console.say(f"{run.counted} done; {how_to_continue(self.id, ending.pending)}")


def how_to_continue(run: str, pending: ApprovalPending | None, more: str = "") -> str:
    """Return how a run can go on, in words.

    Args:
        run: Its id.
        pending: What it waits for, if it waits.
        more: What else stands in the commands.
    """
    go_on = f"continue with: toolkit runs resume {run}{more}"
    if pending is None:
        return go_on
    see = f"see what waits with: toolkit runs approvals {run}{more}"
    return f"{see}\nanswer with: toolkit runs decide {pending.ids[0]} approve{more}; then {go_on}"


def find_run(known: Sequence[KeptRun], name: str) -> KeptRun:
    """Return the run of an id, or of the beginning of one.

    Raises:
        Failure: If there is none, or more than one.
    """
    found = [run for run in known if run.id.startswith(name)] if name else []
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(run.id for run in found)
        raise Failure(ExitCode.USAGE, f"several runs begin with '{name}'", hint=f"say more of it: {ids}")
    near = did_you_mean(name, [run.id for run in known], otherwise="`toolkit runs list` shows them all")
    raise Failure(ExitCode.NOT_FOUND, f"there is no run '{name}'", hint=near)


def refuse_doubts(resumed: Resumed) -> None:
    """End here if nobody knows what became of some steps of a run that is to go on.

    Raises:
        Failure: Naming each of them, and the flag that repeats them.
    """
    doubts = resumed.file.in_doubt(resumed.run)
    if doubts:
        hint = f"check what it did, then repeat it with: toolkit runs resume {resumed.run.id} --repeat"
        problems = [Problem("", _doubt(step.path, step.tool, step.status), hint=hint) for step in doubts]
        raise Failure(ExitCode.APPROVAL, problems=problems)


def _doubt(path: str, tool: str, status: str | None) -> str:
    if status == "ok":
        return f"'{path}' has run '{tool}', but its result held secrets, which are not kept"
    what = "has no end" if status is None else "timed out"
    return f"'{path}' began to run '{tool}' and {what}: it may have taken effect"


def check_unchanged(run: KeptRun, now: Mapping[str, str], *, accepts_changes: bool, more: str = "") -> None:
    """Refuse to go on with other definitions than a run began with, unless somebody has agreed.

    Args:
        run: The run.
        now: The digest of each file that it is made of now.
        accepts_changes: Whether somebody has agreed.
        more: What else stands in the command that goes on.

    Raises:
        Failure: Naming every file that has changed.
    """
    before = run.definition
    changed = [file for file in {**before, **now} if before.get(file) != now.get(file)]
    if changed and not accepts_changes:
        hint = f"continue with the current ones: toolkit runs resume {run.id}{more} --accept-changes"
        message = "this has changed since the run began; finished steps keep their results"
        problems = [Problem("", message, Location(_show(file)), hint=hint) for file in changed]
        raise Failure(ExitCode.APPROVAL, problems=problems)


def _show(file: str) -> str:
    return os.path.relpath(file) if Path(file).is_relative_to(Path.cwd()) else file


def without_secrets(request: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what it takes to run something again, and whether all of it is there."""
    whole = {**request, "cwd": str(Path.cwd()), "arguments": json.loads(dumps(dict(arguments), default=str))}
    shown = console.redactor().data(whole)
    return {**shown, "is_whole": shown is whole}
