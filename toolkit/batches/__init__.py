"""Batches: one tool for many items, read one by one from a file and handed over in their order."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.batches.item_files import ItemFile as ItemFile
    from toolkit.batches.items import Item as Item
    from toolkit.batches.runs import Batch as Batch
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "item_files": "ItemFile",
            "items": "Item",
            "runs": "Batch",
        },
    )
