"""The journal of an item: the outcomes of its steps, recorded as steps of its workflow in the store.

The engine numbers the steps of a workflow, and expects the same steps in the same order when the workflow is restarted.
The steps of a pipeline, however, run in parallel and end in any order. So the journal uses the engine's steps as a log:
it first replays the recorded steps in their order, then appends each step that ends.
"""

import threading
from collections.abc import Sequence
from typing import Any, Final

from dbos import DBOS, DBOSClient
from sqlalchemy.exc import SQLAlchemyError

from toolkit.approvals.requests import PendingApproval
from toolkit.errors import Signal
from toolkit.running import loop_is_running, run_in_new_thread
from toolkit.runs.records import StepRecord
from toolkit.stores.engine_parts import LOST, new_step
from toolkit.stores.engines import StoreError, patiently, reason_of
from toolkit.stores.stored_approvals import StoredApprovals
from toolkit.stores.stored_items import ItemEnd, StoredItem, item_id

_BEGUN: Final = "begun"


class InDoubt(Signal):
    """Raised if a step that cannot be repeated began before its worker died, and may have taken effect.

    Attributes:
        path: The path of the step in the run.
        tool: The name of the tool that it calls.
    """

    def __init__(self, path: str, tool: str) -> None:
        super().__init__(f"'{path}' started '{tool}' and did not finish: it may have taken effect")
        self.path, self.tool = path, tool


class Lost(Signal):
    """Raised if the item was cancelled, or taken over by another process.

    Attributes:
        cause: The engine's exception, which has to be raised to the engine again.
    """

    def __init__(self, cause: BaseException) -> None:
        super().__init__("the item was taken over, or cancelled")
        self.cause = cause


class WorkflowJournal:
    """The journal of one item and its pending approvals: a `Journal` and `PendingApprovals`. Thread-safe."""

    def __init__(
        self,
        item: StoredItem,
        logs: Sequence[tuple[str, dict[str, Any]]],
        *,
        earlier: int,
        approvals: StoredApprovals,
    ) -> None:
        """Replay the recorded steps.

        Args:
            item: The item.
            logs: The path and content of each record of the item.
            earlier: How many of the records belong to earlier attempts.
            approvals: The pending approvals in the store.
        """
        self._item, self._repeats, self._approvals = item, item.repeats, approvals
        self._has_questions = item.attempt > 1
        self._kept: dict[str, StepRecord] = {}
        self._begun: dict[str, str] = {}
        self._lock = threading.Lock()
        for path, record in logs:
            self._apply(path, record)
        for path, record in logs[earlier:]:
            self._append(path, record)

    def recall(self, path: str) -> StepRecord | None:
        """Return the recorded outcome of a step, or `None` if the step has to be run."""
        return self._kept.get(path)

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:
        """Record that a step begins, unless the step can be repeated.

        Raises:
            InDoubt: If the step has begun before, and may have taken effect.
            StoreError: If writing to the store fails.
            Lost: If the item was cancelled or taken over.
        """
        if may_repeat:
            self._withdraw(path)
            return
        if path in self._begun and not self._repeats:
            raise InDoubt(path, self._begun[path])
        self._keep(path, {"status": _BEGUN, "tool": tool})
        self._withdraw(path)

    def end(self, path: str, status: str, result: str, *, is_whole: bool, arguments: str = "") -> None:
        """Record how a step ended.

        Raises:
            StoreError: If writing to the store fails.
            Lost: If the item was cancelled or taken over.
        """
        record = {"status": status, "result": result, "is_whole": is_whole, "arguments": arguments}
        self._keep(path, record)
        self._withdraw(path)

    def pending_at(self, path: str) -> PendingApproval | None:
        """Return the question asked at a path, unless a call there has begun since it was answered.

        Raises:
            StoreError: If reading the store fails.
        """
        found = self._approvals.at(self._item.run, path)
        self._has_questions = self._has_questions or found is not None
        return found

    def add_pending(self, pending: PendingApproval) -> None:
        """Store a question, and replace an earlier one at the same path.

        Raises:
            StoreError: If writing to the store fails.
        """
        self._approvals.add(pending)
        self._has_questions = True

    def _withdraw(self, path: str) -> None:
        """Delete the question about a step that has begun or ended: an answer is valid for one call only."""
        if self._has_questions:
            self._approvals.withdraw(self._item.run, path)

    def end_item(self, path: str, end: ItemEnd) -> None:
        """Record the end of the item if it is a single call whose beginning was recorded as not repeatable.

        Raises:
            StoreError: If writing to the store fails.
            Lost: If the item was cancelled or taken over.
        """
        if path in self._begun:
            self.end(path, end.status, end.result, is_whole=True)
        else:
            self._withdraw(path)

    def _apply(self, path: str, record: dict[str, Any]) -> None:
        """Apply a record; a step that timed out or has an incomplete result stays in doubt."""
        if record["status"] == _BEGUN:
            self._begun[path] = record["tool"]
            return
        self._kept[path] = StepRecord(record["status"], record["result"], record["is_whole"], record["arguments"])
        if record["is_whole"] and record["status"] != "timed_out":
            self._begun.pop(path, None)

    def _keep(self, path: str, record: dict[str, Any]) -> None:
        with self._lock:
            if loop_is_running():  # the engine's synchronous functions cannot run inside an event loop
                run_in_new_thread(lambda: self._append_new(path, record))
            else:
                self._append_new(path, record)
            self._apply(path, record)

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
    """Return the journal of an item that starts or restarts. Call it in the thread of the item's workflow.

    Raises:
        StoreError: If reading the store fails.
        Lost: If the item was cancelled or taken over.
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
