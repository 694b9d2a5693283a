"""A batch through a store: workers process the items, and the results are collected in order."""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import islice
from typing import Final

from toolkit.batches.items import Item
from toolkit.errors import ApprovalPending, ExitEarlyError
from toolkit.running import drive, run_in_loop
from toolkit.runs.run import OutputChannel, Run
from toolkit.stores.recorded_runs import FINAL, ItemEnd, StoredItem
from toolkit.stores.run_journals import ItemJournal
from toolkit.stores.worker_processes import Worker
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_in
from toolkit_cli import console
from toolkit_cli.batching.batch_records import StoredRun
from toolkit_cli.batching.batches import BatchWork
from toolkit_cli.batching.item_calls import ItemCalls
from toolkit_cli.batching.item_results import ItemResults, WaitingResult
from toolkit_cli.batching.submissions import OnItsWay, Submission
from toolkit_cli.running.journaled_runs import store_option


class StoredCalls:
    """Calls a tool for the items of a stored run."""

    def __init__(
        self,
        tool: Tool,
        context: ToolContext,
        source: str,
        channel: OutputChannel | None,
        trace: Mapping[str, str] | None,
    ) -> None:
        """Prepare the calls.

        Args:
            tool: The tool to call.
            context: The context of the calls.
            source: Where the items come from, for messages.
            channel: Receives messages from tools to the user.
            trace: Environment variables with the trace context of the run, if it is traced.
        """
        self._calls = ItemCalls(tool, context, source, is_recorded=True, trace=trace)
        self._perform = run_in_loop if tool.suspends else drive
        self._channel = channel

    def do(self, item: StoredItem, journal: ItemJournal) -> ItemEnd:
        """Call the tool for an item, and return the result.

        Raises:
            Signal: If the call ends the whole batch.
        """
        run = Run(id=item.run, channel=self._channel, journal=journal).spawn()
        context = self._calls.context_of(item.number, run, journal)
        known, repeats = journal.recall(str(item.number)), item.attempt > 1
        done = self._perform(
            self._calls.call_recorded(
                item.number,
                item.arguments,
                context,
                journal,
                digest=item.digest,
                known=known,
                repeats_failures=repeats,
            )
        )
        costs = [use.cost for use in run.uses if use.cost is not None]
        return ItemEnd(done.status, done.text, sum(costs) if costs else None, len(run.uses))  # type: ignore[arg-type]  # one of the statuses


_SHORTEST_POLL: Final = 0.05
_LONGEST_POLL: Final = 0.5
_MOST_PER_POLL: Final = 400
_SECOND: Final = 1.0
_NO_WORKER: Final = 5.0


class StoredBatch:
    """A batch whose items are processed by the workers of a store."""

    def __init__(self, work: BatchWork, stored: StoredRun, wait: Callable[[float], None] = time.sleep) -> None:
        """Prepare the batch.

        Args:
            work: The tool, the items and the options.
            stored: The recorded run in the store.
            wait: Sleeps for a number of seconds; used if only workers in other processes run the items.
        """
        self._wait = wait
        self._tool, self._options, self._stored = work.tool, work.options, stored
        context = work.context.replace(limiter=stored.store.limits)
        self._calls = StoredCalls(work.tool, context, work.items.name, work.channel, stored.trace)
        self._results = ItemResults(work.items, work.options, lambda: self._submission.read - self.tally.done)
        self.tally = self._results.tally
        fails_at_once = work.options.on_item_error == "fail"
        self._submission = Submission(work.items, work.arguments, work.context, stored, fails_at_once=fails_at_once)
        self._waiting: dict[int, OnItsWay] = {}
        self._ended: dict[int, tuple[Item, ToolResult]] = {}
        self._next = 1
        self._doubts: list[str] = []
        self._checked = time.monotonic()
        self._moved = time.monotonic()
        self._warns_without_worker = work.options.jobs == 0

    def run(self) -> ToolResult:
        """Wait until all items are processed or a failed one ends the batch; return how the batch ended.

        Raises:
            Signal: If a call ends the whole batch.
        """
        with ExitStack() as stack:
            worker = None
            if self._options.jobs:
                worker = stack.enter_context(
                    Worker(
                        self._stored.store,
                        {self._stored.version: self._tool.name},
                        lambda item, _, journal: self._calls.do(item, journal),
                        jobs=self._options.jobs,
                        only=self._stored.id,
                    )
                )
            stack.callback(self._submission.stop)
            self._submission.start(self._tool.name)
            self._follow(worker)
        return self._results.failure or self._doubt_failure() or self._results.ending()

    def close(self) -> None:
        """Write the results of all finished items."""
        for number in sorted(self._ended):
            self._results.take(*self._ended.pop(number))
        self._results.close()

    def _follow(self, worker: Worker | None) -> None:
        """Collect results as items finish."""
        pause, is_complete = _SHORTEST_POLL, False
        while True:
            given, is_complete = self._submission.given()
            for one in given:
                self._take_up(one)
            asked = dict(islice(((number, one.attempt) for number, one in self._waiting.items()), _MOST_PER_POLL))
            ends = self._stored.store.items.ends_of(self._stored.id, asked)
            for number, end in ends.items():
                self._end(self._waiting.pop(number).item, end)
            if not self._hand_over() or (is_complete and not self._waiting):
                return
            self._check_run()
            pause = _SHORTEST_POLL if ends or given else min(pause * 1.5, _LONGEST_POLL)
            if worker is not None:
                worker.wait(pause)
            else:
                self._wait(pause)

    def _take_up(self, one: OnItsWay) -> None:
        if one.result is not None:
            self._ended[one.item.number] = (one.item, one.result)
        elif one.end is not None:
            self._end(one.item, one.end)
        else:
            self._waiting[one.item.number] = one

    def _end(self, item: Item, end: ItemEnd) -> None:
        """Collect the result of an item.

        Raises:
            ExitEarlyError: If the item ends the run.
        """
        self._moved = time.monotonic()
        self.tally.spend_all(end.cost, end.requests)
        if end.status in FINAL:
            self._ended[item.number] = (item, result_in(end.result)[0])
        elif end.status == "waiting":
            self._ended[item.number] = (item, WaitingResult(ApprovalPending(json.loads(end.result))))
        elif end.status == "doubtful":
            self._doubts.append(end.result)
            self._ended[item.number] = (item, ToolResult.failure(end.result, "in_doubt"))
        else:
            raise ExitEarlyError(end.result)

    def _hand_over(self) -> bool:
        """Write results up to the first unfinished item; return whether the batch continues."""
        while self._next in self._ended:
            goes_on = self._results.take(*self._ended.pop(self._next))
            self._submission.taken()
            self._next += 1
            if not goes_on:
                return False
        return True

    def _check_run(self) -> None:
        """Once a second, check whether the run was cancelled.

        Raises:
            ExitEarlyError: If the run was cancelled.
        """
        now = time.monotonic()
        if now - self._checked < _SECOND:
            return
        self._checked = now
        if self._stored.store.runs.state_of(self._stored.id) == "cancelled":
            raise ExitEarlyError("the run was cancelled")
        if self._warns_without_worker and now - self._moved > _NO_WORKER:
            self._warns_without_worker = False
            if not self._stored.store.workers_for(self._stored.version):
                start = f"toolkit worker{store_option(self._stored.store)} --tools FILE"
                console.say(f"no worker has '{self._tool.name}' as it is defined here; start one: {start}")

    def _doubt_failure(self) -> ToolResult | None:
        if not self._doubts:
            return None
        more = f", and {len(self._doubts) - 1:,} more like it" if len(self._doubts) > 1 else ""
        again = f"toolkit runs resume {self._stored.id}{store_option(self._stored.store)} --repeat"
        words = f"{self._doubts[0]}{more}; check what it did, then repeat it with:  {again}"
        return ToolResult.failure(words, "in_doubt")
