"""Kept runs: those of the user's journal, or of a store, behind one face."""

import os
import signal
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, Self

from toolkit.approvals.pending import KeptAnswer, PendingApproval
from toolkit.journals.journal_files import JournalFile
from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit_cli.batching.opened_stores import open_store
from toolkit_cli.batching.stored_runs import StoredResume
from toolkit_cli.running.keeping import Resumed, refuse_doubts


class Consent(NamedTuple):
    """What somebody agrees to who goes on with a run.

    Attributes:
        accepts_changes: Definitions, and items, that have changed.
        repeats_failures: Items that have failed are done again.
        repeats_doubts: Steps are done again that began, and may have taken effect.
    """

    accepts_changes: bool
    repeats_failures: bool
    repeats_doubts: bool


class Kept(Protocol):
    """Runs that are kept somewhere."""

    def runs(self) -> list[KeptRun]:
        """Return them, the newest first."""

    def steps(self, run: KeptRun, *, since: float = 0.0) -> Iterable[KeptStep]:
        """Return the steps or items of a run, or those alone that have ended since a time."""

    def cancel(self, run: KeptRun) -> str:
        """End a run, or note that nobody will go on with it; return what was done, in words."""

    def resumed(self, run: KeptRun, consent: Consent) -> Resumed | StoredResume:
        """Return a run as it goes on."""

    def open_questions(self) -> list[PendingApproval]:
        """Return the questions of all runs that wait for an answer, the oldest first."""

    def answer(self, id: str, answer: KeptAnswer) -> bool:  # noqa: A002 - its name everywhere
        """Keep the answer to a question, and return whether it was still open."""


class JournalRuns(JournalFile):
    """The runs of the user's journal."""

    def cancel(self, run: KeptRun) -> str:
        """End a run as Ctrl-C does, or note that nobody will go on with it; return what was done, in words."""
        if run.state == "running":
            os.kill(run.process, signal.SIGTERM)
            return f"process {run.process} was asked to end; finished work is kept"
        self.set_state(run.number, "cancelled", run.error)
        return f"the run '{run.id}' is cancelled"

    def resumed(self, run: KeptRun, consent: Consent) -> Resumed:
        """Return a run as it goes on.

        Raises:
            Failure: If nobody knows what became of a step, and nobody has agreed that it is repeated.
        """
        resumed = Resumed(self, run, consent.accepts_changes, consent.repeats_failures)
        if not consent.repeats_doubts:
            refuse_doubts(resumed)
        return resumed


class StoreRuns:
    """The runs of a store."""

    def __init__(self, url: str) -> None:
        """Open the store, which is there.

        Raises:
            ConfigurationError: If it is not.
            StoreError: If it cannot be reached.
        """
        self._store = open_store(url, makes=False)

    def __enter__(self) -> Self:
        """Use it until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def runs(self) -> list[KeptRun]:
        """Return them, the newest first."""
        return self._store.runs.all()

    def steps(self, run: KeptRun, *, since: float = 0.0) -> Iterator[KeptStep]:
        """Return the items of a run, or those alone that have ended since a time."""
        return (step for step in self._store.items.of(run) if not since or (step.ended or 0.0) > since)

    def cancel(self, run: KeptRun) -> str:
        """End a run: those that follow it end, and no worker takes more of it; return what was done, in words."""
        self._store.runs.cancel(run.id)
        return f"the run '{run.id}' is cancelled; finished work is kept"

    def resumed(self, run: KeptRun, consent: Consent) -> StoredResume:
        """Return a run as it goes on; its items know themselves what is in doubt."""
        return StoredResume(run, *consent)

    def open_questions(self) -> list[PendingApproval]:
        """Return the questions of all runs that wait for an answer, the oldest first."""
        return self._store.approvals.all_open()

    def answer(self, id: str, answer: KeptAnswer) -> bool:  # noqa: A002 - its name everywhere
        """Keep the answer to a question, and return whether it was still open."""
        return self._store.approvals.answer(id, answer)
