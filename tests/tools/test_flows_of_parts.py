"""Whatever tools are combined into, the result does with data at least what its parts do."""

import asyncio
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st
from mcp import types

from tests.volumes import examples
from tests.wrappers.test_every_wrapper import WRAPPERS
from toolkit import Continue, Pipeline, Reject, Tool, ToolCall, ToolContext, from_function
from toolkit.agents import AgentTool, ScriptedModel, Subagent, ToolMessage
from toolkit.approvals import Gate, Risk, ScriptedReviewer
from toolkit.approvals.policies import FLOWS, Flow  # private
from toolkit.disclosure import ToolGroup, ToolSearch, UnfoldingTool
from toolkit.mcp import StdioServer
from toolkit.mcp.tools.remote import RemoteTool  # private
from toolkit.tools import innermost

_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
_CALLS: list[str] = []
"""The texts that a tool with the flow `sends` has received."""


def leaf(name: str, flow: frozenset[Flow], *, read_only: bool = True) -> Tool:
    """Return a tool that notes what it receives."""

    def work(input: str) -> str:
        _CALLS.append(input)
        return input

    return Tool.create(name, "Does it.", _TEXT, work, read_only=read_only and "writes" not in flow, flow=sorted(flow))


def remote(name: str, flow: frozenset[Flow], *, read_only: bool = True) -> Tool:
    """Return a tool of a server, which says of itself what it may."""
    hints = types.ToolAnnotations(read_only_hint=read_only, open_world_hint="sends" in flow)
    return RemoteTool(StdioServer("zoo", "zoo"), types.Tool(name=name, input_schema=_TEXT, annotations=hints), name)


def caller(tools: tuple[Tool, ...]) -> ScriptedModel:
    """Return a model that calls every tool once."""

    def reply(messages: Any, _: Any) -> Any:
        if isinstance(messages[-1], ToolMessage):
            return "Done."
        return [ToolCall(tool.name, '{"input": "secret", "task": "secret"}') for tool in tools]

    return ScriptedModel(reply)


class Made(NamedTuple):
    """A combination, and what it is made of."""

    whole: Tool
    parts: tuple[Tool, ...]
    calls: bool = True
    """Whether a call of the whole calls its parts, rather than revealing them."""


_NAMES = iter(range(10**9))


def name() -> str:
    return f"t{next(_NAMES)}"


def agent_of(*tools: Tool) -> Made:
    return Made(AgentTool(name(), "Works.", caller(tools), tools), tools)


def subagent_of(tool: Tool) -> Made:
    return Made(Subagent.of(tool, name=name()), (tool,))


def made_subagent_of(tool: Tool) -> Made:
    subagent = Subagent.made_by(lambda: tool, name(), "Delegates.")
    unmade = subagent.flows
    assert unmade == frozenset(FLOWS)
    assert subagent.agent is tool
    return Made(subagent, (tool,))


def made_agent_of(tool: Tool) -> Made:
    return made_subagent_of(agent_of(tool).whole)


def pipeline_of(*tools: Tool) -> Made:
    return Made(Pipeline.of(*tools, name=name()), tools)


def facade_of(*tools: Tool) -> Made:
    return Made(UnfoldingTool.of(name(), "Holds.", tools), tools, calls=False)


def categories_of(*tools: Tool) -> Made:
    return Made(UnfoldingTool.by_category(name(), "Holds.", {"a": tools[:1], "b": tools}), tools, calls=False)


def search_of(*tools: Tool) -> Made:
    return Made(ToolSearch(tools, name=name()), tools, calls=False)


def group_of(*tools: Tool) -> Made:
    return Made(ToolGroup.of(name(), tools, description="A group.").facade(), tools, calls=False)


def renamed(tool: Tool) -> Made:
    return Made(tool.with_name(name()), (tool,))


ONE = [
    renamed,
    subagent_of,
    made_subagent_of,
    *(lambda tool, wrap=wrap: Made(wrap(tool), (tool,)) for wrap in WRAPPERS.values()),
]
MANY = [pipeline_of, agent_of, facade_of, categories_of, search_of, group_of]
flows = st.frozensets(st.sampled_from(FLOWS))
leaves = st.builds(
    lambda flow, make, ro: make(name(), flow, read_only=ro), flows, st.sampled_from([leaf, remote]), st.booleans()
)


def combined(tools: st.SearchStrategy[Tool]) -> st.SearchStrategy[Tool]:
    one = st.builds(lambda make, tool: make(tool).whole, st.sampled_from(ONE), tools)
    many = st.builds(
        lambda make, parts: make(*parts).whole,
        st.sampled_from(MANY),
        st.lists(tools, min_size=1, max_size=3, unique_by=lambda tool: tool.name),
    )
    return one | many


any_tools = st.recursive(leaves, combined, max_leaves=8)


def reachable(tool: Tool) -> list[Tool]:
    """Return everything that is in a tool, found without what the tool says of its flows."""
    found, waiting = {}, [tool]
    while waiting:
        each = waiting.pop()
        if id(each) not in found:
            found[id(each)] = each
            waiting += _inside(each)
    return list(found.values())


def _inside(tool: Tool) -> list[Tool]:
    if isinstance(tool, Pipeline):
        return [step for step in tool.steps if step is not None]
    if isinstance(tool, AgentTool):
        return list(tool.tools.values())
    inner = getattr(tool, "inner", None) or getattr(tool, "known_agent", None)
    return [*getattr(tool, "inner_tools", ()), *([inner] if inner is not None else [])]


@settings(max_examples=examples(2_000))
@given(any_tools)
def test_whole_does_with_data_what_its_parts_do(tool):
    for part in reachable(tool):
        assert part.own_flows <= tool.flows, part
        assert part.flows <= tool.flows, part
        assert part.flows <= tool.reach.flow, part


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("make", [*ONE, *MANY])
def test_every_combination_keeps_the_flow_of_its_part(make, flow):
    part = leaf(name(), frozenset({flow}))
    for tool in (part, part.with_name(name()), Pipeline.of(part, name=name())):
        made = make(tool)
        assert flow in made.whole.flows
        if made.calls and not made.whole.delegates:
            assert flow in made.whole.described.risk.flow


def called(tool: Tool, decision: Any, read: tuple[Flow, ...]) -> tuple[list[str], int]:
    """Return what a sending tool receives if a model calls a tool after some reading, and how often somebody is asked."""
    reviewer = ScriptedReviewer([decision] * 50)
    gate = Gate(reviewer)
    for flow in read:
        gate.history.add(Risk(f"tool_{flow}", flow=frozenset({flow})))
    _CALLS.clear()
    context = ToolContext(gate=gate, chosen_by="model")
    asyncio.run(tool.call({"input": "secret", "task": "secret"}, context))
    return list(_CALLS), len(reviewer.requests)


@pytest.mark.parametrize(
    "make", [*(one for one in ONE if one is not made_subagent_of), made_agent_of, pipeline_of, agent_of]
)
def test_nothing_is_sent_out_unasked_after_something_private_was_read(make):
    for outer in (lambda tool: tool, lambda tool: tool.with_name(name()), lambda tool: Pipeline.of(tool, name=name())):
        whole = outer(make(leaf(name(), frozenset({"sends"}))).whole)
        assert called(whole, Reject("no"), ("reads_private",))[0] == []
        sent, asked = called(whole, Continue(), ("reads_private",))
        assert sent
        assert asked
        sent, asked = called(whole, Continue(), ())  # the control: nothing was read before
        assert sent
        assert asked == 0 or not innermost(whole).spec.read_only


def test_model_cannot_let_a_pipeline_read_and_send_unasked():
    reader, out = leaf(name(), frozenset({"reads_private"})), leaf(name(), frozenset({"sends"}))
    for whole in (
        Pipeline.of(reader, out),
        Pipeline.of(reader, Pipeline.of(out.with_name("x"))),
        Pipeline.of(Pipeline.of(reader, out)),
    ):
        assert called(whole, Reject("no"), ())[0] == []
        assert called(whole, Continue(), ())[1] == 1
    for whole in (Pipeline.of(out, reader), Pipeline.of(reader, reader.with_name("y")), Pipeline.of(out)):
        assert called(whole, Reject("no"), ())[1] == 0


def test_question_names_what_was_read():
    reviewer = ScriptedReviewer([Reject("no")])
    gate = Gate(reviewer)
    gate.history.add(Risk("ledger", flow=frozenset({"reads_private"})))
    context = ToolContext(gate=gate, chosen_by="model")
    result = leaf("lookup", frozenset({"sends"})).run({"input": "secret"}, context)
    assert result.error == "Rejected by reviewer: no"
    [request] = reviewer.requests
    assert (request.text, request.asked_by) == ("Run lookup?", "it could leak what 'ledger' has read")


def test_person_is_not_asked_about_what_a_person_has_written():
    def send(input: str) -> str:
        """Send it."""
        return input

    gate = Gate(ScriptedReviewer([]))
    gate.history.add(Risk("ledger", flow=frozenset({"reads_private"})))
    context = ToolContext(gate=gate)
    assert from_function(send).run({"input": "x"}, context).output == "x"
