"""The part of a journal that one run writes, or one item of a batch on whatever worker it runs.

Each step is recorded when it has ended. Steps that cannot safely be repeated are recorded before they begin, too.
"""

import time
from typing import Final

from toolkit.approvals.decisions import PendingApproval, plain_digest
from toolkit.errors import Signal
from toolkit.runs.records import StepRecord
from toolkit.stores.databases import Database
from toolkit.stores.recorded_runs import StoredItem
from toolkit.stores.stored_approvals import StoredApprovals
from toolkit.stores.stored_runs import StoredSteps, in_doubt
from toolkit.stores.tables import Execute

_LONGEST_ARGUMENTS = 2_000

_BEGIN = """
INSERT INTO toolkit_steps (run, path, tool, definition, arguments, digest, may_repeat, began)
VALUES (:run, :path, :tool, :definition, :arguments, :digest, :may_repeat, :began)
ON CONFLICT (run, path) DO UPDATE SET
    tool = excluded.tool, definition = excluded.definition, arguments = excluded.arguments, digest = excluded.digest,
    may_repeat = excluded.may_repeat, began = excluded.began, ended = NULL, status = NULL, result = NULL
"""
_DONE = """
INSERT INTO toolkit_steps
    (run, path, tool, definition, arguments, digest, may_repeat, began, ended, status, result, is_whole)
VALUES (:run, :path, :tool, :definition, :arguments, :digest, :may_repeat, :began, :ended, :status, :result, :is_whole)
ON CONFLICT (run, path) DO UPDATE SET
    tool = excluded.tool, definition = excluded.definition, arguments = excluded.arguments, digest = excluded.digest,
    may_repeat = excluded.may_repeat, began = excluded.began, ended = excluded.ended, status = excluded.status,
    result = excluded.result, is_whole = excluded.is_whole
"""
_END = """
INSERT INTO toolkit_steps (run, path, digest, ended, status, result, is_whole)
VALUES (:run, :path, :digest, :ended, :status, :result, :is_whole)
ON CONFLICT (run, path) DO UPDATE SET
    digest = CASE WHEN excluded.digest = '' THEN toolkit_steps.digest ELSE excluded.digest END,
    ended = excluded.ended, status = excluded.status, result = excluded.result, is_whole = excluded.is_whole
"""
_RECALL = """
SELECT status, result, is_whole, digest FROM toolkit_steps WHERE run = :run AND path = :path AND status IS NOT NULL
"""


class RunJournal:
    """The record of one run: its finished steps (`Journal`) and its pending questions (`PendingApprovals`).

    It is thread-safe.
    """

    def __init__(
        self, database: Database, id: str, number: int, *, is_resumed: bool, has_questions: bool = False
    ) -> None:
        """Open the record of a run.

        Args:
            database: The database of the run.
            id: The id of the run.
            number: The number of the run in the database.
            is_resumed: Whether the run is resumed. If not, there are no earlier records to look up.
            has_questions: Whether the run may have questions that were asked before.
        """
        self._database, self._id, self._number = database, id, number
        self._approvals = StoredApprovals(database)
        self._is_resumed = is_resumed
        self._begun: dict[str, dict[str, object]] = {}
        self._has_questions = has_questions

    def recall(self, path: str) -> StepRecord | None:
        """Return the record of a finished step, or `None` if the step has to run."""
        if not self._is_resumed:
            return None
        for row in self._database.read(_RECALL, {"run": self._number, "path": path}):
            return StepRecord(row["status"], row["result"], bool(row["is_whole"]), row["digest"])
        return None

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:
        """Record that a step begins, before it does anything. A repeatable step is written only when it ends.

        Raises:
            JournalError: If the journal cannot be written.
        """
        record: dict[str, object] = {
            "path": path, "tool": tool, "definition": definition, "arguments": arguments[:_LONGEST_ARGUMENTS],
            "digest": plain_digest(arguments), "may_repeat": may_repeat, "began": time.time(),
        }  # fmt: skip
        if may_repeat:
            self._begun[path] = record
        else:
            self._write(_BEGIN, record)
        self._withdraw(path)

    def end(self, path: str, status: str, result: str, *, is_whole: bool, arguments: str = "") -> None:
        """Record how a step ended, before the next one begins.

        Raises:
            JournalError: If the journal cannot be written.
        """
        record = {"path": path, "ended": time.time(), "status": status, "result": result, "is_whole": is_whole}
        begun = self._begun.pop(path, None)
        if begun is None:
            self._write(_END, record | {"digest": arguments})
        else:
            self._write(_DONE, begun | record | {"digest": arguments or begun["digest"]})
        self._withdraw(path)

    def pending_at(self, path: str) -> PendingApproval | None:
        """Return the question of a step, unless the step has begun since the question was answered."""
        found = self._approvals.at(self._id, path) if self._is_resumed or self._has_questions else None
        self._has_questions = self._has_questions or found is not None
        return found

    def add_pending(self, pending: PendingApproval) -> None:
        """Store a question. It replaces any previous question of the same step.

        Raises:
            JournalError: If the journal cannot be written.
        """
        self._has_questions = True
        self._approvals.add(pending)

    def _withdraw(self, path: str) -> None:
        """Delete the question of a step that has begun or ended, since an answer is valid for one call only."""
        if self._has_questions:
            self._approvals.withdraw(self._id, path)

    def _write(self, statement: str, values: dict[str, object]) -> None:
        self._database.write(statement, {"run": self._number, **values})


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
