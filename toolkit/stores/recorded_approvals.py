"""Stores pending approvals and their answers in a journal."""

from collections.abc import Iterator
from typing import Any, Final

from toolkit.approvals.requests import ApprovalAnswer, PendingApproval, question_text
from toolkit.json_texts import json_text
from toolkit.stores.databases import Database

APPROVALS_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS approvals (
    run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE,
    path TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    salt TEXT NOT NULL,
    digest TEXT NOT NULL,
    alike TEXT NOT NULL,
    asked REAL NOT NULL,
    question TEXT NOT NULL,
    answer TEXT,
    by TEXT,
    at REAL,
    reason TEXT,
    arguments TEXT,
    PRIMARY KEY (run, path)
);
"""
_COLUMNS: Final = (*PendingApproval._fields, *ApprovalAnswer._fields[1:])
_SELECT: Final = (
    "SELECT a.id, r.id, a.path, a.salt, a.digest, a.alike, a.asked, a.question, a.answer, a.by, a.at, a.reason,"
    " a.arguments FROM approvals a JOIN runs r ON r.number = a.run"
)
_OPEN: Final = f"{_SELECT} WHERE a.answer IS NULL AND r.state NOT IN ('completed', 'cancelled') ORDER BY a.rowid"
_AT: Final = f"{_SELECT} WHERE a.run = ? AND a.path = ?"
_KEEP: Final = (
    "INSERT OR REPLACE INTO approvals (run, path, id, salt, digest, alike, asked, question)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_ANSWER: Final = (
    "UPDATE approvals SET answer = ?, by = ?, at = ?, reason = ?, arguments = ? WHERE id = ? AND answer IS NULL"
)
_WITHDRAW: Final = (
    "DELETE FROM approvals WHERE run = :run AND (path = :path OR substr(path, 1, length(:path) + 1) IN"
    " (:path || '/', :path || '['))"
)


def pending_at(database: Database, run: int, path: str) -> PendingApproval | None:
    """Return the question of a step, or `None` if there is none.

    Raises:
        JournalError: If the journal cannot be read.
    """
    with database.storage_errors("read"):
        row = database.connection.execute(_AT, (run, path)).fetchone()
    return None if row is None else _pending_in(row)


def has_questions(database: Database, run: int) -> bool:
    """Return whether a run has questions, answered or not.

    Raises:
        JournalError: If the journal cannot be read.
    """
    with database.storage_errors("read"):
        found = database.connection.execute("SELECT EXISTS (SELECT 1 FROM approvals WHERE run = ?)", (run,)).fetchone()
        return bool(found[0])


def add_pending(database: Database, run: int, pending: PendingApproval) -> None:
    """Store a question. It replaces any previous question of the same step.

    Raises:
        JournalError: If the journal cannot be written.
    """
    kept = (pending.id, pending.salt, pending.digest, pending.alike, pending.asked, question_text(pending.question))
    with database.storage_errors("write"):
        database.connection.execute(_KEEP, (run, pending.path, *kept))


def withdraw(database: Database, run: int, path: str) -> None:
    """Delete the questions of a step and of the steps inside it.

    Raises:
        JournalError: If the journal cannot be written.
    """
    with database.storage_errors("write"):
        database.connection.execute(_WITHDRAW, {"run": run, "path": path})


def withdraw_all(database: Database, run: int) -> None:
    """Delete all questions of a run and their answers.

    Raises:
        JournalError: If the journal cannot be written.
    """
    with database.storage_errors("write"):
        database.connection.execute("DELETE FROM approvals WHERE run = ?", (run,))


def open_questions(database: Database) -> Iterator[PendingApproval]:
    """Yield the unanswered questions of all runs that can be resumed, oldest first.

    Raises:
        JournalError: If the journal cannot be read.
    """
    with database.storage_errors("read"):
        yield from map(_pending_in, database.connection.execute(_OPEN))


def answer_question(database: Database, id: str, answer: ApprovalAnswer) -> bool:
    """Store an answer, and return whether the question was still open.

    Raises:
        JournalError: If the journal cannot be written.
    """
    arguments = None if answer.arguments is None else json_text(answer.arguments)
    with database.storage_errors("write"):
        given = (answer.answer, answer.by, answer.at, answer.reason, arguments, id)
        return database.connection.execute(_ANSWER, given).rowcount == 1


def _pending_in(row: tuple[Any, ...]) -> PendingApproval:
    return PendingApproval.of_row(dict(zip(_COLUMNS, row, strict=True)))
