"""The journal of all runs of a user: one SQLite file that only this user can read."""

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from toolkit.approvals.requests import ApprovalAnswer, PendingApproval
from toolkit.stores.databases import FileDatabase, compact_file
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep, State
from toolkit.stores.run_journals import RunJournal
from toolkit.stores.stored_approvals import StoredApprovals
from toolkit.stores.stored_runs import StoredRuns

if TYPE_CHECKING:
    from toolkit.stores.presences import Presence

_WHOLE: Final = "path NOT LIKE '%/%' AND path NOT LIKE '%[%'"
"""A condition for the steps or items of the run itself, without the steps inside them."""
_COUNTS: Final = (
    "SELECT count(*) FILTER (WHERE status = 'ok') AS done,"  # noqa: S608 - our own words
    " count(*) FILTER (WHERE status NOT IN ('ok', 'skipped')) AS failed"
    f" FROM toolkit_steps WHERE run = :run AND {_WHOLE}"
)
_STEPS: Final = (
    f"SELECT {', '.join(RecordedStep._fields)} FROM toolkit_steps"  # noqa: S608 - our own names
    " WHERE run = :run AND (:since = 0 OR ended > :since) ORDER BY coalesce(began, ended), ended"
)
_LAST_ITEM: Final = f"SELECT max(CAST(path AS INTEGER)) AS number FROM toolkit_steps WHERE run = :run AND {_WHOLE}"  # noqa: S608 - our own words


class JournalFile:
    """The journal of all runs. Several threads and processes can use it at the same time."""

    url: Final = None

    def __init__(self, path: Path) -> None:
        """Open the journal, or create it.

        Raises:
            ConfigurationError: If it was written by another version of this program.
            JournalError: If it cannot be opened or created.
        """
        self.path = path
        self._database = FileDatabase(path)
        self._runs = StoredRuns(self._database, self._join)
        self._approvals = StoredApprovals(self._database)
        self._presence: Presence | None = None

    @staticmethod
    def usual_path() -> Path:
        """Return the default path: `toolkit/runs.db` in `$XDG_STATE_HOME`, or in `~/.local/state`."""
        named = os.environ.get("XDG_STATE_HOME", "")
        state = Path(named) if named.startswith(os.sep) else Path.home() / ".local" / "state"
        return state / "toolkit" / "runs.db"

    def __enter__(self) -> Self:
        """Return this journal; it is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the journal."""
        self.close()

    def close(self) -> None:
        """Close the journal."""
        self._leave()
        self._database.close()

    def _leave(self) -> None:
        presence, self._presence = self._presence, None
        if presence is not None:
            presence.leave()

    def _join(self) -> "Presence":
        """Register this process unless it is registered already, and clean up after those that have died."""
        from toolkit.stores.presences import Presence  # not needed to read a journal

        if self._presence is None:
            self._presence = Presence(self._database)
            for other in self._presence.others():
                if self._presence.lock_if_dead(other.number):
                    self._presence.forget(other.number)
        return self._presence

    # ------------------------------------------------------------------------------------------------------ one run

    def begin(
        self,
        id: str,
        target: str,
        tool: str,
        *,
        request: Mapping[str, Any],
        definition: Mapping[str, str],
        unit: str,
        of: int | None,
    ) -> RunJournal:
        """Create the record of a new run.

        Raises:
            JournalError: If the journal cannot be written.
        """
        number = self._runs.begin(id, target, tool, request=request, definition=definition, unit=unit, of=of)
        return self._journal(id, number, is_resumed=False)

    def resume(self, run: RecordedRun, definition: Mapping[str, str]) -> RunJournal:
        """Reopen the record of a run to resume it. If its definition has changed, all its approvals are withdrawn.

        Raises:
            JournalError: If the run is still running, or the journal cannot be written.
        """
        self._runs.resume(run, definition)
        return self._journal(run.id, run.number, is_resumed=True)

    def _journal(self, id: str, number: int, *, is_resumed: bool) -> RunJournal:
        def finish(state: State, error: str | None) -> None:
            try:
                self._runs.finish(id, state, error)
            finally:
                self._leave()

        return RunJournal(self._database, id, number, finish, is_resumed=is_resumed)

    def cancel(self, run: RecordedRun) -> None:
        """Cancel a run. A running one ends as after Ctrl-C.

        Raises:
            JournalError: If the journal cannot be written.
        """
        from toolkit.stores.presences import known_processes  # few runs are cancelled

        self._runs.cancel(run.id)
        for one in known_processes(self._database) if run.state == "running" else ():
            if one.number == run.process and one.is_here:
                with suppress(ProcessLookupError):
                    os.kill(one.process, signal.SIGTERM)

    # ----------------------------------------------------------------------------------------------------- all runs

    def all(self) -> Iterator[RecordedRun]:
        """Yield all runs, newest first.

        Raises:
            JournalError: If the journal cannot be read.
        """
        return map(self._counted, self._runs.all())

    def find(self, start: str) -> list[RecordedRun]:
        """Return the runs whose id starts like this, newest first.

        Raises:
            JournalError: If the journal cannot be read.
        """
        return list(map(self._counted, self._runs.all(start)))

    def run(self, id: str) -> RecordedRun:
        """Return the run with an id.

        Raises:
            JournalError: If there is no such run, or the journal cannot be read.
        """
        return self._counted(self._runs.get(id))

    def steps(self, run: RecordedRun, *, since: float = 0.0) -> Iterator[RecordedStep]:
        """Yield the steps of a run in the order in which they began.

        Args:
            run: The run.
            since: If not 0, yield only steps that ended after this time, in seconds since 1970.

        Raises:
            JournalError: If the journal cannot be read.
        """
        for row in self._database.read(_STEPS, {"run": run.number, "since": since}):
            step = RecordedStep(*(row[name] for name in RecordedStep._fields))
            yield step._replace(may_repeat=bool(step.may_repeat), is_whole=bool(step.is_whole))

    def last_item(self, run: RecordedRun) -> int:
        """Return the highest number of the recorded items of a batch, or 0 if there are none.

        Raises:
            JournalError: If the journal cannot be read.
        """
        (row,) = self._database.read(_LAST_ITEM, {"run": run.number})
        return row["number"] or 0

    def in_doubt(self, run: RecordedRun) -> list[RecordedStep]:
        """Return the steps that cannot safely be repeated and may have run, or whose results are incomplete.

        Steps inside a finished step or item are left out, since they will not run again.

        Raises:
            JournalError: If the journal cannot be read.
        """
        open_steps = [step for step in self.steps(run) if not step.may_repeat and _is_in_doubt(step)]
        if not open_steps:
            return []
        ended = {step.path for step in self.steps(run) if step.status == "ok" and step.is_whole}
        whole_items = {step.path for step in self.steps(run) if step.status == "ok"} if run.unit == "items" else set()
        return [step for step in open_steps if not any(one in ended | whole_items for one in _around(step.path))]

    def prune(self, runs: Iterable[RecordedRun]) -> list[RecordedRun]:
        """Delete runs with everything that belongs to them, except those that have been resumed meanwhile.

        Returns:
            The deleted runs. Call `compact` to free the space that they took.

        Raises:
            JournalError: If the journal cannot be written.
        """
        deleted = self._runs.mark_deleted(runs)
        for run in self._runs.marked():
            self._runs.delete(run)
        return deleted

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes the files are smaller.

        Raises:
            JournalError: If the journal cannot be written, for example because the disk has no room for a copy of it.
        """
        return self._database.attempt("write", lambda: compact_file(self.path))

    def open_questions(self) -> list[PendingApproval]:
        """Return the unanswered questions of all runs, oldest first.

        Raises:
            JournalError: If the journal cannot be read.
        """
        return self._approvals.all_open()

    def answer(self, id: str, answer: ApprovalAnswer) -> bool:
        """Record the answer to a question, and return whether the question was still open.

        Raises:
            JournalError: If the journal cannot be written.
        """
        return self._approvals.answer(id, answer)

    def _counted(self, run: RecordedRun) -> RecordedRun:
        """Return a run with the numbers of its steps or items, which are counted only when somebody looks."""
        (row,) = self._database.read(_COUNTS, {"run": run.number})
        return run._replace(done=row["done"], failed=row["failed"])


def _is_in_doubt(step: RecordedStep) -> bool:
    return step.status is None or step.status == "timed_out" or (step.status == "ok" and not step.is_whole)


def _around(path: str) -> Iterator[str]:
    """Yield the paths of the steps and items that contain a step."""
    for end, sign in enumerate(path):
        if sign in "/[":
            yield path[:end]
