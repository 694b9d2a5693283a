"""Durable runs: batches whose items are workflows in a database, processed by workers on any number of machines."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.durable.store_urls import StoreUrl as StoreUrl
    from toolkit.durable.stored_items import ItemEnd as ItemEnd, StoredItem as StoredItem
    from toolkit.durable.stores import Store as Store
    from toolkit.durable.worker_processes import Worker as Worker
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "store_urls": "StoreUrl",
            "stored_items": "ItemEnd StoredItem",
            "stores": "Store",
            "worker_processes": "Worker",
        },
    )
