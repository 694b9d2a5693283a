"""Skipped items: the items of a list that failed and were left out, so that no result hides them."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class SkippedItem(NamedTuple):
    """One item that failed and was left out.

    Attributes:
        place: Its place in the list, from 0.
        item: Its short form.
        error: Why it failed.
        error_code: What kind of failure it was.
    """

    place: int
    item: str
    error: str
    error_code: str | int | None

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"index": self.place, "item": self.item, "error": self.error, "error_code": self.error_code}


class Skips(NamedTuple):
    """What one step with a list of items has left out.

    Attributes:
        step: The path of the step, from the pipeline whose result has it; empty for the step itself.
        of: How many items the list had.
        items: Those that were left out, in the order of the list.
    """

    step: str
    of: int
    items: tuple[SkippedItem, ...]

    def within(self, path: str) -> "Skips":
        """Return the same with the path that leads to the step."""
        return self._replace(step=f"{path}/{self.step}" if self.step else path)

    def __str__(self) -> str:
        """Return it in one line, with every item and its error."""
        items = "; ".join(f"item {item.place + 1} ({item.item}): {item.error}" for item in self.items)
        return f"step '{self.step}': {counted(self.of - len(self.items), self.of, len(self.items))}: {items}"


def counted(done: int, of: int, skipped: int) -> str:
    """Return how many items are done: `4 of 4`, or `3 of 4, 1 skipped`."""
    return f"{done} of {of}, {skipped} skipped" if skipped else f"{done} of {of}"


def remark_on(skips: Iterable[Skips]) -> str:
    """Return what a model reads before a result that lacks some items."""
    return "\n".join(f"Some items were skipped. {one}" for one in skips)
