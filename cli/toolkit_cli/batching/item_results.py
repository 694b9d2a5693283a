"""Item results: what came of the items of a batch becomes lines, counts, and how the batch ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toolkit.batches.item_files import ItemFile
from toolkit.batches.items import Item
from toolkit.errors import ApprovalPending
from toolkit.tools.results import NO_MESSAGE, ToolResult
from toolkit_cli.batching.result_lines import ResultLines
from toolkit_cli.batching.tallies import Tally
from toolkit_cli.batching.waiting_items import WaitingResult
from toolkit_cli.rendering.results import Format as ResultFormat

OnItemError = Literal["fail", "skip", "collect"]
"""What a failed item does: it ends the batch, is left out of the results, or is a record among them."""


class BatchOptions(NamedTuple):
    """The options of a batch on the command line.

    Attributes:
        source: Where its items are.
        jobs: How many are done side by side; 0 where workers elsewhere do them all.
        out: The file that the results are written to; stdout where none is named.
        on_item_error: What a failed item does.
        format: How a failure of the whole is reported.
        quiet: Whether nothing else is reported.
        dry_run: Whether the items are only checked.
        store: The URL of the store that its items are done from, if they are.
    """

    source: str
    jobs: int = 1
    out: Path | None = None
    on_item_error: OnItemError = "collect"
    format: ResultFormat = "text"
    quiet: bool = False
    dry_run: bool = False
    store: str | None = None


class ItemResults:
    """Takes what came of each item, in their order.

    Attributes:
        tally: How many there were, and what they cost.
        failure: What ends the batch, once an item does.
        pending: What waits for an approval, once an item does.
    """

    def __init__(self, items: ItemFile, options: BatchOptions, ahead: Callable[[], int] = lambda: 0) -> None:
        """Begin to write.

        Args:
            items: The items.
            options: Those of the batch.
            ahead: Returns how many items were read long before they are taken.

        Raises:
            Failure: If the file of the results cannot be written.
        """
        self._items, self._options = items, options
        self._lines = ResultLines(options.out)
        self.tally = Tally(lambda: items.progress, ahead)
        self.failure: ToolResult | None = None
        self.pending: ApprovalPending | None = None

    def take(self, item: Item, result: ToolResult) -> bool:
        """Write what came of an item, and return whether the others may go on."""
        if result.error is None:
            self.tally.count(None)
            self._lines.write_output(item.number, _output_of(result), _skipped_in(result) if result.skips else ())
            return True
        if isinstance(result, WaitingResult):
            self._take_waiting(item, result)
            return True
        message = message_of(result)
        self.tally.count(f"{self._items.place_of(item)}: {message}")
        if self._options.on_item_error != "skip":
            failed = {"error": message, "error_code": result.error_code, "at": str(self._items.place_of(item))}
            self._lines.write({"item": item.number, **failed})
        if self._options.on_item_error == "fail":
            self.failure = ToolResult.failure(f"item {item.number}: {message}", result.error_code)
        return self.failure is None

    def _take_waiting(self, item: Item, result: WaitingResult) -> None:
        """Note an item that waits for an approval: it has not failed, and it ends nothing."""
        self.tally.count_waiting()
        before, now = self.pending, result.pending
        self.pending = now if before is None else ApprovalPending(before.ids, before.count + now.count)
        if self._options.on_item_error != "skip":
            waiting = {"error": result.error, "error_code": result.error_code, "at": str(self._items.place_of(item))}
            self._lines.write({"item": item.number, **waiting})

    def ending(self) -> ToolResult:
        """Return how the batch ended: with the failure of an item, or well.

        Raises:
            ApprovalPending: If items wait.
        """
        if self.failure is None and self.pending is not None:
            raise self.pending
        return self.failure or ToolResult()

    def close(self) -> None:
        """Write everything that was taken."""
        self._lines.close()


def _output_of(result: ToolResult) -> Any:
    return result.output if result.structured is None else result.structured


def _skipped_in(result: ToolResult) -> list[dict[str, Any]]:
    return [{"step": skips.step, **one.as_record()} for skips in result.skips for one in skips.items]


def message_of(result: ToolResult) -> str:
    """Return why an item failed, in words."""
    message = result.error if result.error and result.error.strip() else NO_MESSAGE
    return message if result.raised is None else result.raised.named_in(message)
