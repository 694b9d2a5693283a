"""One shot: once in each agent's loop, and per loop."""

import asyncio
from collections.abc import Iterator

from toolkit import Continue, ToolContext, ToolResult, from_function
from toolkit.approvals import ScriptedReviewer
from toolkit.wrappers import LoopMemo, OneShotTool

REMINDER = (
    "ALREADY LOADED. The body of 'activate' was returned earlier in this turn — read it from your conversation history"
    " above. Do not call this tool again. Write your script now."
)


def activator(**options):
    calls = []

    def activate() -> str:
        """Load the skill."""
        calls.append("called")
        return "the body"

    return OneShotTool(from_function(activate, **options), "Write your script now."), calls


def loop(name, **more):
    return ToolContext(loop_id=name, **more)


def test_the_second_call_in_a_loop_says_that_the_answer_is_there():
    tool, calls = activator()
    assert tool.run({}, loop("a")) == ToolResult("the body")
    assert tool.run({}, loop("a")) == ToolResult(REMINDER)
    assert calls == ["called"]


def test_every_loop_has_its_own_first_call():
    tool, calls = activator()
    assert [tool.run({}, loop(name)).output for name in ("a", "b", "a")] == ["the body", "the body", REMINDER]
    assert len(calls) == 2


def test_without_a_loop_every_call_is_the_first():
    tool, calls = activator()
    assert [tool.run().output for _ in range(3)] == ["the body"] * 3
    assert len(calls) == 3


def test_two_tools_do_not_share_their_memory():
    first, _ = activator()
    second, _ = activator()
    assert [first.run({}, loop("a")).output, second.run({}, loop("a")).output] == ["the body", "the body"]


def test_nobody_is_asked_about_a_call_that_does_nothing():
    tool, _ = activator(requires_approval=True)
    reviewer = ScriptedReviewer([Continue(), Continue()])
    context = loop("a", reviewer=reviewer)
    assert [tool.run({}, context).output for _ in range(2)] == ["the body", REMINDER]
    assert len(reviewer.requests) == 1


def test_a_failed_call_may_be_tried_again():
    answers: Iterator[Exception | ToolResult | str] = iter(
        [ValueError("not now"), ToolResult.failure("not yet"), "the body"]
    )

    def activate() -> ToolResult | str:
        """Load the skill."""
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    tool = OneShotTool(from_function(activate), "Write your script now.")
    texts = [tool.run({}, loop("a")).text for _ in range(4)]
    assert texts == ["Error: not now", "Error: not yet", "the body", REMINDER]


def called_twice_at_once(*outcomes):
    """Call a tool again while the first call is at work; return what both gave, and how often it worked."""
    worked = []

    async def both():
        entered, release = asyncio.Event(), asyncio.Event()

        async def activate() -> ToolResult:
            """Load the skill."""
            worked.append("work")
            entered.set()
            await release.wait()
            return outcomes[len(worked) - 1]

        tool = OneShotTool(from_function(activate), "Write your script now.")
        first = asyncio.create_task(tool.call({}, loop("a")))
        await entered.wait()
        second = asyncio.create_task(tool.call({}, loop("a")))
        await asyncio.sleep(0)
        assert not second.done()
        release.set()
        return (await first).text, (await second).text

    return asyncio.run(both()), len(worked)


def test_a_call_beside_the_first_waits_for_it_and_finds_the_answer_there():
    assert called_twice_at_once(ToolResult("the body")) == (("the body", REMINDER), 1)


def test_a_call_beside_the_first_does_the_work_where_that_fails():
    outcomes = ToolResult.failure("not now"), ToolResult("the body")
    assert called_twice_at_once(*outcomes) == (("Error: not now", "the body"), 2)


def test_a_call_within_the_first_does_not_wait_for_itself():
    def activate(context: ToolContext) -> str:
        """Load the skill."""
        return tool.run({}, context).output

    tool = OneShotTool(from_function(activate), "Write your script now.")
    assert tool.run({}, loop("a")).output == REMINDER


def test_a_memo_forgets_the_loop_that_has_been_quiet_the_longest():
    memo = LoopMemo(capacity=2)
    assert [memo.first(loop(name)) for name in ("a", "b", "a", "c")] == [True, True, False, True]
    assert [memo.has(loop(name)) for name in ("a", "b", "c")] == [True, False, True]


def test_a_memo_without_a_loop_remembers_nothing():
    memo = LoopMemo()
    assert [memo.first(ToolContext()), memo.first(ToolContext()), memo.has(ToolContext())] == [True, True, False]
