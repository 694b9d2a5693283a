"""Batches call one tool for many items, which are read one by one from a file, and deliver the results in order."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.batches.batch_runs import Batch as Batch
    from toolkit.batches.item_files import ItemFile as ItemFile
    from toolkit.batches.items import Item as Item
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "batch_runs": "Batch",
            "item_files": "ItemFile",
            "items": "Item",
        },
    )
