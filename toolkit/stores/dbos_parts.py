"""All uses of the engine's (DBOS's) private API, in one place, so that one test covers them.

The engine has no public API to adopt the work of a process that has died, to take the work of some runs only, to limit
how much work this process XX
`pyproject.toml` pins the versions that this code works with.
"""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from dbos import DBOS
from dbos._recovery import recover_pending_workflows

if TYPE_CHECKING:
    from dbos._queue import Queue


def adopt(engine: DBOS, executor: str) -> None:
    """Put the work of a dead process back into its queues.

    Args:
        engine: The engine of this process.
        executor: The engine's name for the dead process.

    Raises:
        SQLAlchemyError: If writing to the store fails.
    """
    recover_pending_workflows(engine, [executor])


def restrict(engine: DBOS, runs: Callable[[], Collection[str]], room: Callable[[bool], int]) -> None:
    """Make this process take items of certain runs only, and no more than it has room for.

    Args:
        engine: The launched engine of this process.
        runs: Returns the runs whose items this process can currently process.
        room: Returns how many items to take; its argument says whether the queue has a limit for all workers.
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

    database.get_queue = get_queue  # type: ignore[method-assign]  # patched on purpose
    database.get_queue_partitions = get_queue_partitions  # type: ignore[method-assign]  # as above


def watch_outcomes(engine: DBOS, stored: Callable[[], None], fail: Callable[[BaseException], None]) -> None:
    """Report, in the thread of each item, that its outcome has been stored or could not be stored.

    Args:
        engine: The launched engine of this process.
        stored: Called after each attempt to store an outcome, successful or not.
        fail: Called first with the exception if storing failed.
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

    database.update_workflow_outcome = update_workflow_outcome  # type: ignore[method-assign]  # as above


def listen_to(engine: DBOS, queues: Collection[str]) -> None:
    """Set the queues that this process polls; this works after the launch, too."""
    engine._listening_queues = list(queues)  # noqa: SLF001 - see above
