"""One interface to recorded runs, whether they are in the user's journal or in a store."""

import os
import signal
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, Self

from toolkit.approvals.pending import KeptAnswer, PendingApproval
from toolkit.journals.journal_files import JournalFile
from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit_cli.batching.stored_runs import open_store
from toolkit_cli.running.keeping import Resumed, StoredResume, refuse_doubts


class Consent(NamedTuple):
    """What the user has allowed for resuming a run.

    Attributes:
        accepts_changes: Continue although definitions or items have changed.
        repeats_failures: Run failed items again.
        repeats_doubts: Repeat steps that started and may have taken effect.
    """

    accepts_changes: bool
    repeats_failures: bool
    repeats_doubts: bool


class Kept(Protocol):
    """Recorded runs."""

    def runs(self) -> list[KeptRun]:
        """Return all runs, newest first."""

    def steps(self, run: KeptRun, *, since: float = 0.0) -> Iterable[KeptStep]:
        """Return the steps or items of a run; with `since`, only those that ended after that time."""

    def cancel(self, run: KeptRun) -> str:
        """Cancel a run, and return a message about what was done."""

    def resumed(self, run: KeptRun, consent: Consent) -> Resumed | StoredResume:
        """Return what is needed to continue a run."""

    def prune(self, runs: Iterable[KeptRun]) -> list[KeptRun]:
        """Delete runs with everything that belongs to them, and return those that were deleted."""

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes were freed, as far as that is known."""

    def open_questions(self) -> list[PendingApproval]:
        """Return the open approval questions of all runs, oldest first."""

    def answer(self, id: str, answer: KeptAnswer) -> bool:
        """Record the answer to a question, and return whether the question was still open."""


class JournalRuns(JournalFile):
    """The runs of the user's journal."""

    def cancel(self, run: KeptRun) -> str:
        """Stop a run as Ctrl-C does, or mark an interrupted run as cancelled; return a message about it."""
        if run.state == "running":
            os.kill(run.process, signal.SIGTERM)
            return f"process {run.process} was asked to end; finished work is kept"
        self.set_state(run.number, "cancelled", run.error)
        return f"the run '{run.id}' is cancelled"

    def resumed(self, run: KeptRun, consent: Consent) -> Resumed:
        """Return what is needed to continue a run.

        Raises:
            Failure: If a step started without ending, and `consent` does not allow it to be repeated.
        """
        resumed = Resumed(self, run, consent.accepts_changes, consent.repeats_failures)
        if not consent.repeats_doubts:
            refuse_doubts(resumed)
        return resumed


class StoreRuns:
    """The runs of a store."""

    def __init__(self, url: str) -> None:
        """Open an existing store.

        Raises:
            ConfigurationError: If there is no such store.
            StoreError: If it cannot be reached.
        """
        self._store = open_store(url, makes=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def runs(self) -> list[KeptRun]:
        """Return all runs, newest first."""
        return self._store.runs.all()

    def steps(self, run: KeptRun, *, since: float = 0.0) -> Iterator[KeptStep]:
        """Return the items of a run; with `since`, only those that ended after that time."""
        return (step for step in self._store.items.of(run) if not since or (step.ended or 0.0) > since)

    def cancel(self, run: KeptRun) -> str:
        """Cancel a run: processes that follow it end, and workers take no more of its items; return a message."""
        self._store.runs.cancel(run.id)
        return f"the run '{run.id}' is cancelled; finished work is kept"

    def resumed(self, run: KeptRun, consent: Consent) -> StoredResume:
        """Return what is needed to continue a run; unclear steps are handled item by item."""
        return StoredResume(run, *consent)

    def prune(self, runs: Iterable[KeptRun]) -> list[KeptRun]:
        """Delete runs with everything that belongs to them, and return those that were deleted."""
        return self._store.prune(runs)

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes were freed, as far as that is known."""
        return self._store.compact()

    def open_questions(self) -> list[PendingApproval]:
        """Return the open approval questions of all runs, oldest first."""
        return self._store.approvals.all_open()

    def answer(self, id: str, answer: KeptAnswer) -> bool:
        """Record the answer to a question, and return whether the question was still open."""
        return self._store.approvals.answer(id, answer)
