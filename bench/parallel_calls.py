"""Measures F1 and F2: a hundred parallel calls of 50 ms."""

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
    """Sleep without blocking the thread."""
    await asyncio.sleep(SECONDS)
    return str(number)


def wait(number: int) -> str:
    """Sleep in the calling thread."""
    time.sleep(SECONDS)
    return str(number)


def asynchronous() -> Iterator[Row]:
    """Measure async functions; the unit is the time that one call sleeps."""
    times = in_turns(
        {"bare tasks": lambda: asyncio.run(floors.sleep_in_tasks(CALLS, SECONDS)), "ours": ours(wait_async)}
        | {name: gathered(call) for name, call in peers.async_calls(wait_async).items()},
        rounds=ROUNDS,
    )
    yield Row("F1", "100 async calls of 50 ms in parallel", UNIT, "50 ms", times.pop("ours"), 1.08, 1.05, times)


def plain() -> Iterator[Row]:
    """Measure sync functions; the unit is the time that one call sleeps."""
    times = in_turns(
        {"100 threads": lambda: floors.sleep_in_threads(CALLS, SECONDS), "ours": ours(wait)}
        | {name: gathered(call) for name, call in peers.async_calls(wait).items()},
        rounds=ROUNDS,
    )
    yield Row("F2", "100 plain functions of 50 ms in parallel", UNIT, "50 ms", times.pop("ours"), 1.5, 1.35, times)


def ours(function: Callable[[int], object]) -> Work:
    """Return work that makes a hundred complete calls of a tool in parallel."""
    tool = from_function(function)
    context = ToolContext(reviewer=AutoReviewer())

    async def call(number: int) -> str:
        return (await tool.call({"number": number}, context)).text

    return gathered(call)


def gathered(call: Callable[[int], Awaitable[object]]) -> Work:
    """Return work that runs a hundred calls in parallel, including the start and end of the event loop."""

    async def gather() -> None:
        assert len(await asyncio.gather(*(call(number) for number in range(CALLS)))) == CALLS

    return lambda: asyncio.run(gather())


MEASURES = {"F1": [asynchronous], "F2": [plain]}
