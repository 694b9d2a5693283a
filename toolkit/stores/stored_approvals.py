"""The questions of recorded runs that wait for an answer."""

from typing import Final

from toolkit.approvals.decisions import ApprovalAnswer, PendingApproval, question_text
from toolkit.json_texts import json_text
from toolkit.stores.databases import Database
from toolkit.stores.tables import Execute

_OPEN: Final = (
    "SELECT a.* FROM toolkit_approvals a JOIN toolkit_runs r ON r.id = a.run"
    " WHERE a.answer IS NULL AND r.state NOT IN ('completed', 'cancelled', 'deleted') ORDER BY a.number"
)
_AT: Final = "SELECT * FROM toolkit_approvals WHERE run = :run AND path = :path"
_REPLACE: Final = "DELETE FROM toolkit_approvals WHERE run = :run AND path = :path"
_ADD: Final = (
    "INSERT INTO toolkit_approvals (id, run, path, salt, digest, alike, asked, question)"
    " VALUES (:id, :run, :path, :salt, :digest, :alike, :asked, :question)"
)
_ANSWER: Final = (
    "UPDATE toolkit_approvals SET answer = :answer, by = :by, at = :at, reason = :reason, arguments = :arguments"
    " WHERE id = :id AND answer IS NULL"
)
_WITHDRAW_ALL: Final = "DELETE FROM toolkit_approvals WHERE run = :run"
_WITHDRAW: Final = (
    f"{_WITHDRAW_ALL} AND (path = :path OR substr(path, 1, :length) = :step OR substr(path, 1, :length) = :item)"
)


class StoredApprovals:
    """The questions of runs that wait for an answer. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all_open(self) -> list[PendingApproval]:
        """Return the unanswered questions of all runs that can be resumed, oldest first.

        Raises:
            JournalError: If the database cannot be read.
        """
        return [PendingApproval.of_row(row) for row in self._database.read(_OPEN)]

    def at(self, run: str, path: str) -> PendingApproval | None:
        """Return the question at a path of a run, or `None` if there is none.

        Raises:
            JournalError: If the database cannot be read.
        """
        for row in self._database.read(_AT, {"run": run, "path": path}):
            return PendingApproval.of_row(row)
        return None

    def any_of(self, run: str) -> bool:
        """Return whether a run has questions, answered or not.

        Raises:
            JournalError: If the database cannot be read.
        """
        return any(
            self._database.read("SELECT 1 AS found FROM toolkit_approvals WHERE run = :run LIMIT 1", {"run": run})
        )

    def add(self, pending: PendingApproval) -> None:
        """Store a question, and replace an earlier one at the same path.

        Raises:
            JournalError: If the database cannot be written.
        """
        fields = ("id", "run", "path", "salt", "digest", "alike", "asked")
        row = {name: getattr(pending, name) for name in fields} | {"question": question_text(pending.question)}

        def write(execute: Execute) -> None:
            execute(_REPLACE, {"run": pending.run, "path": pending.path})
            execute(_ADD, row)

        self._database.transaction(write)

    def withdraw(self, run: str, path: str | None = None) -> None:
        """Delete the questions of a run, or only those at a path and of the steps and items below it.

        Raises:
            JournalError: If the database cannot be written.
        """
        if path is None:
            self._database.write(_WITHDRAW_ALL, {"run": run})
            return
        below = {"length": len(path) + 1, "step": f"{path}/", "item": f"{path}["}
        self._database.write(_WITHDRAW, {"run": run, "path": path, **below})

    def answer(self, id: str, answer: ApprovalAnswer) -> bool:
        """Store the answer to a question, and return whether the question was still open.

        Raises:
            JournalError: If the database cannot be written.
        """
        arguments = None if answer.arguments is None else json_text(answer.arguments)
        return self._database.write(_ANSWER, {**answer._asdict(), "id": id, "arguments": arguments}) == 1
