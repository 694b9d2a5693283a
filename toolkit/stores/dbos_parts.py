"""All uses of the engine's (DBOS's) private API, in one place, so that one test covers them.

The engine has no public API to adopt the work of a process that has died, to take the work of some runs only, to limit
how much work this process takes, to learn that an outcome has been stored, or to choose the queues after the launch.

It uses pickle by default, which can run code from a row of the database. `JsonSerializer` stores plain data as JSON.
The engine also unpickles rows that are marked as pickled, even with another serializer; `refuse_pickle` prevents that.

`pyproject.toml` pins the versions that this code works with.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dbos import DBOS
from dbos._recovery import recover_pending_workflows
from dbos._serialization import Serializer

from toolkit.tools.calls.json_data import dumps, loads

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


class JsonSerializer(Serializer):
    """Serializes plain data as JSON. Numbers keep all their digits."""

    def serialize(self, data: Any) -> str:
        """Return plain data as JSON text; an exception becomes its message.

        Raises:
            TypeError: If a value is not plain data.
        """
        return dumps(str(data) if isinstance(data, BaseException) else data, default=_moment)

    def deserialize(self, serialized_data: str) -> Any:
        """Return the data in JSON text.

        Raises:
            ValueError: If the text is not JSON.
        """
        return loads(serialized_data)

    def name(self) -> str:
        """Return the name that the engine stores with each value, to read it with the same serializer."""
        return "toolkit_json"


def _moment(value: Any) -> str:
    """Return a time as text: the engine passes one to scheduled workflows."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is not plain data")


class _NoPickle(Serializer):
    """Replaces the engine's pickle serializer."""

    def serialize(self, data: Any) -> str:
        """Return the message of an error: the engine writes it with the serializer that failed to read."""
        return dumps(str(data))

    def deserialize(self, serialized_data: str) -> Any:
        raise ValueError("the store holds pickled data, which could run as code; it is not read")

    def name(self) -> str:
        return "py_pickle"


def refuse_pickle() -> None:
    """Stop the engine from reading pickled data, whatever a row in the database claims to be."""
    import dbos._serialization as engine  # patched below

    engine.DBOSDefaultSerializer = _NoPickle()
