"""What a caller hands in reaches a tool through everything: wrappers, pipelines, agents, subagents, facades, chains."""

import asyncio
import json
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated

import pytest

from toolkit import Continue, MemoryId, Pipeline, Tool, ToolCall, ToolContext, from_function, tool
from toolkit.agents import (
    AgentTool,
    Playbook,
    Reference,
    ScriptedModel,
    StateMachine,
    Subagent,
    after,
    chaining_from,
    chaining_from_any,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.disclosure import ToolSearch, UnfoldingTool
from toolkit.pipelines import Retry
from toolkit.pipelines.retrying import RetriedTool  # private
from toolkit.runs import Message, Run
from toolkit.tools import RecordingMetrics
from toolkit.wrappers import ArtifactSinkingTool, ConfirmedTool, ListSink, OneShotTool, ReplanningTool, limited


@tool(requires_approval=True)
def look(number: int, user: Annotated[str, MemoryId], context: ToolContext) -> str:
    """Look at what was handed in."""
    context.metrics.count("looks", "look")
    context.run.send(Message(f"looked at {number}"))
    context.run.blackboard.add(number, name="seen")
    return f"{context['tenant']} {user} {context.run.lineage[-1].id}"


@tool(requires_approval=True)
async def look_later(number: int, user: Annotated[str, MemoryId], context: ToolContext) -> str:
    """Look at what was handed in."""
    await asyncio.sleep(0)
    return look(number, user, context)


LOOKS = {
    "plain": from_function(look),
    "async": from_function(look_later, name="look"),
}
EXPECTED = "acme ada outer"
NUMBER = {"type": "integer"}


class State(Enum):
    START = 1


@dataclass
class Box:
    name: str = "box"

    @tool(requires_approval=True)
    def look(self, number: int, user: Annotated[str, MemoryId], context: ToolContext) -> str:
        """Look at what was handed in."""
        return look(number, user, context)


@tool(read_only=True)
def open_box() -> Box:
    """Open the box."""
    return Box()


@tool(read_only=True)
def first() -> str:
    """Do this first."""
    return "done"


FIRST = from_function(first)


def called(*names):
    """Return the script of a model that calls tools one after the other, and says what the last one gave."""
    arguments = {"look": '{"number": 7}', "clerk": '{"task": "look"}'}
    return ScriptedModel(
        [*(ToolCall(name, arguments.get(name.split("_")[-1], "{}")) for name in names), f"{{{names[-1]}}}"]
    )


def agent(*names, tools=(), **options):
    return AgentTool("clerk", "Looks.", called(*names), tools, read_only=True, **options)


def piped(step, **keys):
    built = Pipeline.builder().name("chain").description("Looks.").inputs({"number": NUMBER})
    return built.step(step, arguments={"number": "${{ inputs.number }}"}, **keys).build()


def repeated(inner):
    built = Pipeline.builder().name("chain").description("Looks.").inputs({"number": NUMBER})
    built.step(inner, for_each=["${{ inputs.number }}"], arguments={"number": "${{ item }}"})
    return built.output("${{ prev[0] }}").build()


def searching(inner):
    model = ScriptedModel(
        [ToolCall("search_tools", '{"query": "handed"}'), ToolCall("look", '{"number": 7}'), "{look}"]
    )
    return AgentTool("clerk", "Looks.", model, [ToolSearch([inner])], read_only=True)


def unfolding(inner):
    return UnfoldingTool.of("facade", "Looks.", [inner])


AROUND = {
    "nothing": lambda inner: inner,
    "agent": lambda inner: agent("look", tools=[inner]),
    "agent in agent": lambda inner: agent("clerk", tools=[agent("look", tools=[inner])]),
    "pipeline": piped,
    "retried step": lambda inner: piped(inner, retry={"attempts": 2, "backoff": "1ms"}),
    "step with a time": lambda inner: piped(inner, timeout="30s"),
    "pipeline in pipeline": lambda inner: piped(piped(inner).with_name("inner_chain")),
    "items": repeated,
    "agent in pipeline": lambda inner: Pipeline.of(agent("look", tools=[inner])),
    "pipeline in agent": lambda inner: AgentTool(
        "clerk",
        "Looks.",
        ScriptedModel([ToolCall("chain", '{"number": 7}'), "{chain}"]),
        [piped(inner)],
        read_only=True,
    ),
    "subagent": lambda inner: agent("clerk", tools=[Subagent.of(agent("look", tools=[inner]))]),
    "subagent that is the tool": lambda inner: agent("look", tools=[Subagent.of(inner)]),
    "subagent by name": lambda inner: agent(
        "clerk", tools=[with_leave(Subagent.by_name("clerk", {"clerk": agent("look", tools=[inner])}))]
    ),
    "subagent made later": lambda inner: agent(
        "clerk", tools=[with_leave(Subagent.made_by(lambda: agent("look", tools=[inner]), "clerk", "Looks."))]
    ),
    "subagents in one another": lambda inner: Subagent.of(
        agent("clerk", tools=[Subagent.of(agent("look", tools=[inner]))])
    ),
    "reference": lambda inner: agent("book_look", references=[Reference("Book", "A book.", tools=[inner])]),
    "unfolding reference": lambda inner: agent(
        "book", "book_look", references=[Reference("Book", "A book.", tools=[inner]).unfolding()]
    ),
    "facade": lambda inner: agent("facade", "look", tools=[unfolding(inner)]),
    "facade in facade": lambda inner: agent(
        "outer", "facade", "look", tools=[UnfoldingTool.of("outer", "More.", [unfolding(inner)])]
    ),
    "search": searching,
    "playbook": lambda inner: agent("first", "look", tools=[FIRST, inner], kind=Playbook({"look": after("first")})),
    "state machine": lambda inner: agent(
        "look", tools=[inner], kind=StateMachine(State.START, {State.START: {"look": None}})
    ),
    "chained object": lambda inner: agent("open_box", "look", tools=[open_box], chaining=[chaining_from(Box)]),
    "any chained object": lambda inner: agent("open_box", "look", tools=[open_box], chaining=[chaining_from_any()]),
    "note": lambda inner: agent("look", tools=[inner.with_note("Careful.")]),
    "sink": lambda inner: agent("look", tools=[ArtifactSinkingTool(inner, ListSink())]),
    "confirmation": lambda inner: agent("look", tools=[ConfirmedTool(inner, lambda arguments: None)]),
    "limits": lambda inner: agent("look", tools=[limited(inner, seconds=30.0, characters=1000, calls=5)]),
    "one shot": lambda inner: agent("look", tools=[OneShotTool(inner, "Go on.")]),
    "replanning": lambda inner: agent("look", tools=[ReplanningTool(inner, lambda result, context: None)]),
    "retries": lambda inner: agent("look", tools=[RetriedTool(inner, Retry(1, 0.0))]),
    "everything": lambda inner: Subagent.of(
        limited(
            agent("clerk", tools=[OneShotTool(Subagent.of(agent("look", tools=[inner.with_note("Careful.")])))]),
            calls=3,
        )
    ),
}


def with_leave(tool: Tool) -> Tool:
    """Return a tool of which nobody is asked, so that the one question is that of the tool inside."""
    tool.spec = replace(tool.spec, read_only=True)
    return tool


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("inner", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_everything_that_was_handed_in_reaches_the_tool(around, inner):
    reviewer, metrics, events, heard = ScriptedReviewer([Continue()] * 3), RecordingMetrics(), [], []
    run = Run(id="outer", channel=heard.append)
    context = ToolContext(
        {"tenant": "acme"}, memory_id="ada", reviewer=reviewer, metrics=metrics, listener=events.append, run=run
    )
    whole = around(inner)
    arguments = {"number": 7} if "number" in whole.spec.properties else {"task": "look"}
    result = whole.run(json.dumps(arguments), context)
    assert result.output == EXPECTED, result
    asked = [request.risk.tool for request in reviewer.requests]
    assert [name for name in asked if name.endswith("look")] == [asked[-1]]
    assert ("count", "look") in metrics.operations()
    assert any(event.kind == "tool_finished" and event.tool.endswith("look") for event in events)
    assert any(call.tool.endswith("look") for call in run.calls)
    assert [message.text for message in heard] == ["looked at 7"]
    assert run.blackboard.get("seen") == 7


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_a_refusal_holds_everywhere(around):
    reviewer = ScriptedReviewer([])
    whole = around(LOOKS["plain"])
    run = Run(id="outer")
    arguments = {"number": 7} if "number" in whole.spec.properties else {"task": "look"}
    result = whole.run(arguments, ToolContext({"tenant": "acme"}, memory_id="ada", reviewer=reviewer, run=run))
    assert "Rejected by reviewer" in result.text
    assert "seen" not in run.blackboard
