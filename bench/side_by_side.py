"""A hundred calls of 50 ms side by side: measures F1 and F2."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

from bench import floors, peers
from bench.rows import Row
from bench.timing import Times, Work, in_turns
from toolkit import ToolContext, from_function
from toolkit.approvals import AutoReviewer

ROUNDS = 7
CALLS = 100
SECONDS = 0.05
UNIT = Times(SECONDS, SECONDS)


async def wait_async(number: int) -> str:
    """Wait without a thread."""
    await asyncio.sleep(SECONDS)
    return str(number)


def wait(number: int) -> str:
    """Wait in the thread that called."""
    time.sleep(SECONDS)
    return str(number)


def asynchronous() -> Iterator[Row]:
    """Measure asynchronous functions; the unit is the time that one call waits."""
    times = in_turns(
        {"bare tasks": lambda: asyncio.run(floors.sleepers_side_by_side(CALLS, SECONDS)), "ours": ours(wait_async)}
        | {name: gathered(call) for name, call in peers.async_calls(wait_async).items()},
        rounds=ROUNDS,
    )
    yield Row("F1", "100 async calls of 50 ms side by side", UNIT, "50 ms", times.pop("ours"), 1.08, 1.05, times)


def plain() -> Iterator[Row]:
    """Measure plain functions; the unit is the time that one call waits."""
    times = in_turns(
        {"100 threads": lambda: floors.threads_side_by_side(CALLS, SECONDS), "ours": ours(wait)}
        | {name: gathered(call) for name, call in peers.async_calls(wait).items()},
        rounds=ROUNDS,
    )
    yield Row("F2", "100 plain functions of 50 ms side by side", UNIT, "50 ms", times.pop("ours"), 1.5, 1.35, times)


def ours(function: Callable[[int], object]) -> Work:
    """Return a hundred calls of a tool, side by side, each through the whole of a call."""
    tool = from_function(function)
    context = ToolContext(reviewer=AutoReviewer())

    async def call(number: int) -> str:
        return (await tool.call({"number": number}, context)).text

    return gathered(call)


def gathered(call: Callable[[int], Awaitable[object]]) -> Work:
    """Return the running of a hundred calls side by side, from the start of the loop to its end."""

    async def gather() -> None:
        assert len(await asyncio.gather(*(call(number) for number in range(CALLS)))) == CALLS

    return lambda: asyncio.run(gather())


MEASURES = {"F1": [asynchronous], "F2": [plain]}
