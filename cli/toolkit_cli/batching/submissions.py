"""Submits the items of a file to a store, in a thread that reads a limited number of items ahead."""

import threading
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from toolkit.approvals.decisions import plain_digest
from toolkit.batches.item_files import ItemFile
from toolkit.batches.items import Item
from toolkit.stores.recorded_runs import FINAL, ItemEnd, StoredItem
from toolkit.tools.calls.json_data import dumps
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.secret_arguments import redactor_of
from toolkit_cli.batching.batch_records import StoredRun
from toolkit_cli.batching.batches import check_changed, check_missing
from toolkit_cli.batching.item_calls import ItemArguments, record_invalid

_AT_ONCE: Final = 100
_AHEAD: Final = 2_000
"""Maximum number of submitted items whose results are not collected yet; bounds memory."""

_SECRET: Final = "its arguments contain a secret, and a store keeps no secrets"  # noqa: S105 - not a secret


class OnItsWay(NamedTuple):
    """An item whose result is awaited.

    Attributes:
        item: The item.
        attempt: The number of the awaited attempt.
        end: The result from an earlier run, if any.
        result: The failure, if the item cannot be submitted.
    """

    item: Item
    attempt: int = 1
    end: ItemEnd | None = None
    result: ToolResult | None = None


class Submission:
    """Submits items until there are no more or it is stopped.

    Attributes:
        read: Number of items read so far.
    """

    def __init__(
        self, items: ItemFile, arguments: ItemArguments, context: ToolContext, stored: StoredRun, *, fails_at_once: bool
    ) -> None:
        """Prepare the submission.

        Args:
            items: The open file of items.
            arguments: Turns an item into the arguments of a call.
            context: The context of the calls, with the redactor.
            stored: The recorded run.
            fails_at_once: Whether a failed item ends the run; a resumed run then repeats failed items.
        """
        self._items, self._arguments, self._stored = items, arguments, stored
        self._context, self._redactor = context, redactor_of(context)
        resumed = stored.resumed
        self._repeats_failures = fails_at_once or (resumed is not None and resumed.repeats_failures)
        self._given: list[OnItsWay] = []
        self._lock = threading.Lock()
        self._free = threading.Semaphore(_AHEAD)
        self._is_over = threading.Event()
        self.is_complete = False
        self.read = 0
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="toolkit submission", daemon=True)

    def start(self, tool: str) -> None:
        """Start submitting items for a tool."""
        self._tool = tool
        self._thread.start()

    def given(self) -> tuple[list[OnItsWay], bool]:
        """Return the items submitted since the last call, and whether they are the last ones.

        Raises:
            Exception: The error that stopped the thread, if any.
        """
        with self._lock:
            given, self._given = self._given, []
            is_complete = self.is_complete
        if self._error is not None and not given:
            raise self._error
        return given, is_complete and self._error is None

    def taken(self) -> None:
        """Allow one more item to be submitted, since a result was collected."""
        self._free.release()

    def stop(self) -> None:
        """Stop submitting items."""
        self._is_over.set()
        self._free.release(_AT_ONCE)

    def _run(self) -> None:
        try:
            at_once = 1 if self._items.waits else _AT_ONCE
            items = iter(self._items)
            while chunk := list(islice(self._one_by_one(items), at_once)):
                on_their_way = self._give(chunk)
                with self._lock:
                    self._given += on_their_way
            if not self._is_over.is_set():
                self._check_missing()
        except BaseException as error:  # noqa: BLE001 - `given` raises it in the other thread
            self._error = error
        self.is_complete = True

    def _check_missing(self) -> None:
        """Check that the store has no items beyond the last one in the file."""
        resumed = self._stored.resumed
        if resumed is not None:
            beyond = range(self.read + 1, self.read + _AHEAD + 1)
            last = max(self._stored.store.items.known_of(self._stored.id, beyond), default=0)
            check_missing(self._items, self.read, last, resumed)

    def _one_by_one(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield items, and wait while too many are on their way."""
        while not self._is_over.is_set():
            self._free.acquire()
            item = None if self._is_over.is_set() else next(items, None)
            if item is None:
                return
            self.read += 1
            yield item

    def _give(self, chunk: list[Item]) -> list[OnItsWay]:
        wanted = [self._stored_item(item) for item in chunk]
        good = {one.number: one for one in wanted if isinstance(one, StoredItem)}
        for item, one in zip(chunk, wanted, strict=True):
            if isinstance(one, ToolResult):
                record_invalid(item.number, one, self._context, self._stored.journal)
        awaited = self._awaited(good, {item.number: item for item in chunk})
        return [
            OnItsWay(item, result=one) if isinstance(one, ToolResult) else awaited[item.number]
            for item, one in zip(chunk, wanted, strict=True)
        ]

    def _stored_item(self, item: Item) -> StoredItem | ToolResult:
        """Return an item in the form for the store, or the failure if it has invalid arguments or secrets."""
        arguments = self._arguments.of(item)
        if isinstance(arguments, str):
            return ToolResult.failure(arguments, "invalid_item")
        text = dumps(dict(arguments), default=str)
        if self._redactor.data(arguments) != arguments or self._redactor.text(text) != text:
            return ToolResult.failure(_SECRET, "invalid_item")
        return StoredItem(self._stored.id, item.number, dict(arguments), plain_digest(text))

    def _awaited(self, wanted: Mapping[int, StoredItem], items: Mapping[int, Item]) -> dict[int, OnItsWay]:
        resumed = self._stored.resumed
        known = {} if resumed is None else self._stored.store.items.known_of(self._stored.id, wanted)
        awaited: dict[int, OnItsWay] = {}
        submitted: list[StoredItem] = []
        for number, one in wanted.items():
            before = known.get(number)
            if before is None:
                submitted.append(one)
                awaited[number] = OnItsWay(items[number])
                continue
            if before.item.digest != one.digest:
                check_changed(self._items, items[number], resumed)
            elif before.end is None or not self._is_repeated(before.end):
                awaited[number] = OnItsWay(items[number], before.item.attempt, before.end)
                continue
            repeats = before.item.repeats or (resumed is not None and resumed.repeats_doubts)
            again = one._replace(attempt=before.item.attempt + 1, repeats=repeats)
            submitted.append(again)
            awaited[number] = OnItsWay(items[number], again.attempt)
        if submitted:
            self._stored.store.items.submit(self._tool, submitted)
        return awaited

    def _is_repeated(self, end: ItemEnd) -> bool:
        resumed = self._stored.resumed
        if end.status == "doubtful":
            return resumed is not None and resumed.repeats_doubts
        return end.status not in FINAL or (end.status != "ok" and self._repeats_failures)
