"""Writes the results of a batch's items as lines of JSON, counts them, and decides how the batch ends."""

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import IO, Any, Literal, NamedTuple

from toolkit.batches.item_files import ItemFile
from toolkit.batches.items import Item
from toolkit.errors import ApprovalPending
from toolkit.replacing import followed
from toolkit.runs.records import ModelUse
from toolkit.tools.calls.results import NO_MESSAGE, ToolResult
from toolkit_cli import console
from toolkit_cli.failures import cannot_write
from toolkit_cli.rendering.result_texts import Format as ResultFormat


class WaitingResult(ToolResult):
    """A placeholder result for an item of a batch that waits for approval.

    Attributes:
        pending: The pending approvals.
    """

    pending: ApprovalPending

    def __init__(self, pending: ApprovalPending) -> None:
        super().__init__(error=str(pending), error_code="waiting")
        self.__dict__["pending"] = pending


_LONGEST_WAIT = 0.1
_MOST_WAITING = 512


class ResultLines:
    """Writes records, and buffers those that arrive quickly for a moment; thread-safe.

    A thread writes what is buffered if no more records arrive, since the next item may take long, or come late.
    """

    def __init__(self, file: Path | None) -> None:
        """Open the output.

        Args:
            file: The file to write; stdout if `None`.

        Raises:
            Failure: If the file cannot be written.
        """
        self._file = file
        self._stream: IO[str] | None = None
        self._waiting: list[str] = []
        self._written = perf_counter()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._writer: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._is_closed = False
        if file is not None:
            try:
                self._stream = followed(file).open("w", encoding="utf-8", newline="\n")
            except OSError as error:
                raise cannot_write(file, error) from error

    def write(self, record: dict[str, Any]) -> None:
        """Write a record, possibly after a short delay."""
        self._write_line(console.json_without_secrets(record))

    def write_output(self, item: int, output: Any, skipped: Sequence[dict[str, Any]]) -> None:
        """Write the output of an item, and the items that its steps skipped."""
        shown = console.redactor().data(output)
        text = str(shown) if type(shown) is int else console.json_without_secrets(shown)
        more = f', "skipped": {console.json_without_secrets(skipped)}' if skipped else ""
        self._write_line(f'{{"item": {item}, "output": {text}{more}}}')

    def _write_line(self, line: str) -> None:
        with self._lock:
            self._raise_failure()
            self._waiting.append(line)
            if len(self._waiting) >= _MOST_WAITING or perf_counter() - self._written > _LONGEST_WAIT:
                self._flush()
            elif self._writer is None:
                self._writer = threading.Thread(target=self._write_late, name="toolkit-results", daemon=True)
                self._writer.start()
            elif len(self._waiting) == 1:
                self._changed.notify()

    def _write_late(self) -> None:
        """Write what is buffered when it has waited long enough, until the output is closed."""
        with self._lock:
            while not self._is_closed:
                rest = self._written + _LONGEST_WAIT - perf_counter()
                if not self._waiting or rest > 0:
                    self._changed.wait(rest if self._waiting else None)
                    continue
                try:
                    self._flush()
                except BaseException as error:  # noqa: BLE001 - the thread of the batch raises it
                    self._failure = error
                    return

    def _raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def close(self) -> None:
        """Write what is buffered, and close the file.

        Raises:
            Failure: If it cannot be written.
        """
        with self._lock:
            self._is_closed = True
            self._changed.notify()
            self._raise_failure()
            self._flush()
            if self._stream is not None:
                with suppress(OSError):
                    os.fsync(self._stream.fileno())
                self._stream.close()
                self._stream = None

    def _flush(self) -> None:
        text = "".join(f"{line}\n" for line in self._waiting)
        self._waiting.clear()
        self._written = perf_counter()
        if not text:
            return
        if self._file is None:
            console.write_data(text)
        elif self._stream is not None:
            try:
                self._stream.write(console.redactor().text(text))
                self._stream.flush()
            except OSError as error:
                self._stream = None
                raise cannot_write(self._file, error) from error


_FAILURES_SHOWN = 5


class Tally:
    """Counts the items of one batch.

    Attributes:
        done: Number of items counted, whether they succeeded, failed or wait.
        failed: Number of failed items.
        waiting: Number of items that wait for approval.
        failures: Messages of the first failures.
        cost: Cost of model requests in US dollars; `None` if no price is known.
        requests: Number of requests to models.
    """

    def __init__(
        self, progress: Callable[[], float | None] = lambda: None, ahead: Callable[[], int] = lambda: 0
    ) -> None:
        """Start at zero.

        Args:
            progress: Returns the fraction of the input that was read, from 0 to 1, or `None` if it is unknown.
            ahead: Returns the number of items that were read but not counted yet.
        """
        self.done = 0
        self.failed = 0
        self.waiting = 0
        self.failures: list[str] = []
        self.cost: float | None = None
        self.requests = 0
        self._progress, self._ahead = progress, ahead
        self._began = perf_counter()

    def count(self, failure: str | None) -> None:
        """Count a finished item; `failure` is its error message, if it failed."""
        self.done += 1
        if failure is not None:
            self.failed += 1
            if len(self.failures) < _FAILURES_SHOWN:
                self.failures.append(failure)

    def count_waiting(self) -> None:
        """Count an item that waits for approval."""
        self.done += 1
        self.waiting += 1

    def spend(self, use: ModelUse) -> None:
        """Count a request to a model."""
        self.spend_all(use.cost, 1)

    def spend_all(self, cost: float | None, requests: int) -> None:
        """Count requests to models, and add their total cost, if known."""
        self.requests += requests
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    @property
    def seconds(self) -> float:
        """Elapsed time in seconds."""
        return perf_counter() - self._began

    @property
    def rate(self) -> float:
        """Items per second."""
        return self.done / max(self.seconds, 1e-9)

    @property
    def fraction(self) -> float | None:
        """Fraction of the items that are done, from 0 to 1; `None` if unknown."""
        read, ahead = self._progress(), self._ahead()
        return read if read is None or not ahead else read * self.done / (self.done + ahead)

    @property
    def remaining(self) -> float | None:
        """Estimated remaining time in seconds; `None` if unknown."""
        fraction = self.fraction
        return None if not fraction or not self.done else self.seconds / fraction * (1 - fraction)


def items_done(count: int) -> str:
    """Return a message such as `1 item done` or `2,000 items done`."""
    return f"{count:,} {'item' if count == 1 else 'items'} done"


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
