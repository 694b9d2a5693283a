"""Engine parts: everything that we use of the engine beside its public names, so that one test looks after all of it.

The engine has no public way to do four things: to adopt the work of a process that has died; to take on the work of
some runs and not of others; to hold back when there is enough to do in this process, whatever the limit of the queue;
and to keep a step in one transaction. `pyproject.toml` pins the versions in which these parts are what is expected
here.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dbos import DBOS
from dbos._error import DBOSWorkflowCancelledError, DBOSWorkflowConflictIDError
from dbos._recovery import recover_pending_workflows

if TYPE_CHECKING:
    from dbos._queue import Queue


class _Thread(threading.local):
    """What a thread knows of the step that it keeps."""

    is_new = False


_thread = _Thread()

LOST = (DBOSWorkflowCancelledError, DBOSWorkflowConflictIDError)
"""What a step raises when its item was cancelled, or others have taken it over: nothing of it is kept any more."""


def adopt(engine: DBOS, executor: str) -> None:
    """Put what a process was doing that has died back into its queue.

    Args:
        engine: The engine of this process.
        executor: What the engine called the other.

    Raises:
        SQLAlchemyError: If the store cannot be written.
    """
    recover_pending_workflows(engine, [executor])


def narrow(engine: DBOS, runs: Callable[[], Collection[str]], room: Callable[[bool], int]) -> None:
    """Let a process take on the items of some runs alone, and only as many as it has room for.

    Args:
        engine: The engine of this process, launched.
        runs: Returns the runs whose items it can do at the moment.
        room: Returns how many items it takes on, given whether all workers together are limited.
    """
    database = engine._sys_db  # noqa: SLF001 - see above
    queue_of, partitions_of = database.get_queue, database.get_queue_partitions

    def get_queue(name: str, **options: Any) -> "Queue | None":
        queue = queue_of(name, **options)
        if queue is not None:
            limited = queue._concurrency is not None or queue._limiter is not None  # noqa: SLF001 - as above
            queue._worker_concurrency = room(limited)  # noqa: SLF001 - as above
        return queue

    def get_queue_partitions(queue_name: str) -> list[str]:
        served = runs()
        return [run for run in partitions_of(queue_name) if run in served]

    database.get_queue = get_queue  # type: ignore[method-assign]  # what this is for
    database.get_queue_partitions = get_queue_partitions  # type: ignore[method-assign]  # as above


def watch_outcomes(engine: DBOS, stored: Callable[[], None], fail: Callable[[BaseException], None]) -> None:
    """Report in the thread of each item when what came of it is stored, or cannot be.

    Args:
        engine: The engine of this process, launched.
        stored: Is called after it was stored, and after it was not.
        fail: Is called before that with what went wrong.
    """
    database = engine._sys_db  # noqa: SLF001 - see above
    store = database.update_workflow_outcome

    def update_workflow_outcome(*arguments: Any, **options: Any) -> bool:
        try:
            return store(*arguments, **options)
        except Exception as error:
            fail(error)
            raise
        finally:
            stored()

    database.update_workflow_outcome = update_workflow_outcome  # type: ignore[method-assign]  # what this is for


def spare_checks(engine: DBOS) -> None:
    """Let a process not ask whether a step was kept where it knows that it was not.

    Keeping it fails in the same transaction if the item was cancelled, or others have taken it over.

    Args:
        engine: The engine of this process, launched.
    """
    database = engine._sys_db  # noqa: SLF001 - see above
    check = database.check_operation_execution

    def check_operation_execution(*arguments: Any, **options: Any) -> Any:
        return None if _thread.is_new else check(*arguments, **options)

    database.check_operation_execution = check_operation_execution  # type: ignore[method-assign]  # what this is for


@contextmanager
def new_step() -> Iterator[None]:
    """Let the step that this thread keeps within the block be one that was not kept before."""
    _thread.is_new = True
    try:
        yield
    finally:
        _thread.is_new = False


def listen_to(engine: DBOS, queues: Collection[str]) -> None:
    """Let a process look for work in some queues, also after its launch."""
    engine._listening_queues = list(queues)  # noqa: SLF001 - see above
