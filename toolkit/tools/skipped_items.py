"""Reports the items of a list that failed and were skipped, so that no result hides them."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class SkippedItem(NamedTuple):
    """An item that failed and was skipped.

    Attributes:
        place: The index in the list, from 0.
        item: A shortened form of the item.
        error: Why the item failed.
        error_code: The kind of failure.
    """

    place: int
    item: str
    error: str
    error_code: str | int | None

    def as_record(self) -> dict[str, Any]:
        """Return the item as plain data."""
        return {"index": self.place, "item": self.item, "error": self.error, "error_code": self.error_code}


class Skips(NamedTuple):
    """The items that one step has skipped.

    Attributes:
        step: The path of the step, relative to the pipeline with the result; empty in the result of the step itself.
        of: The number of items in the list.
        items: The skipped items, in the order of the list.
    """

    step: str
    of: int
    items: tuple[SkippedItem, ...]

    def within(self, path: str) -> "Skips":
        """Return a copy with a path before that of the step."""
        return self._replace(step=f"{path}/{self.step}" if self.step else path)

    def __str__(self) -> str:
        """Return all skipped items with their errors, in one line."""
        items = "; ".join(f"item {item.place + 1} ({item.item}): {item.error}" for item in self.items)
        return f"step '{self.step}': {format_count(self.of - len(self.items), self.of, len(self.items))}: {items}"


def format_count(done: int, of: int, skipped: int) -> str:
    """Format the number of completed items: `4 of 4`, or `3 of 4, 1 skipped`."""
    return f"{done} of {of}, {skipped} skipped" if skipped else f"{done} of {of}"


def remark_on(skips: Iterable[Skips]) -> str:
    """Return the note for a model about skipped items, which is put before the result."""
    return "\n".join(f"Some items were skipped. {one}" for one in skips)
