"""Plain functions in threads, and coroutines without an event loop."""

import asyncio
import contextvars
import gc
import multiprocessing
import os
import subprocess
import sys
import threading

import pytest

from toolkit import ToolResult, from_function, tool
from toolkit.running import drive, gather, in_thread, run_in_loop, run_in_new_thread  # private

LANGUAGE = contextvars.ContextVar("LANGUAGE", default="en")


def test_function_in_a_thread_returns_what_it_returns():
    assert asyncio.run(in_thread(lambda: threading.current_thread() is threading.main_thread())) is False


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyError("key")])
def test_what_a_function_in_a_thread_raises_is_raised_where_it_is_awaited(error):
    def fail():
        raise error

    with pytest.raises(type(error)) as caught:
        asyncio.run(in_thread(fail))
    assert caught.value is error


def test_stop_iteration_from_a_thread_ends_the_waiting():
    def fail():
        raise StopIteration

    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(in_thread(fail))


def test_function_in_a_thread_sees_the_context_variables_of_its_caller():
    async def ask():
        LANGUAGE.set("no")
        return await in_thread(LANGUAGE.get)

    assert asyncio.run(ask()) == "no"


def test_functions_in_threads_run_all_at_once():
    together = threading.Barrier(100, timeout=30)

    async def meet():
        await asyncio.gather(*(in_thread(together.wait) for _ in range(100)))

    asyncio.run(meet())
    assert not together.broken


def test_thread_that_has_finished_a_function_runs_the_next_one():
    async def run_100_functions():
        return {await in_thread(threading.current_thread) for _ in range(100)}

    assert len(asyncio.run(run_100_functions())) < 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX systems fork")
def test_forked_process_starts_threads_of_its_own():
    async def run_20_functions_at_once():
        together = threading.Barrier(20, timeout=30)
        await asyncio.gather(*(in_thread(together.wait) for _ in range(20)))

    asyncio.run(run_20_functions_at_once())
    child = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(in_thread(int)))
    child.start()
    child.join(30)
    has_ended = child.exitcode == 0
    child.kill()
    assert has_ended


def test_function_in_a_thread_may_run_a_loop_of_its_own():
    async def inner():
        return "inner"

    assert asyncio.run(in_thread(lambda: asyncio.run(inner()))) == "inner"


def test_cancelled_waiting_abandons_the_function_which_still_ends():
    may_end, has_ended = threading.Event(), threading.Event()

    def work():
        may_end.wait(30)
        has_ended.set()

    async def give_up():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await in_thread(work)
        may_end.set()
        return await in_thread(lambda: has_ended.wait(30))

    assert asyncio.run(give_up())


def test_abandoned_function_may_end_after_its_loop():
    may_end, has_ended = threading.Event(), threading.Event()

    def work():
        may_end.wait(30)
        has_ended.set()

    async def give_up():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await in_thread(work)

    asyncio.run(give_up())
    may_end.set()
    assert has_ended.wait(30)


def test_end_of_the_program_does_not_wait_for_an_abandoned_function():
    program = """
import asyncio, threading
from toolkit.running import in_thread  # private

async def give_up():
    try:
        async with asyncio.timeout(0.01):
            await in_thread(threading.Event().wait)
    except TimeoutError:
        print("gave up")

asyncio.run(give_up())
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert (finished.stdout, finished.stderr) == ("gave up\n", "")


async def interrupt():
    raise KeyboardInterrupt


def is_interrupted(work):
    try:
        run_in_loop(work)
    except KeyboardInterrupt:
        return True
    return False


def test_interruption_in_a_task_is_raised_once_and_never_logged(caplog):
    assert is_interrupted(gather([interrupt]))
    gc.collect()
    assert caplog.messages == []


def test_coroutine_that_never_suspends_is_driven_without_a_loop():
    async def work():
        return 7

    assert drive(work()) == 7


def test_coroutine_that_suspends_cannot_be_driven():
    with pytest.raises(RuntimeError, match="has suspended"):
        drive(asyncio.sleep(0))


def test_function_apart_has_no_event_loop_around_it():
    async def work():
        return run_in_new_thread(lambda: asyncio.run(asyncio.sleep(0, "done")))

    assert asyncio.run(work()) == "done"


@tool
async def wait_in_vain() -> str:
    """Wait for work that is cancelled in the meantime."""
    work = asyncio.ensure_future(asyncio.sleep(60))
    asyncio.get_running_loop().call_soon(work.cancel)
    await work
    return "never"


@tool
def give_up() -> str:
    """Raise what a cancelled task does."""
    raise asyncio.CancelledError


@pytest.mark.parametrize("each", [wait_in_vain, give_up])
def test_cancelling_its_own_work_is_a_failure_of_the_tool(each):
    assert from_function(each).run() == ToolResult.failure("the tool waited for something that was cancelled", "error")


def test_cancelling_the_task_that_calls_a_tool_ends_the_task():
    async def cancelled_within():
        work = asyncio.ensure_future(from_function(wait_for_ever).call())
        await asyncio.sleep(0)
        work.cancel()
        return (await asyncio.gather(work, return_exceptions=True))[0]

    assert isinstance(asyncio.run(cancelled_within()), asyncio.CancelledError)


@tool
async def wait_for_ever() -> str:
    """Wait for something that never comes."""
    await asyncio.Event().wait()
    return "never"
