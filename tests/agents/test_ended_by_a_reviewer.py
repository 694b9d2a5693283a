"""A reviewer who ends the run in the middle of a turn: what goes on beside the question ends too."""

import asyncio
import json

import pytest

from toolkit import ExitEarly, ExitEarlyError, ToolCall, ToolContext, tool
from toolkit.agents import AgentTool, ScriptedModel, ToolMessage, Transcript, run_agent
from toolkit.approvals import ScriptedReviewer

PATIENCE = 20


@tool
def erase(path: str) -> str:
    """Erase a file."""
    return f"erased {path}"


class Ending(ScriptedReviewer):
    """Ends the run at the first question, and could be asked again; `after` says when it answers."""

    one_at_a_time = True

    def __init__(self, *, interrupted=False):
        super().__init__([ExitEarly("enough", interrupted=interrupted)] * 9)
        self.after = asyncio.Event()

    async def review(self, request):
        await self.after.wait()
        return await super().review(request)


def call(name, **arguments):
    return ToolCall(name, json.dumps(arguments))


def texts_after(turn, tools, reviewer, *, answers_at_once=False):
    """Run one turn that a reviewer ends, and return what is told of its calls."""
    said = Transcript()

    async def go():
        if answers_at_once:
            reviewer.after.set()
        async with asyncio.timeout(PATIENCE):
            await run_agent(ScriptedModel([turn]), "go", tools, context=ToolContext(reviewer=reviewer), transcript=said)

    with pytest.raises(ExitEarlyError, match="enough"):
        asyncio.run(go())
    return [message.text for message in said.messages if isinstance(message, ToolMessage)]


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("waits", [False, True], ids=["at once", "while another waits for its turn"])
def test_no_other_question_is_put(interrupted, waits):
    reviewer = Ending(interrupted=interrupted)

    @tool(read_only=True)
    async def begin() -> str:
        """Let the reviewer answer when both of the others want to ask."""
        await asyncio.sleep(0)
        reviewer.after.set()
        return "begun"

    turn = [call("erase", path="a"), call("erase", path="b"), *([call("begin")] if waits else [])]
    texts = texts_after(turn, [erase, begin], reviewer, answers_at_once=not waits)
    assert [request.arguments for request in reviewer.requests] == [{"path": "a"}]
    assert texts[0] == "Ended: enough"


def test_an_interruption_ends_what_goes_on_beside_the_question():
    reviewer = Ending(interrupted=True)

    @tool(read_only=True)
    async def wait() -> str:
        """Wait for ever."""
        reviewer.after.set()
        await asyncio.Event().wait()
        return "never"

    texts = texts_after([call("wait"), call("erase", path="a")], [wait, erase], reviewer)
    assert texts == ["Ended: interrupted", "Ended: enough"]


def test_a_call_beside_the_question_ends_in_its_own_time_and_an_agent_before_its_next_step():
    class Noting(Ending):
        answered = asyncio.Event()

        async def review(self, request):
            decision = await super().review(request)
            self.answered.set()
            return decision

    reviewer = Noting()

    @tool(read_only=True)
    async def look() -> str:
        """Look, until the reviewer has answered."""
        reviewer.after.set()
        await reviewer.answered.wait()
        return "seen"

    turns = [call("look"), call("look"), "done"]
    watcher = AgentTool("watcher", "Watches.", ScriptedModel(turns), [look], read_only=True)
    turn = [call("look"), call("watcher", task="watch"), call("erase", path="a")]
    assert texts_after(turn, [look, watcher, erase], reviewer) == ["seen", "Ended: enough", "Ended: enough"]
