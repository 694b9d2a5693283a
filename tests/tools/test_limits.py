"""Limits of tools: how many calls run at the same time, and how many begin in some time."""

import asyncio

from toolkit import Pipeline, ToolContext, from_function, tool
from toolkit.tools import Limit
from toolkit.tools.calls.call_limits import LocalLimits  # private


class Guests:
    """A tool that knows how many of its calls run at the same time."""

    def __init__(self):
        self.now = self.most = self.visits = 0

        @tool(idempotent=True)
        async def visit(input: str) -> str:
            """Be there for a moment."""
            self.now += 1
            self.most, self.visits = max(self.most, self.now), self.visits + 1
            await asyncio.sleep(0)
            self.now -= 1
            return input

        self.tool = from_function(visit)


def bounded(**limits):
    return ToolContext().replace(limiter=LocalLimits({name: Limit(*limit) for name, limit in limits.items()}))


def call_side_by_side(one, times, context):
    async def together():
        return await asyncio.gather(*(one.call({"input": str(n)}, context) for n in range(times)))

    return [result.output for result in asyncio.run(together())]


def test_only_so_many_calls_run_at_the_same_time():
    guests = Guests()
    assert call_side_by_side(guests.tool, 20, bounded(visit=(3,))) == [str(n) for n in range(20)]
    assert (guests.most, guests.visits) == (3, 20)


def test_limit_of_a_tool_holds_where_it_is_a_step():
    guests = Guests()
    pipeline = Pipeline.of(guests.tool, guests.tool)
    assert call_side_by_side(pipeline, 10, bounded(visit=(3,))) == [str(n) for n in range(10)]
    assert (guests.most, guests.visits) == (3, 20)


def test_pipeline_with_the_name_of_its_step_waits_for_nobody_but_itself():
    guests = Guests()
    pipeline = Pipeline.of(guests.tool, name="visit", description="Visit.")
    assert asyncio.run(pipeline.call("here", bounded(visit=(1,)))).output == "here"


def test_tool_that_fails_gives_its_turn_back():
    @tool
    def fail(text: str) -> str:
        """Fail."""
        raise ValueError(text)

    context = bounded(fail=(1,))
    assert [from_function(fail).run({"text": "no"}, context).error for _ in range(2)] == ["no"] * 2


def test_calls_that_would_begin_too_soon_wait_and_a_retried_turn_counts_again():
    limits = LocalLimits({"visit": Limit(None, 3, 3600.0)})
    assert [callable(limits.take("visit")), callable(limits.take("visit", again=True))] == [True, True]
    assert callable(limits.take("visit"))
    wait = limits.take("visit")
    assert 0 < wait <= 3600.0


def test_call_from_plain_code_counts():
    @tool
    def greet(name: str) -> str:
        """Greet."""
        return f"Hei, {name}!"

    limits = LocalLimits({"greet": Limit(None, 1, 3600.0)})
    assert from_function(greet).run({"name": "Ada"}, ToolContext().replace(limiter=limits)).output == "Hei, Ada!"
    assert not callable(limits.take("greet"))


def test_tools_without_a_limit_are_not_bounded():
    limits = LocalLimits({"visit": Limit(1)})
    assert [limits.bounds("visit"), limits.bounds("other")] == [True, False]
