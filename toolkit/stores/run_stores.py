"""A database of recorded runs: what the user's journal and a store that workers share have in common."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from toolkit.approvals.decisions import ApprovalAnswer, PendingApproval
from toolkit.stores.databases import Database, FileDatabase, StoreUrl
from toolkit.stores.presences import Presence, known_processes
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep, State, StoredItem
from toolkit.stores.run_journals import RunJournal
from toolkit.stores.stored_approvals import StoredApprovals
from toolkit.stores.stored_runs import StoredRuns, StoredSteps


class RunStore:
    """Recorded runs with their steps and questions. Several threads and processes can use it at the same time.

    Every method raises JournalError if the database cannot be used.

    Attributes:
        url: The URL of the store; `None` for the user's journal.
        database: The database.
        runs: The table of runs.
        approvals: The questions of runs that wait for answers.
    """

    url: StoreUrl | None = None

    def __init__(self, database: Database, software: Callable[[], Mapping[str, str]] = dict) -> None:
        """Use an open database.

        Args:
            database: The database.
            software: Returns the versions of the software that runs are run with, by name.
        """
        self.database = database
        self.runs = StoredRuns(database, self.join, software)
        self.approvals = StoredApprovals(database)
        self._steps = StoredSteps(database)
        self._presence: Presence | None = None

    def __enter__(self) -> Self:
        """Return this store; it is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Unregister this process, and close the database."""
        self._leave()
        self.database.close()

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> Presence:
        """Register this process unless it is registered already, and return its presence.

        Args:
            jobs: How many items this process runs in parallel; 0 if it is not a worker.
            versions: The versions of the tools that it can run.

        Raises:
            JournalError: If the database cannot be written.
        """
        if self._presence is None:
            self._presence = Presence(self.database, jobs=jobs, tools=" ".join(versions))
        return self._presence

    def _leave(self) -> None:
        presence, self._presence = self._presence, None
        if presence is not None:
            presence.leave()

    # ------------------------------------------------------------------------------------------------------ one run

    def begin(  # noqa: PLR0913 - all that a run is
        self,
        id: str,
        target: str,
        tool: str,
        *,
        request: Mapping[str, Any],
        definition: Mapping[str, str],
        unit: str,
        of: int | None = None,
        version: str = "",
        name: str | None = None,
    ) -> RunJournal:
        """Create the record of a new run; see `StoredRuns.begin`.

        Raises:
            JournalError: If the database cannot be written.
        """
        number = self.runs.begin(
            id, target, tool, request=request, definition=definition, unit=unit, of=of, version=version, name=name
        )
        return RunJournal(self.database, id, number, is_resumed=False)

    def resume(self, run: RecordedRun, definition: Mapping[str, str], version: str = "") -> RunJournal:
        """Reopen the record of a run to resume it. If its definition has changed, all its approvals are withdrawn.

        Raises:
            JournalError: If the run is still running, or the database cannot be written.
        """
        self.runs.resume(run, definition, version)
        return self.journal(run)

    def journal(self, run: RecordedRun) -> RunJournal:
        """Return the record of a run that was begun before.

        Raises:
            JournalError: If the database cannot be read.
        """
        has_questions = self.approvals.any_of(run.id)
        return RunJournal(self.database, run.id, run.number, is_resumed=True, has_questions=has_questions)

    def finish(self, id: str, state: State, error: str | None = None) -> None:
        """Record how a run ended, unless it was cancelled.

        Raises:
            JournalError: If the database cannot be written.
        """
        self.runs.finish(id, state, error)

    def cancel(self, run: RecordedRun) -> None:
        """Cancel a run. The process that follows it ends, and workers take no more of its items.

        Raises:
            JournalError: If the database cannot be written.
        """
        self.runs.cancel(run.id)

    # ----------------------------------------------------------------------------------------------------- all runs

    def all(self) -> Iterator[RecordedRun]:
        """Yield all runs, newest first.

        Raises:
            JournalError: If the database cannot be read.
        """
        return map(self._steps.counted, self.runs.all())

    def find(self, start: str) -> list[RecordedRun]:
        """Return the runs whose id starts like this, newest first.

        Raises:
            JournalError: If the database cannot be read.
        """
        return list(map(self._steps.counted, self.runs.all(start)))

    def run(self, id: str) -> RecordedRun:
        """Return the run with an id.

        Raises:
            JournalError: If there is no such run, or the database cannot be read.
        """
        return self._steps.counted(self.runs.get(id))

    def steps(self, run: RecordedRun, *, since: float = 0.0) -> Iterator[RecordedStep]:
        """Yield the steps of a run in the order in which they began, and those of a batch item by item.

        Args:
            run: The run.
            since: If not 0, yield only steps that ended after this time, in seconds since 1970.

        Raises:
            JournalError: If the database cannot be read.
        """
        return self._steps.of_run(run, since=since)

    def item(self, run: RecordedRun, number: int) -> StoredItem | None:
        """Return an item of a batch with its arguments; `None` if there is none, as in the journal, which keeps none.

        Raises:
            StoreError: If the store cannot be read.
        """
        return None

    def item_steps(self, run: RecordedRun, number: int) -> list[RecordedStep]:
        """Return the record of an item of a batch, and those of the steps inside it.

        Raises:
            JournalError: If the database cannot be read.
        """
        return [step for step, _ in self._steps.of_item(run.number, number)]

    def last_item(self, run: RecordedRun) -> int:
        """Return the highest number of the recorded items of a batch, or 0 if there are none.

        Raises:
            JournalError: If the database cannot be read.
        """
        return self._steps.last_item(run)

    def in_doubt(self, run: RecordedRun) -> list[RecordedStep]:
        """Return the steps that have to be checked by a person before the run can continue.

        Raises:
            JournalError: If the database cannot be read.
        """
        return self._steps.in_doubt(run)

    def prune(self, runs: Iterable[RecordedRun]) -> list[RecordedRun]:
        """Delete runs with everything that belongs to them, except those that have been resumed meanwhile.

        Returns:
            The deleted runs. Call `compact` to free the space that they took.

        Raises:
            JournalError: If the database cannot be written.
        """
        deleted = self.runs.mark_deleted(runs)
        for run in self.runs.marked():
            self._delete(run)
        return deleted

    def _delete(self, run: RecordedRun) -> None:
        self.runs.delete(run)

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes the files are smaller; 0 for a server.

        Raises:
            JournalError: If the database cannot be written, for example because the disk has no room for a copy of it.
        """
        return self.database.compact()

    def open_questions(self) -> list[PendingApproval]:
        """Return the open approval questions of all runs, oldest first.

        Raises:
            JournalError: If the database cannot be read.
        """
        return self.approvals.all_open()

    def answer(self, id: str, answer: ApprovalAnswer) -> bool:
        """Record the answer to a question, and return whether the question was still open.

        Raises:
            JournalError: If the database cannot be written.
        """
        return self.approvals.answer(id, answer)


class JournalFile(RunStore):
    """The journal of all runs. Several threads and processes can use it at the same time."""

    def __init__(self, path: Path) -> None:
        """Open the journal, or create it.

        Raises:
            ConfigurationError: If it was written by another version of this program.
            JournalError: If it cannot be opened or created.
        """
        self.path = path
        super().__init__(FileDatabase(path))

    @staticmethod
    def usual_path() -> Path:
        """Return the default path: `toolkit/runs.db` in `$XDG_STATE_HOME`, or in `~/.local/state`."""
        named = os.environ.get("XDG_STATE_HOME", "")
        state = Path(named) if named.startswith(os.sep) else Path.home() / ".local" / "state"
        return state / "toolkit" / "runs.db"

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> Presence:
        """Register this process unless it is registered already, and clean up after those that have died.

        Raises:
            JournalError: If the journal cannot be written.
        """
        is_new = self._presence is None
        presence = super().join(jobs=jobs, versions=versions)
        for other in presence.others() if is_new else ():
            if presence.lock_if_dead(other.number):
                presence.forget(other.number)
        return presence

    def finish(self, id: str, state: State, error: str | None = None) -> None:
        """Record how a run ended, unless it was cancelled, and unregister this process.

        Raises:
            JournalError: If the journal cannot be written.
        """
        try:
            super().finish(id, state, error)
        finally:
            self._leave()

    def cancel(self, run: RecordedRun) -> None:
        """Cancel a run. A running one ends as after Ctrl-C.

        Raises:
            JournalError: If the journal cannot be written.
        """
        super().cancel(run)
        for one in known_processes(self.database) if run.state == "running" else ():
            if one.number == run.process and one.is_here:
                with suppress(ProcessLookupError):
                    os.kill(one.process, signal.SIGTERM)
