"""Agents as tools: what they are called with and told, how they are changed, what they may spend and come back with."""

import asyncio
import json
from dataclasses import dataclass

import pytest

from toolkit import Continue, InvalidTools, ToolCall, ToolContext, tool
from toolkit.agents import (
    AgentTool,
    Limits,
    ModelReply,
    Playbook,
    ScriptedModel,
    Transcript,
    Usage,
    produced,
    run_agent,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import BudgetExceeded
from toolkit.runs import Budget, Run


@dataclass
class Performance:
    work: str


@dataclass
class Concert:
    works: list


@tool(read_only=True)
def perform(work: str) -> Performance:
    """Find a performance."""
    return Performance(work)


@tool(read_only=True)
def perform_all(works: list[str]) -> list[Performance]:
    """Find performances."""
    return [Performance(work) for work in works]


@tool(read_only=True)
def assemble(works: list[str]) -> Concert:
    """Assemble a concert."""
    return Concert(works)


@tool(read_only=True)
def count(text: str) -> int:
    """Count letters."""
    return len(text)


def call(name, /, **arguments):
    return ToolCall(name, json.dumps(arguments))


def agent(turns, tools=(), **options):
    return AgentTool("clerk", "Keeps the books.", ScriptedModel(turns), tools, **options)


def told(messages, tools):
    """Answer with everything that was said before."""
    return json.dumps([message.text for message in messages])


TOPIC = {
    "type": "object",
    "properties": {"topic": {"type": "string"}, "depth": {"type": "integer"}, "task": {"type": "string"}},
    "required": ["topic"],
}


@pytest.mark.parametrize(
    ("arguments", "prompt"),
    [
        ({"topic": "bees"}, '{"topic": "bees"}'),
        ({"topic": "bees", "depth": 2}, '{"topic": "bees", "depth": 2}'),
        ({"topic": "bees", "task": "Go deep."}, 'Go deep.\n\n{"topic": "bees"}'),
    ],
)
def test_agent_takes_the_parameters_that_it_was_made_with_and_the_model_is_told_all_of_them(arguments, prompt):
    researcher = agent([told], parameters=TOPIC, instructions="")
    assert dict(researcher.spec.parameters) == TOPIC
    assert json.loads(researcher.run(arguments).output) == [prompt]
    assert researcher.run({"depth": 2}).error_code == "invalid_arguments"


def test_parameters_may_have_any_name():
    names = ("context", "self", "arguments", "tools")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    given = {name: name.upper() for name in names}
    assert json.loads(json.loads(agent([told], parameters=schema, instructions="").run(given).output)[0]) == given


def test_task_alone_is_told_as_it_is_and_the_agent_is_told_what_it_is_for_unless_instructions_say_otherwise():
    default = (
        "You are an intelligent agent that can use tools to help you complete tasks.\n"
        "Use the provided tools to perform the following task:\nKeeps the books."
    )
    assert json.loads(agent([told]).run({"task": "add up"}).output) == [default, "add up"]
    assert json.loads(agent([told], instructions="").run({"task": "add up"}).output) == ["add up"]


def test_instructions_are_made_of_the_context_and_the_task():
    clerk = agent([told], instructions=lambda context, task: f"For {context['tenant']}. Task: {task}")
    output = clerk.run({"task": "add up"}, ToolContext({"tenant": "acme"})).output
    assert json.loads(output) == ["For acme. Task: add up", "add up"]


def test_changed_copy_differs_in_what_was_said_alone():
    first = agent(["first"], [count], limits=Limits(turns=3), category="books", instructions="Be brief.")
    second = first.replace(name="scribe", model=ScriptedModel(["second"]), tools=[*first.tools.values(), perform])
    assert (first.run({"task": "go"}).output, second.run({"task": "go"}).output) == ("first", "second")
    assert (first.name, list(first.tools)) == ("clerk", ["count"])
    assert (second.name, list(second.tools)) == ("scribe", ["count", "perform"])
    assert (second.settings.limits, second.spec.category, second.instructions) == (
        Limits(turns=3),
        "books",
        "Be brief.",
    )
    described = first.replace(instructions=None, description="Writes.")
    assert described.instructions.endswith("task:\nWrites.")
    with pytest.raises(InvalidTools, match="modell"):
        first.replace(modell=ScriptedModel([]))


def paid(answer, cost):
    calls = (answer,) if isinstance(answer, ToolCall) else ()
    return ModelReply("" if calls else answer, calls, Usage(10, 0, cost))


def test_agent_that_has_used_up_its_own_budget_fails_alone_and_one_round_it_ends_with_it():
    spender = agent([paid(call("count", text="a"), 1.0), "never"], [count], budget=Budget(cost=0.5))
    for run in (None, Run(), Run(budget=Budget(cost=9))):
        result = spender.run({"task": "go"}, ToolContext(run=run))
        assert (result.error, result.error_code) == ("the budget is used up: $1.00 of $0.50", "budget")
    with pytest.raises(BudgetExceeded):
        spender.run({"task": "go"}, ToolContext(run=Run(budget=Budget(cost=0.9))))
    with pytest.raises(BudgetExceeded):
        asyncio.run(run_agent(spender.model, "go", [count], budget=Budget(cost=0.5)))


@pytest.mark.parametrize(
    ("turns", "artifact"),
    [
        (["nothing"], None),
        ([call("count", text="plain"), "a number"], None),
        ([call("perform", work="a"), "one"], Performance("a")),
        ([call("perform", work=""), call("perform", work="b"), "two"], [Performance(""), Performance("b")]),
        ([call("perform_all", works=["a", "b"]), "a list"], [Performance("a"), Performance("b")]),
        ([[call("perform", work="b"), call("assemble", works=[])], "both"], [Performance("b"), Concert([])]),
    ],
)
def test_agent_comes_back_with_the_objects_that_its_tools_have_made_in_the_order_of_the_calls(turns, artifact):
    result = agent(turns, [perform, perform_all, assemble, count]).run({"task": "go"})
    assert (result.output, result.artifact) == (turns[-1], artifact)


def test_artifacts_of_agents_inside_are_captured_only_where_that_is_said():
    inner = AgentTool("finder", "Finds.", ScriptedModel([call("perform", work="a"), "found"]), [perform])
    renamed = inner.with_name("find").with_note("Use it first.")
    turns = [call("find", task="find a"), call("assemble", works=["a"]), "done"]
    outer = agent(turns, [renamed, assemble])
    for each, artifact in (
        (outer, Concert(["a"])),
        (outer.replace(capture_nested_artifacts=True), [Performance("a"), Concert(["a"])]),
    ):
        asked = ToolContext(reviewer=ScriptedReviewer([Continue()]))
        assert each.run({"task": "go"}, asked).artifact == artifact


def test_artifact_of_an_agent_inside_opens_a_lock_whether_it_is_captured_or_not():
    inner = AgentTool("finder", "Finds.", ScriptedModel([call("perform", work="a"), "found"]), [perform])
    outer = agent([call("finder", task="find a"), call("assemble", works=["a"]), "{assemble}"], [inner, assemble],
                  kind=Playbook({"assemble": produced(Performance)}))  # fmt: skip
    asked = ToolContext(reviewer=ScriptedReviewer([Continue()]))
    assert outer.run({"task": "go"}, asked).output == '{"works":["a"]}'


def test_conversation_that_goes_on_comes_back_with_what_was_made_since():
    chat = agent(
        [call("perform", work="a"), "one", call("perform", work="b"), "two"], [perform], transcript=Transcript()
    )
    assert [chat.run({"task": "go on"}).artifact for _ in range(2)] == [Performance("a"), Performance("b")]
