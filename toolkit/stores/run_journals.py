"""The part of a journal that one run writes: a record after each step.

Steps that cannot safely be repeated are recorded before they begin, too.
"""

import threading
import time
from collections.abc import Mapping

from toolkit.approvals.requests import PendingApproval, plain_digest
from toolkit.runs.records import StepRecord
from toolkit.stores.databases import Database
from toolkit.stores.recorded_approvals import add_pending, has_questions, pending_at, withdraw
from toolkit.stores.recorded_runs import State

_LONGEST_ARGUMENTS = 2_000

_BEGIN = """
INSERT INTO steps (run, path, tool, definition, arguments, digest, may_repeat, began)
VALUES (:run, :path, :tool, :definition, :arguments, :digest, :may_repeat, :began)
ON CONFLICT (run, path) DO UPDATE SET
    tool = excluded.tool, definition = excluded.definition, arguments = excluded.arguments, digest = excluded.digest,
    may_repeat = excluded.may_repeat, began = excluded.began, ended = NULL, status = NULL, result = NULL
"""
_DONE = """
INSERT INTO steps (run, path, tool, definition, arguments, digest, may_repeat, began, ended, status, result, is_whole)
VALUES (:run, :path, :tool, :definition, :arguments, :digest, :may_repeat, :began, :ended, :status, :result, :is_whole)
ON CONFLICT (run, path) DO UPDATE SET
    tool = excluded.tool, definition = excluded.definition, arguments = excluded.arguments, digest = excluded.digest,
    may_repeat = excluded.may_repeat, began = excluded.began, ended = excluded.ended, status = excluded.status,
    result = excluded.result, is_whole = excluded.is_whole
"""
_END = """
INSERT INTO steps (run, path, digest, ended, status, result, is_whole)
VALUES (:run, :path, :digest, :ended, :status, :result, :is_whole)
ON CONFLICT (run, path) DO UPDATE SET
    digest = iif(excluded.digest = '', digest, excluded.digest), ended = excluded.ended, status = excluded.status,
    result = excluded.result, is_whole = excluded.is_whole
"""
_RECALL = "SELECT status, result, is_whole, digest FROM steps WHERE run = ? AND path = ? AND status IS NOT NULL"


class RunJournal:
    """The record of one run: its finished steps (`Journal`) and its pending questions (`PendingApprovals`).

    It is thread-safe.
    """

    def __init__(self, database: Database, number: int, *, is_resumed: bool) -> None:
        """Open the record of a run.

        Args:
            database: The database of the journal.
            number: The number of the run in the journal.
            is_resumed: Whether the run is resumed. If not, there are no earlier records to look up.
        """
        self._database, self._number, self._is_resumed = database, number, is_resumed
        self._lock = threading.Lock()
        self._begun: dict[str, dict[str, object]] = {}
        self._has_questions = is_resumed and has_questions(database, number)

    def recall(self, path: str) -> StepRecord | None:
        """Return the record of a finished step, or `None` if the step has to run."""
        if not self._is_resumed:
            return None
        with self._lock, self._database.storage_errors("read"):
            row = self._database.connection.execute(_RECALL, (self._number, path)).fetchone()
        return None if row is None else StepRecord(row[0], row[1], bool(row[2]), row[3])

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

    def finish(self, state: State, error: str | None = None) -> None:
        """Record how the run ended, unless it was cancelled.

        Raises:
            JournalError: If the journal cannot be written.
        """
        statement = (
            "UPDATE runs SET state = iif(state = 'cancelled', state, :state), error = :error, ended = :ended"
            " WHERE number = :run"
        )
        try:
            self._write(statement, {"state": state, "error": error, "ended": time.time()})
        finally:
            self._database.locks.release(self._number)

    def pending_at(self, path: str) -> PendingApproval | None:
        """Return the question of a step, unless the step has begun since the question was answered."""
        if not self._has_questions:
            return None
        with self._lock:
            return pending_at(self._database, self._number, path)

    def add_pending(self, pending: PendingApproval) -> None:
        """Store a question. It replaces any previous question of the same step.

        Raises:
            JournalError: If the journal cannot be written.
        """
        with self._lock:
            self._has_questions = True
            add_pending(self._database, self._number, pending)

    def _withdraw(self, path: str) -> None:
        """Delete the question of a step that has begun or ended, since an answer is valid for one call only."""
        if self._has_questions:
            with self._lock:
                withdraw(self._database, self._number, path)

    def _write(self, statement: str, values: Mapping[str, object]) -> None:
        with self._lock:
            self._database.write(statement, {"run": self._number, **values})
