"""The journal of all runs of a user: one SQLite file that only this user can read."""

import json
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from toolkit.approvals.requests import ApprovalAnswer, PendingApproval
from toolkit.runs.records import JournalError
from toolkit.stores.databases import Database, compact_file
from toolkit.stores.recorded_approvals import APPROVALS_SCHEMA, answer_question, open_questions, withdraw_all
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep
from toolkit.stores.run_journals import RunJournal

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    target TEXT NOT NULL,
    began REAL NOT NULL,
    ended REAL,
    steps INTEGER,
    unit TEXT NOT NULL,
    error TEXT,
    request TEXT NOT NULL,
    definition TEXT NOT NULL,
    process INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS steps (
    run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE,
    path TEXT NOT NULL,
    tool TEXT NOT NULL DEFAULT '',
    definition TEXT NOT NULL DEFAULT '',
    arguments TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    may_repeat INTEGER NOT NULL DEFAULT 1,
    began REAL,
    ended REAL,
    status TEXT,
    result TEXT,
    is_whole INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (run, path)
) WITHOUT ROWID;
"""
_COLUMNS: Final = "number, id, state, target, began, ended, steps, unit, error, request, definition, process"
_WHOLE: Final = "instr(path, '/') = 0 AND instr(path, '[') = 0"
"""A condition for the steps or items of the run itself, without the steps inside them."""


class JournalFile:
    """The journal of all runs. Several threads and processes can use it at the same time."""

    url: Final = None

    def __init__(self, path: Path) -> None:
        """Open the journal, or create it.

        Raises:
            JournalError: If it cannot be opened or created.
        """
        self.path = path
        self._database = Database(path, _SCHEMA + APPROVALS_SCHEMA)
        self._connection = self._database.connection

    @staticmethod
    def usual_path() -> Path:
        """Return the default path: `toolkit/runs.db` in `$XDG_STATE_HOME`, or in `~/.local/state`."""
        named = os.environ.get("XDG_STATE_HOME", "")
        state = Path(named) if named.startswith(os.sep) else Path.home() / ".local" / "state"
        return state / "toolkit" / "runs.db"

    def __enter__(self) -> Self:
        """Return this journal; it is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the journal."""
        self.close()

    def close(self) -> None:
        """Close the journal."""
        self._database.close()

    # ------------------------------------------------------------------------------------------------------ one run

    def begin(
        self,
        id: str,
        target: str,
        *,
        request: Mapping[str, Any],
        definition: Mapping[str, str],
        unit: str,
        of: int | None,
    ) -> RunJournal:
        """Create the record of a new run.

        Raises:
            JournalError: If the journal cannot be written.
        """
        with self._database.storage_errors("write"):
            row = self._connection.execute(
                f"INSERT INTO runs ({_COLUMNS}) VALUES (NULL, ?, 'running', ?, ?, NULL, ?, ?, NULL, ?, ?, ?)"  # noqa: S608 - our own names
                " RETURNING number",
                (id, target, time.time(), of, unit, json.dumps(request), json.dumps(definition), os.getpid()),
            ).fetchone()
        self._database.locks.take(row[0])
        return RunJournal(self._database, row[0], is_resumed=False)

    def resume(self, run: RecordedRun, definition: Mapping[str, str]) -> RunJournal:
        """Reopen the record of a run to resume it. If its definition has changed, all its approvals are withdrawn.

        Raises:
            JournalError: If the run is still running, or the journal cannot be written.
        """
        if not self._database.locks.take(run.number):
            raise JournalError(f"the run '{run.id}' is already running in process {run.process}")
        with self._database.storage_errors("write"):
            done = self._connection.execute(
                "UPDATE runs SET state = 'running', ended = NULL, error = NULL, process = ?, definition = ? "
                "WHERE number = ?",
                (os.getpid(), json.dumps(definition), run.number),
            )
        if done.rowcount != 1:
            raise JournalError(f"the run '{run.id}' has been deleted")
        if dict(definition) != run.definition:
            withdraw_all(self._database, run.number)
        return RunJournal(self._database, run.number, is_resumed=True)

    def cancel(self, run: RecordedRun) -> None:
        """Cancel a run. A running one ends as after Ctrl-C.

        Raises:
            JournalError: If the journal cannot be written.
        """
        statement = "UPDATE runs SET state = 'cancelled', ended = :ended WHERE number = :run"
        self._database.write(statement, {"ended": time.time(), "run": run.number})
        if run.state == "running":
            with suppress(ProcessLookupError):
                os.kill(run.process, signal.SIGTERM)

    # ----------------------------------------------------------------------------------------------------- all runs

    def all(self) -> Iterator[RecordedRun]:
        """Yield all runs, newest first.

        Raises:
            JournalError: If the journal cannot be read.
        """
        with self._database.storage_errors("read"):
            yield from map(self._run, self._connection.execute(f"SELECT {_COLUMNS} FROM runs ORDER BY number DESC"))  # noqa: S608

    def find(self, start: str) -> list[RecordedRun]:
        """Return the runs whose id starts like this, newest first.

        Raises:
            JournalError: If the journal cannot be read.
        """
        wanted = f"SELECT {_COLUMNS} FROM runs WHERE substr(id, 1, length(:start)) = :start ORDER BY number DESC"  # noqa: S608
        with self._database.storage_errors("read"):
            return [self._run(row) for row in self._connection.execute(wanted, {"start": start}).fetchall()]

    def run(self, id: str) -> RecordedRun:
        """Return the run with an id.

        Raises:
            JournalError: If there is no such run, or the journal cannot be read.
        """
        with self._database.storage_errors("read"):
            row = self._connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (id,)).fetchone()  # noqa: S608
            if row is None:
                raise JournalError(f"the journal '{self.path}' has no run '{id}'")
            return self._run(row)

    def steps(self, run: RecordedRun, *, since: float = 0.0) -> Iterator[RecordedStep]:
        """Yield the steps of a run in the order in which they began.

        Args:
            run: The run.
            since: If not 0, yield only steps that ended after this time, in seconds since 1970.

        Raises:
            JournalError: If the journal cannot be read.
        """
        with self._database.storage_errors("read"):
            rows = self._connection.execute(
                "SELECT path, tool, status, result, arguments, began, ended, may_repeat, is_whole FROM steps "
                "WHERE run = ? AND (? = 0 OR ended > ?) ORDER BY coalesce(began, ended), ended",
                (run.number, since, since),
            )
            yield from (RecordedStep._make([*row[:7], bool(row[7]), bool(row[8])]) for row in rows)

    def last_item(self, run: RecordedRun) -> int:
        """Return the highest number of the recorded items of a batch, or 0 if there are none.

        Raises:
            JournalError: If the journal cannot be read.
        """
        with self._database.storage_errors("read"):
            row = self._connection.execute(
                f"SELECT max(CAST(path AS INTEGER)) FROM steps WHERE run = ? AND {_WHOLE}",  # noqa: S608 - our own words
                (run.number,),
            ).fetchone()
        return row[0] or 0

    def in_doubt(self, run: RecordedRun) -> list[RecordedStep]:
        """Return the steps that cannot safely be repeated and may have run, or whose results are incomplete.

        Steps inside a finished step or item are left out, since they will not run again.

        Raises:
            JournalError: If the journal cannot be read.
        """
        open_steps = [step for step in self.steps(run) if not step.may_repeat and _is_in_doubt(step)]
        if not open_steps:
            return []
        ended = {step.path for step in self.steps(run) if step.status == "ok" and step.is_whole}
        whole_items = {step.path for step in self.steps(run) if step.status == "ok"} if run.unit == "items" else set()
        return [step for step in open_steps if not any(one in ended | whole_items for one in _around(step.path))]

    def prune(self, runs: Iterable[RecordedRun]) -> list[RecordedRun]:
        """Delete runs with everything that belongs to them, except those that have been resumed meanwhile.

        Returns:
            The deleted runs. Call `compact` to free the space that they took.

        Raises:
            JournalError: If the journal cannot be written.
        """
        deleted: list[RecordedRun] = []
        for run in runs:
            if self._database.locks.is_held(run.number) or not self._database.locks.take(run.number):
                continue
            state = "running" if run.state == "killed" else run.state
            with self._database.storage_errors("write"):
                statement = "DELETE FROM runs WHERE number = ? AND state = ? AND process = ?"
                done = self._connection.execute(statement, (run.number, state, run.process))
            self._database.locks.release(run.number)
            if done.rowcount == 1:
                deleted.append(run)
        return deleted

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes the files are smaller.

        Raises:
            JournalError: If the journal cannot be written, for example because the disk has no room for a copy of it.
        """
        with self._database.storage_errors("write"):
            return compact_file(self.path)

    def open_questions(self) -> list[PendingApproval]:
        """Return the unanswered questions of all runs, oldest first.

        Raises:
            JournalError: If the journal cannot be read.
        """
        return list(open_questions(self._database))

    def answer(self, id: str, answer: ApprovalAnswer) -> bool:
        """Record the answer to a question, and return whether the question was still open.

        Raises:
            JournalError: If the journal cannot be written.
        """
        return answer_question(self._database, id, answer)

    def _run(self, row: tuple[Any, ...]) -> RecordedRun:
        number, name, state, target, began, ended, of, unit, error, request, definition, process = row
        if state == "running" and not self._database.locks.is_held(number):
            state = "killed"
        done, failed = self._connection.execute(
            f"SELECT count(*) FILTER (WHERE status = 'ok'), count(*) FILTER (WHERE status NOT IN ('ok', 'skipped')) "  # noqa: S608
            f"FROM steps WHERE run = ? AND {_WHOLE}",
            (number,),
        ).fetchone()
        return RecordedRun(
            number,
            name,
            state=state,
            target=target,
            began=began,
            ended=ended,
            done=done,
            failed=failed,
            of=of,
            unit=unit,
            error=error,
            request=json.loads(request),
            definition=json.loads(definition),
            process=process,
        )


def _is_in_doubt(step: RecordedStep) -> bool:
    return step.status is None or step.status == "timed_out" or (step.status == "ok" and not step.is_whole)


def _around(path: str) -> Iterator[str]:
    """Yield the paths of the steps and items that contain a step."""
    for end, sign in enumerate(path):
        if sign in "/[":
            yield path[:end]
