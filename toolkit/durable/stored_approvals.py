"""Pending approvals in a store."""

from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select, update

from toolkit.approvals.pending import KeptAnswer, PendingApproval, question_text
from toolkit.durable.engines import transacted
from toolkit.durable.store_urls import StoreUrl
from toolkit.durable.tables import APPROVALS, RUNS
from toolkit.json_texts import json_text


class StoredApprovals:
    """The questions of runs that wait for an answer. Thread-safe."""

    def __init__(self, engine: Engine, url: StoreUrl) -> None:
        self._do = partial(transacted, engine, url)

    def all_open(self) -> list[PendingApproval]:
        """Return the unanswered questions of all runs that are not completed or cancelled, oldest first.

        Raises:
            StoreError: If reading the store fails.
        """
        goes_on = RUNS.c.state.not_in(("completed", "cancelled"))
        wanted = select(APPROVALS).join(RUNS, RUNS.c.id == APPROVALS.c.run).where(APPROVALS.c.answer.is_(None), goes_on)
        return self._do("read", lambda connection: _all(connection, wanted.order_by(APPROVALS.c.number)))

    def at(self, run: str, path: str) -> PendingApproval | None:
        """Return the question at a path of a run, or `None` if there is none.

        Raises:
            StoreError: If reading the store fails.
        """
        wanted = select(APPROVALS).where(APPROVALS.c.run == run, APPROVALS.c.path == path)
        return next(iter(self._do("read", lambda connection: _all(connection, wanted))), None)

    def keep(self, pending: PendingApproval) -> None:
        """Store a question, and replace an earlier one at the same path.

        Raises:
            StoreError: If writing to the store fails.
        """
        row = {**pending._asdict(), "question": question_text(pending.question)}
        before = delete(APPROVALS).where(APPROVALS.c.run == pending.run, APPROVALS.c.path == pending.path)

        def write(connection: Connection) -> None:
            connection.execute(before)
            connection.execute(insert(APPROVALS).values(**row))

        self._do("write", write)

    def withdraw(self, run: str, path: str | None = None) -> None:
        """Delete the questions of a run, or only those at a path and below it.

        Raises:
            StoreError: If writing to the store fails.
        """
        gone = delete(APPROVALS).where(APPROVALS.c.run == run)
        gone = gone if path is None else gone.where(_within(path))
        self._do("write", lambda connection: connection.execute(gone))

    def answer(self, id: str, answer: KeptAnswer) -> bool:  # noqa: A002 - the usual name
        """Store the answer to a question, and return whether the question was still open.

        Raises:
            StoreError: If writing to the store fails.
        """
        row = {**answer._asdict(), "arguments": None if answer.arguments is None else json_text(answer.arguments)}
        change = update(APPROVALS).where(APPROVALS.c.id == id, APPROVALS.c.answer.is_(None)).values(**row)
        return self._do("write", lambda connection: connection.execute(change).rowcount == 1)


def _within(path: str) -> Any:
    """Return the SQL condition that a question is at a path of its run or below it."""
    own = APPROVALS.c.path
    return (own == path) | own.startswith(f"{path}/", autoescape=True) | own.startswith(f"{path}[", autoescape=True)


def _all(connection: Connection, wanted: Any) -> list[PendingApproval]:
    return [PendingApproval.of_row(row._asdict()) for row in connection.execute(wanted)]
