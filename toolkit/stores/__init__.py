"""What runs have done, so that they can be resumed: in a file of the user, or in a database that workers share."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.stores.journal_files import JournalFile as JournalFile
    from toolkit.stores.recorded_runs import RecordedRun as RecordedRun, RecordedStep as RecordedStep
    from toolkit.stores.run_journals import RunJournal as RunJournal
    from toolkit.stores.store_urls import StoreUrl as StoreUrl
    from toolkit.stores.stored_items import ItemEnd as ItemEnd, StoredItem as StoredItem
    from toolkit.stores.stores import Store as Store
    from toolkit.stores.worker_processes import Worker as Worker
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "journal_files": "JournalFile",
            "recorded_runs": "RecordedRun RecordedStep",
            "run_journals": "RunJournal",
            "store_urls": "StoreUrl",
            "stored_items": "ItemEnd StoredItem",
            "stores": "Store",
            "worker_processes": "Worker",
        },
    )
