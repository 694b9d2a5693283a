"""What runs have done, so that they can be resumed: in a file of the user, or in a database that workers share."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.stores.databases import StoreUrl as StoreUrl
    from toolkit.stores.recorded_runs import (
        ItemEnd as ItemEnd,
        RecordedRun as RecordedRun,
        RecordedStep as RecordedStep,
        StoredItem as StoredItem,
    )
    from toolkit.stores.run_journals import RunJournal as RunJournal
    from toolkit.stores.run_stores import JournalFile as JournalFile
    from toolkit.stores.stores import Store as Store
    from toolkit.stores.worker_processes import Worker as Worker
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "databases": "StoreUrl",
            "recorded_runs": "ItemEnd RecordedRun RecordedStep StoredItem",
            "run_journals": "RunJournal",
            "run_stores": "JournalFile",
            "stores": "Store",
            "worker_processes": "Worker",
        },
    )
