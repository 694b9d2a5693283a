"""Where the work of a tool runs: with a loop and without one, in this thread and in others."""

import asyncio
import threading
from contextvars import ContextVar

import pytest

from toolkit import Tool, from_function, from_object
from toolkit.running import await_or_run, drive  # private

HERE = ContextVar("HERE", default="nowhere")


def where() -> list[object]:
    """Tells its thread, whether a loop runs in it, and a context variable."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return [threading.get_ident(), False, HERE.get()]
    return [threading.get_ident(), True, HERE.get()]


async def where_later() -> list[object]:
    """Tells the same."""
    return where()


class Where:
    name, description = "where", "Tells where it runs."

    def execute(self, text):
        return where()


PLAIN = [
    from_function(where),
    Tool.create("where", "Tells.", {"type": "object", "properties": {}}, where),
    from_object(Where())[0],
]


@pytest.mark.parametrize("tool", PLAIN, ids=lambda tool: type(tool).__name__)
def test_a_plain_function_runs_in_the_callers_thread_without_a_loop(tool):
    assert tool.run().structured == [threading.get_ident(), False, "nowhere"]


@pytest.mark.parametrize("tool", PLAIN, ids=lambda tool: type(tool).__name__)
def test_inside_a_loop_a_plain_function_runs_in_a_thread_of_its_own_with_the_callers_variables(tool):
    async def main():
        HERE.set("main")
        return (await tool.call()).structured

    thread, loop, variable = asyncio.run(main())
    assert thread != threading.get_ident()
    assert (loop, variable) == (False, "main")


def test_an_async_function_runs_in_the_callers_loop():
    async def main():
        HERE.set("main")
        return (await from_function(where_later).call()).structured

    assert asyncio.run(main()) == [threading.get_ident(), True, "main"]


def test_an_async_function_is_called_from_plain_code():
    assert from_function(where_later).run().structured == [threading.get_ident(), True, "nowhere"]


def test_a_tool_is_run_from_plain_code_inside_a_running_loop():
    async def main():
        HERE.set("main")
        return from_function(where).run().structured, from_function(where_later).run().structured

    plain, later = asyncio.run(main())
    assert threading.get_ident() not in (plain[0], later[0])
    assert (plain[1:], later[1:]) == ([False, "main"], [True, "main"])


@pytest.mark.parametrize("count", [1, 100])
def test_plain_functions_called_side_by_side_each_have_a_thread(count):
    everybody = threading.Barrier(count)

    def meet() -> int:
        """Waits until all are there."""
        everybody.wait(timeout=30)
        return threading.get_ident()

    tool = from_function(meet)

    async def main():
        return await asyncio.gather(*(tool.call() for _ in range(count)))

    results = asyncio.run(main())
    assert [result.error for result in results] == [None] * count
    assert len({result.artifact for result in results}) == count


def test_a_plain_function_in_a_loop_may_start_a_loop_of_its_own():
    async def answer():
        return 42

    def ask() -> int:
        """Starts a loop."""
        return asyncio.run(answer())

    async def main():
        return await from_function(ask).call()

    assert asyncio.run(main()).artifact == 42


def test_a_cancelled_call_does_not_wait_for_its_thread():
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work():
        """Works until it is told to go on."""
        begun.set()
        go_on.wait(30)
        ended.set()

    async def main():
        task = asyncio.create_task(from_function(work).call())
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not ended.is_set()
        go_on.set()

    asyncio.run(main())
    assert ended.wait(30)


def test_a_tool_says_whether_it_may_suspend():
    class Later(Where):
        async def execute(self, text):
            return where()

    assert [tool.suspends for tool in (*PLAIN, from_function(where_later), *from_object(Later()))] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert from_function(where_later).with_name("renamed").suspends


def test_a_tool_calls_another_in_plain_code_wherever_it_runs():
    inner = from_function(where)

    def outer() -> str:
        """Calls another."""
        return str(inner.run().succeeded)

    async def outer_later() -> str:
        """Calls another."""
        return str(inner.run().succeeded)

    async def main():
        return [(await from_function(function).call()).output for function in (outer, outer_later)]

    assert [from_function(function).run().output for function in (outer, outer_later)] == ["True", "True"]
    assert asyncio.run(main()) == ["True", "True"]


def test_what_suspends_cannot_be_driven_by_hand():
    async def suspending():
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="has suspended"):
        drive(suspending())
    drive(await_or_run(suspending()))
