"""A reviewer may call tools while it is asked; one that can be asked one question at a time cannot ask itself."""

import asyncio

import pytest

from toolkit import ConfigurationError, Continue, ToolContext, from_function, tool
from toolkit.approvals import AutoReviewer


@tool(requires_approval=True)
def publish(page: str) -> str:
    """Publish a page."""
    return f"published {page}"


@tool(requires_approval=True)
def look_up(page: str) -> str:
    """Look a page up."""
    return f"{page} is fine"


@tool(read_only=True)
def read(page: str) -> str:
    """Read a page."""
    return f"text of {page}"


class Asking:
    """Calls a tool before it answers."""

    def __init__(self, call, *, one_at_a_time=True) -> None:
        self.one_at_a_time = one_at_a_time
        self.call = call
        self.seen = []

    async def review(self, request):
        self.seen.append(await self.call(self))
        return Continue()


async def by_awaiting(reviewer):
    return (await from_function(look_up).call({"page": "a"}, ToolContext(reviewer=reviewer))).text


async def by_running(reviewer):
    return from_function(look_up).run({"page": "a"}, ToolContext(reviewer=reviewer)).text


async def in_another_thread(reviewer):
    return await asyncio.to_thread(
        lambda: from_function(look_up).run({"page": "a"}, ToolContext(reviewer=reviewer)).text
    )


@pytest.mark.parametrize("call", [by_awaiting, by_running, in_another_thread])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_reviewer_that_asks_itself_is_told_so_and_nobody_waits(call, is_async):
    def ask(context):
        publishing = from_function(publish)
        return (
            asyncio.run(publishing.call({"page": "a"}, context)) if is_async else publishing.run({"page": "a"}, context)
        )

    with pytest.raises(ConfigurationError, match="a tool that the reviewer calls needs approval"):
        ask(ToolContext(reviewer=Asking(call)))
    assert from_function(publish).run({"page": "b"}, ToolContext(reviewer=AutoReviewer())).output == "published b"


def test_what_needs_no_leave_or_another_reviewer_may_be_called():
    async def call(reviewer):
        plain = await from_function(read).call({"page": "a"}, ToolContext(reviewer=reviewer))
        other = await from_function(look_up).call({"page": "a"}, ToolContext(reviewer=AutoReviewer()))
        return plain.text, other.text

    reviewer = Asking(call)
    assert from_function(publish).run({"page": "a"}, ToolContext(reviewer=reviewer)).output == "published a"
    assert reviewer.seen == [("text of a", "a is fine")]


def test_what_a_reviewer_has_started_may_ask_after_its_turn():
    started = []

    async def call(reviewer):
        async def later():
            await told.wait()
            return await from_function(look_up).call({"page": "a"}, ToolContext(reviewer=quick))

        started.append(asyncio.ensure_future(later()))
        return "started"

    class Quick:
        one_at_a_time = True

        async def review(self, request):
            return Continue()

    quick = Quick()

    async def both():
        first = await from_function(publish).call({"page": "a"}, ToolContext(reviewer=Asking(call)))
        told.set()
        return first.output, (await started[0]).output

    told = asyncio.Event()
    assert asyncio.run(both()) == ("published a", "a is fine")
