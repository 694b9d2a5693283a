"""The part of a journal that one run writes: a record after each step.

Steps that cannot safely be repeated are recorded before they begin, too.
"""

import time

from toolkit.approvals.decisions import PendingApproval, plain_digest
from toolkit.runs.records import StepRecord
from toolkit.stores.databases import Database
from toolkit.stores.stored_approvals import StoredApprovals

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
