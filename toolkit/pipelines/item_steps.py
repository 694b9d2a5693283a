"""Runs a step for every item of a list, one after another or several at the same time."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final

from toolkit.errors import ApprovalPending
from toolkit.events import ItemFinished
from toolkit.json_texts import text_of
from toolkit.pipelines.pipeline_states import Flow, ItemFlow, Outcome, outcome_of_value
from toolkit.pipelines.step_actions import Turn
from toolkit.pipelines.step_definitions import MAX_ITEMS, Each
from toolkit.running import gather
from toolkit.tools.calls.results import SkippedItem, Skips, ToolResult

_SHORT = 60
"""Maximum length of an item's short form, in characters."""

DoOnce = Callable[[Flow, Turn], Awaitable[Outcome]]


def items_of(each: Each, flow: Flow) -> Sequence[Any]:
    """Return the list for whose items a step runs.

    Raises:
        TypeError: If it is not a list.
        ValueError: If it is too long.
        ToolExecutionError: If its expression fails.
    """
    items = each.items.render(flow.roots())
    if not isinstance(items, list | tuple):
        kind = "text" if isinstance(items, str) else "a mapping" if isinstance(items, dict) else type(items).__name__
        hint = "; split(…) turns text into a list" if isinstance(items, str) else ""
        raise TypeError(f"for_each needs a list, not {kind}{hint}")
    if len(items) > MAX_ITEMS:
        raise ValueError(f"for_each takes at most {MAX_ITEMS:,} items, but this list has {len(items):,}; split it")
    return items


async def do_for_items(do: DoOnce, each: Each, items: Sequence[Any], flow: Flow, turn: Turn) -> Outcome:
    """Run `do` for every item and return an outcome with the list of outputs, or the first failure."""
    batch = _Batch(do, each, items, flow, turn)
    if each.max_parallel > 1 and len(items) > 1:
        await gather([batch.work] * min(each.max_parallel, len(items)))
    else:
        await batch.work()
    return batch.outcome()


def _path_of(path: str | None, index: int) -> str | None:
    return None if path is None else f"{path}[{index}]"


_LONGEST_SHOWN = 40
_NOTHING: Final = object()
"""Placeholder for the output of an item that has not run or was skipped."""


def _describe(item: Any) -> str:
    """Return a short scalar in parentheses for use in the item's name; anything else has only its number."""
    is_short = isinstance(item, str | int | float) and len(str(item)) <= _LONGEST_SHOWN
    return f" ({item})" if is_short else ""


def short_form(item: Any) -> str:
    """Return a short form by which people can recognise an item: its text or JSON, truncated if it is long."""
    text = text_of(item)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


class _Batch:
    """The items of one step, taken one by one by one or more workers.

    Only the output of each item, or the report of its failure, is kept, so that long lists need little memory.
    """

    def __init__(self, do: DoOnce, each: Each, items: Sequence[Any], flow: Flow, turn: Turn) -> None:
        self._do = do
        self._each = each
        self._flow = flow
        self._turn = turn
        self._items = items
        self._count = len(items)
        self._waiting: Iterator[tuple[int, Any]] = iter(enumerate(items))
        self._outputs: list[Any] = [_NOTHING] * len(items)
        self._own_skips: list[SkippedItem] = []
        self._inner_skips: list[tuple[int, Skips]] = []
        self._attempts = 0
        self._done = 0
        self._failed: tuple[int, Outcome] | None = None
        self._pending: list[ApprovalPending] = []

    async def work(self) -> bool:
        """Run items until none is left or a failure ends the step; return whether other workers may continue."""
        for index, item in self._waiting:
            try:
                outcome = await self._do(ItemFlow(self._flow, item, index), self._turn_of(index, item))
            except ApprovalPending as pending:
                self._pending.append(pending)
                continue
            self._keep(index, outcome)
            self._report(index, outcome)
            if outcome.ends_run or (outcome.failed and not self._each.skips_failed):
                if self._failed is None or (outcome.ends_run and not self._failed[1].ends_run):
                    self._failed = (index, outcome)
                return False
        return True

    def _keep(self, index: int, outcome: Outcome) -> None:
        self._done += 1
        self._attempts = max(self._attempts, outcome.attempts)
        self._inner_skips += [(index, one.within(f"[{index}]")) for one in outcome.skips]
        if not outcome.failed:
            self._outputs[index] = outcome.output
        elif self._each.skips_failed:
            self._own_skips.append(self._skipped(index, outcome))

    def _turn_of(self, index: int, item: Any) -> Turn:
        """Return the turn of one item. Its context names the item for reviewers and listeners."""
        context = self._turn.context
        if context.gate is None and context.listener is None and context.run is None:
            return self._turn
        name = f"item {index + 1}/{self._count}{_describe(item)}"
        place = f"{name} · {context.place}" if context.place else name
        return self._turn._replace(context=context.replace(item=name, place=place, path=_path_of(context.path, index)))

    def outcome(self) -> Outcome:
        """Return the outputs in the order of the items, without skipped ones, or the failure.

        Raises:
            ApprovalPending: If items wait for approval. All other items have run.
        """
        if self._pending:
            raise ApprovalPending.all_of(self._pending)
        if self._failed is None:
            outputs = [output for output in self._outputs if output is not _NOTHING]
            return outcome_of_value(outputs, self._attempts)._replace(skips=self._skips())
        index, failed = self._failed
        result = failed.result
        message = f"item {index + 1} of {self._count}: {result.error}"
        failure = ToolResult("", message, result.error_code, raised=result.raised)
        return failed._replace(result=failure, attempts=self._attempts, skips=self._skips())

    def _skips(self) -> tuple[Skips, ...]:
        """Return the items skipped by this step and by the pipelines that it called for its items."""
        inner = tuple(one for _, one in sorted(self._inner_skips, key=itemgetter(0)))
        own = tuple(sorted(self._own_skips, key=attrgetter("place")))
        return (Skips("", self._count, own), *inner) if own else inner

    def _skipped(self, index: int, outcome: Outcome) -> SkippedItem:
        result = outcome.result
        return SkippedItem(index, short_form(self._items[index]), str(result.error), result.error_code)

    def _report(self, index: int, outcome: Outcome) -> None:
        if self._turn.call:
            self._turn.context.emit(
                ItemFinished(
                    self._turn.call,
                    self._turn.path,
                    index=index,
                    done=self._done,
                    of=self._count,
                    status=outcome.status,
                    item=short_form(self._items[index]),
                    output=outcome.result.output,
                    error=outcome.result.error,
                    error_code=outcome.result.error_code,
                )
            )
