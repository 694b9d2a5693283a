"""Workflow journals: what the steps of one item have done, each a step of its workflow in the store.

The engine counts the steps of a workflow, and wants the same ones in the same order when a workflow begins again. The
steps of a pipeline run side by side, and end in any order. So the engine's steps are a log here: what was kept is read
again in its order before anything else, and what ends now is added to it.
"""

import threading
from collections.abc import Sequence
from typing import Any, Final

from dbos import DBOS, DBOSClient
from sqlalchemy.exc import SQLAlchemyError

from toolkit.approvals.pending import PendingApproval
from toolkit.durable.engine_parts import LOST, new_step
from toolkit.durable.engines import StoreError, patiently, reason_of
from toolkit.durable.stored_approvals import StoredApprovals
from toolkit.durable.stored_items import ItemEnd, StoredItem, item_id
from toolkit.errors import Signal
from toolkit.running import loop_is_running, run_apart
from toolkit.runs.journal import Kept

_BEGUN: Final = "begun"


class InDoubt(Signal):
    """A step began before its worker died, and may have taken effect; it is not marked as repeatable.

    Attributes:
        path: Where in the run it is.
        tool: What it calls.
    """

    def __init__(self, path: str, tool: str) -> None:
        super().__init__(f"'{path}' began to run '{tool}' and has no end: it may have taken effect")
        self.path, self.tool = path, tool


class Lost(Signal):
    """The item is no longer done here: it was cancelled, or others have taken it over.

    Attributes:
        cause: What the engine raised; it wants that back.
    """

    def __init__(self, cause: BaseException) -> None:
        """Keep what the engine raised."""
        super().__init__("the item was taken over, or cancelled")
        self.cause = cause


class WorkflowJournal:
    """What the steps of one item have done, and what it waits for: a `Journal`, and `PendingApprovals`.

    It is safe to use from several threads.
    """

    def __init__(
        self,
        item: StoredItem,
        logs: Sequence[tuple[str, dict[str, Any]]],
        *,
        earlier: int,
        approvals: StoredApprovals,
    ) -> None:
        """Read what was kept.

        Args:
            item: The item.
            logs: What was kept of it: the path and the content of each record.
            earlier: How many of the records belong to earlier attempts.
            approvals: The questions in the store.
        """
        self._item, self._repeats, self._approvals = item, item.repeats, approvals
        self._has_questions = item.attempt > 1
        self._kept: dict[str, Kept] = {}
        self._begun: dict[str, str] = {}
        self._lock = threading.Lock()
        for path, record in logs:
            self._take(path, record)
        for path, record in logs[earlier:]:
            self._append(path, record)

    def recall(self, path: str) -> Kept | None:
        """Return what is kept of a step that has ended, or `None` if it is to be done."""
        return self._kept.get(path)

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:  # noqa: ARG002 - those of a `Journal`
        """Keep that a step begins, if it may not be repeated.

        Raises:
            InDoubt: If it has begun before, and may have taken effect.
            StoreError: If that cannot be written.
            Lost: If the item is no longer done here.
        """
        if may_repeat:
            self._withdraw(path)
            return
        if path in self._begun and not self._repeats:
            raise InDoubt(path, self._begun[path])
        self._keep(path, {"status": _BEGUN, "tool": tool})
        self._withdraw(path)

    def end(self, path: str, status: str, result: str, *, is_whole: bool, arguments: str = "") -> None:
        """Keep how a step ended, before the next one begins.

        Raises:
            StoreError: If that cannot be written.
            Lost: If the item is no longer done here.
        """
        record = {"status": status, "result": result, "is_whole": is_whole, "arguments": arguments}
        self._keep(path, record)
        self._withdraw(path)

    def pending_at(self, path: str) -> PendingApproval | None:
        """Return the question that was asked at a place, unless a call there has begun since its answer.

        Raises:
            StoreError: If it cannot be read.
        """
        found = self._approvals.at(self._item.run, path)
        self._has_questions = self._has_questions or found is not None
        return found

    def keep_pending(self, pending: PendingApproval) -> None:
        """Keep a question, in the place of what was asked there before.

        Raises:
            StoreError: If that cannot be written.
        """
        self._approvals.keep(pending)
        self._has_questions = True

    def _withdraw(self, path: str) -> None:
        """Forget what was asked about a step that has begun or ended: an answer is for one call alone."""
        if self._has_questions:
            self._approvals.withdraw(self._item.run, path)

    def end_item(self, path: str, end: ItemEnd) -> None:
        """Keep that a whole item has ended, if it is a single call that may not be repeated and was kept to have begun.

        Raises:
            StoreError: If that cannot be written.
            Lost: If the item is no longer done here.
        """
        if path in self._begun:
            self.end(path, end.status, end.result, is_whole=True)
        else:
            self._withdraw(path)

    def _take(self, path: str, record: dict[str, Any]) -> None:
        """Take a record in: a step that has timed out, or whose result is not whole, may have taken effect."""
        if record["status"] == _BEGUN:
            self._begun[path] = record["tool"]
            return
        self._kept[path] = Kept(record["status"], record["result"], record["is_whole"], record["arguments"])
        if record["is_whole"] and record["status"] != "timed_out":
            self._begun.pop(path, None)

    def _keep(self, path: str, record: dict[str, Any]) -> None:
        with self._lock:
            if loop_is_running():  # the engine's plain functions refuse to run in one
                run_apart(lambda: self._append_new(path, record))
            else:
                self._append_new(path, record)
            self._take(path, record)

    def _append_new(self, path: str, record: dict[str, Any]) -> None:
        with new_step():
            self._append(path, record)

    def _append(self, path: str, record: dict[str, Any]) -> None:
        try:
            DBOS.run_step({"name": path}, lambda: record)
        except LOST as error:
            raise Lost(error) from error
        except (OSError, SQLAlchemyError) as error:
            raise StoreError(f"cannot write the store: {reason_of(error)}") from error


def open_journal(client: DBOSClient, item: StoredItem, approvals: StoredApprovals) -> WorkflowJournal:
    """Return the journal of an item that begins, or begins again, in the thread of its workflow.

    Raises:
        StoreError: If the store cannot be read.
        Lost: If the item is no longer done here.
    """
    try:
        logs = [_log_of(client, item_id(item.run, item.number, attempt)) for attempt in range(1, item.attempt + 1)]
    except (OSError, SQLAlchemyError) as error:
        raise StoreError(f"cannot read the store: {reason_of(error)}") from error
    earlier = sum(map(len, logs[:-1]))
    return WorkflowJournal(item, [record for log in logs for record in log], earlier=earlier, approvals=approvals)


def _log_of(client: DBOSClient, workflow: str) -> list[tuple[str, dict[str, Any]]]:
    steps = patiently(lambda: client.list_workflow_steps(workflow))
    return [(step["function_name"], step["output"]) for step in steps if isinstance(step["output"], dict)]
