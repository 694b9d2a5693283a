"""Writes the results of a batch's items, counts them, and decides how the batch ends."""

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
"""What happens when an item fails: the batch ends, the item is left out of the results, or its error is recorded."""


class BatchOptions(NamedTuple):
    """The options of a batch, from the command line.

    Attributes:
        source: The file of items, or `-` for stdin.
        jobs: Maximum number of items that run in parallel; 0 if only workers in other processes run them.
        out: The file for the results; stdout if `None`.
        on_item_error: What happens when an item fails.
        format: The format of the error if the whole batch fails.
        quiet: Whether to leave out progress and summary.
        dry_run: Whether to check the items without calling the tool.
        store: The URL of the store that holds the items, if any.
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
    """Receives the results of items in order.

    Attributes:
        tally: Counts items and their cost.
        failure: The failure that ends the batch, if an item failed.
        pending: The approvals that items wait for, if any.
    """

    def __init__(self, items: ItemFile, options: BatchOptions, ahead: Callable[[], int] = lambda: 0) -> None:
        """Open the output.

        Args:
            items: The file of items.
            options: The options of the batch.
            ahead: Returns the number of items that were read but have no result yet.

        Raises:
            Failure: If the output file cannot be written.
        """
        self._items, self._options = items, options
        self._lines = ResultLines(options.out)
        self.tally = Tally(lambda: items.progress, ahead)
        self.failure: ToolResult | None = None
        self.pending: ApprovalPending | None = None

    def take(self, item: Item, result: ToolResult) -> bool:
        """Write the result of an item, and return whether the batch continues."""
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
        """Record an item that waits for approval: it has not failed, and the batch continues."""
        self.tally.count_waiting()
        before, now = self.pending, result.pending
        self.pending = now if before is None else ApprovalPending(before.ids, before.count + now.count)
        if self._options.on_item_error != "skip":
            waiting = {"error": result.error, "error_code": result.error_code, "at": str(self._items.place_of(item))}
            self._lines.write({"item": item.number, **waiting})

    def ending(self) -> ToolResult:
        """Return how the batch ended: with the failure of an item, or successfully.

        Raises:
            ApprovalPending: If items wait for approval.
        """
        if self.failure is None and self.pending is not None:
            raise self.pending
        return self.failure or ToolResult()

    def close(self) -> None:
        """Write all buffered results, and close the output."""
        self._lines.close()


def _output_of(result: ToolResult) -> Any:
    return result.output if result.structured is None else result.structured


def _skipped_in(result: ToolResult) -> list[dict[str, Any]]:
    return [{"step": skips.step, **one.as_record()} for skips in result.skips for one in skips.items]


def message_of(result: ToolResult) -> str:
    """Return the error message of a failed item."""
    message = result.error if result.error and result.error.strip() else NO_MESSAGE
    return message if result.raised is None else result.raised.named_in(message)
