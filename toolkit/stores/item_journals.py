"""The part of a journal that one item of a store writes, on whatever worker it runs."""

from typing import Final

from toolkit.errors import Signal
from toolkit.runs.records import StepRecord
from toolkit.stores.databases import Database
from toolkit.stores.run_journals import RunJournal
from toolkit.stores.stored_items import StoredItem
from toolkit.stores.stored_steps import StoredSteps, in_doubt
from toolkit.stores.tables import Execute

_IS_HERE: Final = "SELECT number FROM toolkit_processes WHERE number = :process AND jobs >= 0"


class InDoubt(Signal):
    """Raised if a step that cannot be repeated began before its worker died, and may have taken effect.

    Attributes:
        path: The path of the step in the run.
        tool: The name of the tool that it calls.
    """

    def __init__(self, path: str, tool: str) -> None:
        super().__init__(f"'{path}' was running '{tool}' when its process died: it may have completed")
        self.path, self.tool = path, tool


class Lost(Signal):
    """Raised if other processes took over the work of this one, or it stops."""


class ItemJournal(RunJournal):
    """The journal of one item and its pending approvals: a `Journal` and `PendingApprovals`. Thread-safe.

    Nothing is written once other processes took over the work of this one.
    """

    def __init__(self, database: Database, item: StoredItem, *, run: int, process: int) -> None:
        """Read what earlier attempts have recorded.

        Args:
            database: The database of the store.
            item: The item.
            run: The number of its run.
            process: The number of this process.

        Raises:
            JournalError: If the store cannot be read.
        """
        super().__init__(database, item.run, run, is_resumed=True, has_questions=item.attempt > 1)
        self._process, self._repeats = process, item.repeats
        recorded = StoredSteps(database).of_item(run, item.number)
        self._ended = {
            step.path: StepRecord(step.status, step.result or "", step.is_whole, digest)
            for step, digest in recorded
            if step.status is not None
        }
        self._doubts = {step.path: step.tool for step in in_doubt(step for step, _ in recorded)}

    def recall(self, path: str) -> StepRecord | None:
        """Return the record of a step that an earlier attempt finished, or `None` if the step has to run."""
        return self._ended.get(path)

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:
        """Record that a step begins, before it does anything. A repeatable step is written only when it ends.

        Raises:
            InDoubt: If an earlier attempt began the step, and it may have taken effect.
            JournalError: If the store cannot be written.
            Lost: If other processes took over the work of this one.
        """
        if path in self._doubts and not may_repeat and not self._repeats:
            raise InDoubt(path, self._doubts[path])
        super().begin(path, tool, definition, arguments, may_repeat=may_repeat)

    def _write(self, statement: str, values: dict[str, object]) -> None:
        def write(execute: Execute) -> None:
            if not execute(f"{_IS_HERE}{self._database.share_lock}", {"process": self._process}).rows:
                raise Lost("other processes took over the work of this one")
            execute(statement, {"run": self._number, **values})

        self._database.transaction(write)
