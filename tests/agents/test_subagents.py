"""Subagents: what they are offered as, what they share with their caller, and what keeps them within bounds."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, SecretStr

from toolkit import (
    ConfigurationError,
    Continue,
    InvalidTools,
    MemoryId,
    Pipeline,
    Reject,
    ToolCall,
    ToolContext,
    ToolResult,
    from_function,
    load_tools,
    tool,
)
from toolkit.agents import (
    AgentTool,
    Limits,
    ModelReply,
    ScriptedModel,
    Subagent,
    ToolMessage,
    Usage,
    outline_of,
    run_agent,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import BudgetExceeded, TerminationRequested
from toolkit.problems import Location
from toolkit.runs import Budget, Message, Run
from toolkit.tools import TextTool
from toolkit.wrappers import AssetTracker, publish_to_blackboard, track_assets


def conduct(turns, tools, **options):
    options.setdefault("context", ToolContext(reviewer=ScriptedReviewer([Continue()] * 9)))
    return asyncio.run(run_agent(ScriptedModel(turns), "go", tools, **options))


def shown(result):
    return [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)]


def agent(turns, tools=(), name="finder", **options):
    return AgentTool(name, "Finds works.", ScriptedModel(turns), tools, **options)


@tool(read_only=True)
def note(text: str, context: ToolContext) -> str:
    """Note something on the blackboard."""
    context.run.blackboard.add(text, name="noted")
    return "noted"


@tool(read_only=True)
def recall(context: ToolContext) -> str:
    """Say what the blackboard has."""
    return f"{context.run.blackboard.get('plan')}, {context.run.blackboard.get('noted')}"


@dataclass
class WorksToFind:
    composers: list[str]
    era: str = "any"


def test_a_subagent_is_offered_as_the_agent_that_it_is():
    finder = agent([])
    subagent = Subagent.of(finder)
    assert (subagent.name, subagent.description, subagent.spec.parameters) == (
        "finder",
        "Finds works.",
        finder.spec.parameters,
    )
    other = Subagent.of(finder, name="look_up", description="Looks up.", input_type=WorksToFind)
    assert (other.name, other.description, list(other.spec.properties)) == (
        "look_up",
        "Looks up.",
        ["composers", "era"],
    )
    assert finder.name == "finder"


def test_input_of_a_type_reaches_an_agent_as_json_and_its_blackboard_as_the_object():
    def answer(messages, tools):
        return messages[-1].text

    run = Run()
    subagent = Subagent.of(agent([answer]), input_type=WorksToFind)
    result = subagent.run({"composers": ["Bach"], "unknown": 1}, ToolContext(run=run))
    assert result == ToolResult('{"composers": ["Bach"]}', artifact='{"composers": ["Bach"]}')
    assert run.blackboard.last(WorksToFind) == WorksToFind(["Bach"])


def test_bad_input_is_told_with_every_fault():
    result = Subagent.of(agent([]), input_type=WorksToFind).run('{"era": [], "composers": 4}')
    assert result.error_code == "invalid_arguments"
    assert ("composers" in result.error, "era" in result.error) == (True, True)
    assert Subagent.of(agent([]), input_type=WorksToFind).run("[1]").error_code == "invalid_arguments"


def test_input_of_a_type_reaches_what_takes_it_member_by_member():
    def find(composers: list[str], era: str) -> str:
        """Find works."""
        return f"{composers[0]}, {era}"

    assert Subagent.of(find, input_type=WorksToFind).run({"composers": ["Bach"], "era": "baroque"}).output == (
        "Bach, baroque"
    )


def test_parent_and_child_share_the_blackboard():
    child = agent([[ToolCall("note", '{"text": "a fugue"}')], ToolCall("recall"), "{recall}"], [note, recall])
    run = Run()
    run.blackboard.add("a plan", name="plan")
    result = conduct([ToolCall("finder", '{"task": "find"}'), ToolCall("recall"), "done"], [Subagent.of(child), recall],
                     context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip
    assert shown(result) == ["a plan, a fugue", "a plan, a fugue"]
    assert run.blackboard.get("noted") == "a fugue"


@pytest.mark.parametrize("wrap", [Subagent.of, lambda tool: tool], ids=["subagent", "agent"])
def test_blackboard_of_every_finished_run_holds_each_added_object_once(wrap):
    runs = []

    @tool(read_only=True)
    def add(text: str, context: ToolContext) -> str:
        """Add a text."""
        runs.append(context.run)
        context.run.blackboard.add(text)
        return text

    child = agent([[ToolCall("add", '{"text": "inner"}')], "done"], [add])
    turns = [
        ToolCall("add", '{"text": "first"}'),
        ToolCall("finder", '{"task": "find"}'),
        ToolCall("add", '{"text": "last"}'),
    ]
    run = Run()
    conduct([*turns, "done"], [wrap(child), add],
            context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip
    assert [list(each.blackboard) for each in [run, *runs]] == [["first", "inner", "last"]] * 4


@tool(read_only=True)
def note_and_fail(context: ToolContext) -> str:
    """Note, and fail."""
    context.run.blackboard.add("half", name="noted")
    message = "no luck"
    raise ValueError(message)


def test_what_a_child_has_added_stays_when_it_fails_as_with_any_tool():
    for failing in (from_function(note_and_fail), Subagent.of(note_and_fail)):
        run = Run()
        result = failing.run({}, ToolContext(run=run))
        assert (result.error, run.blackboard.get("noted")) == ("no luck", "half")


@pytest.mark.parametrize("wrap", [Subagent.of, lambda tool: tool], ids=["subagent", "agent"])
def test_what_an_agent_has_added_stays_when_it_comes_to_no_end(wrap):
    child = agent([ToolCall("note", '{"text": "a fugue"}'), ToolCall("recall")], [note, recall], limits=Limits(turns=1))
    run = Run()
    result = conduct([ToolCall("finder", '{"task": "find"}'), ToolCall("recall"), "done"], [wrap(child), recall],
                     context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip
    assert shown(result) == [
        "Error: the agent has used up its one request to the model without finishing",
        "None, a fugue",
    ]
    assert run.blackboard.get("noted") == "a fugue"


@pytest.mark.parametrize("wrap", [Subagent.of, lambda tool: tool], ids=["subagent", "agent"])
def test_what_an_agent_has_added_stays_when_the_whole_run_is_ended(wrap):
    @tool(read_only=True)
    def stop(context: ToolContext) -> str:
        """Note, and stop everything."""
        context.run.blackboard.add("half", name="noted")
        message = "stop everything"
        raise TerminationRequested(message)

    run = Run()
    with pytest.raises(TerminationRequested, match="stop everything"):
        conduct([ToolCall("finder", '{"task": "find"}'), "never"], [wrap(agent([ToolCall("stop")], [stop]))],
                context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip
    assert run.blackboard.get("noted") == "half"


def test_a_childs_run_is_a_part_of_its_callers():
    seen = []

    @tool(read_only=True)
    def look(context: ToolContext) -> str:
        """Look at the run."""
        seen.append([run.goal for run in context.run.lineage])
        return "looked"

    child = agent([ModelReply(calls=(ToolCall("look"),), usage=Usage(5, 1, 0.25)), "done"], [look])
    run = Run(goal="all")
    result = conduct([ToolCall("finder", '{"task": "find"}'), "ready"], [Subagent.of(child)],
                     context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip
    assert seen == [["find", "finder", "go", "all"]]
    assert (run.counts, run.spent.tokens, run.spent.cost) == ({"look": 1, "finder": 1}, 6, 0.25)
    assert [call.tool for call in result.run.calls] == ["look", "finder"]


def test_context_gate_listener_memory_and_channel_come_through():
    heard, events = [], []

    @tool
    def deep(user: Annotated[str, MemoryId], context: ToolContext) -> str:
        """Look around."""
        context.run.send(Message("here"))
        return f"{context['tenant']} {user} {context.agent} {context.chosen_by}"

    reviewer = ScriptedReviewer([Continue(), Continue()])
    context = ToolContext(
        {"tenant": "acme"}, memory_id="ada", reviewer=reviewer, listener=events.append, run=Run(channel=heard.append)
    )
    child = agent([ToolCall("deep"), "{deep}"], [deep])
    result = conduct([ToolCall("finder", '{"task": "find"}'), "{finder}"], [Subagent.of(child)], context=context)
    assert result.text == "acme ada finder model"
    assert [request.risk.tool for request in reviewer.requests] == ["finder", "deep"]
    assert [message.text for message in heard] == ["here"]
    assert {"finder", "deep"} == {event.tool for event in events if event.kind == "tool_finished"}


def test_the_output_is_the_artifact():
    class Work(BaseModel):
        title: str

    tracker = AssetTracker()
    subagent = Subagent.of(agent(['{"title": "A fugue"}'], output_type=Work))
    result = subagent.run({"task": "x"})
    assert (result.artifact, result.structured) == (Work(title="A fugue"), {"title": "A fugue"})
    run = Run()
    publish_to_blackboard(subagent, Work).run({"task": "x"}, ToolContext(run=run))
    assert run.blackboard.last("Work") == Work(title="A fugue")
    [tracked] = track_assets(tracker, [Subagent.of(agent(["words alone"]))])
    assert tracked.run({"task": "x"}).artifact == "words alone"


def test_an_agent_is_found_by_its_name_when_it_is_called():
    asked = []

    def find(name):
        asked.append(name)
        return agent(["found"]) if name == "finder" else None

    subagent = Subagent.by_name("finder", find)
    assert (subagent.description, list(subagent.spec.properties), asked) == (
        "Delegate to the agent 'finder'.",
        ["task"],
        [],
    )
    assert [subagent.run({"task": "x"}).output for _ in range(2)] == ["found", "found"]
    assert asked == ["finder"]


def test_a_name_that_nobody_has_is_a_wrong_set_up():
    with pytest.raises(ConfigurationError, match=r"^there is no agent 'findr'; did you mean 'finder'\?$"):
        Subagent.by_name("findr", {"finder": agent([])}).run({"task": "x"})
    with pytest.raises(ConfigurationError, match=r"^there is no agent 'writer'; the agents are finder$"):
        Subagent.by_name("writer", {"finder": agent([])}).run({"task": "x"})
    with pytest.raises(ConfigurationError, match=r"^there is no agent 'writer'$"):
        Subagent.by_name("writer", lambda name: None).run({"task": "x"})
    with pytest.raises(InvalidTools, match="must not be blank"):
        Subagent.by_name(" ", {})


def test_an_agent_is_made_when_it_is_called_for_the_first_time():
    made = []

    def make():
        made.append(1)
        return agent(["made"])

    subagent = Subagent.made_by(make, "finder", "Finds.")
    assert made == []
    assert [subagent.run({"task": "x"}).output for _ in range(2)] == ["made", "made"]
    assert made == [1]


def test_an_object_is_a_subagent_if_it_is_one_tool():
    class Finder:
        @tool(read_only=True)
        def find(self, what: str) -> str:
            """Find."""
            return f"found {what}"

    class Several(Finder):
        @tool
        def lose(self) -> str:
            """Lose."""
            return "lost"

    assert Subagent.of(Finder()).run({"what": "tea"}).output == "found tea"
    with pytest.raises(InvalidTools, match="a subagent is one tool, but this is 2: find, lose"):
        Subagent.of(Several())
    with pytest.raises(InvalidTools, match="is not a tool"):
        Subagent.of(object())


def test_a_pipeline_is_a_subagent_and_a_subagent_a_step():
    calculator = load_tools("builtin")["calculator"]
    chain = Pipeline.of(Subagent.of(agent(["6 * 7"])), calculator, name="compute", description="Computes.")
    run = Run()
    assert Subagent.of(chain).run({"task": "x"}, ToolContext(run=run)).output == "42"
    assert run.counts == {"finder": 1, "calculator": 1, "compute": 1}


def test_agents_that_call_one_another_in_a_circle_are_stopped_with_the_way():
    agents = {}
    for name, other in (("hen", "egg"), ("egg", "hen")):
        turns = [ToolCall(other, '{"task": "you first"}'), lambda messages, tools: messages[-1].text]
        agents[name] = agent(turns, [Subagent.by_name(other, agents)], name)
    context = ToolContext(reviewer=ScriptedReviewer([Continue()] * 9))
    result = Subagent.of(agents["hen"]).run({"task": "x"}, context)
    assert (
        result.output
        == "Error: the agent 'hen' is already running and cannot be called again from inside: hen → egg → hen"
    )


def test_subagents_stand_only_so_deep_in_one_another():
    inner = from_function(lambda: "bottom", name="level0", description="The bottom.", read_only=True)
    for level in range(1, 5):
        below = Subagent.of(inner, deepest=3)
        turns = [
            ToolCall(below.name, "{}" if level == 1 else '{"task": "down"}'),
            lambda messages, tools: messages[-1].text,
        ]
        inner = agent(turns, [below], f"level{level}")
    result = Subagent.of(inner).run({"task": "x"}, ToolContext(reviewer=ScriptedReviewer([Continue()] * 9)))
    assert result.output == ("Error: 3 agents are nested, which is the limit: level4 → level3 → level2 → level1")


def spending(**options):
    turns = [ModelReply(calls=(ToolCall("recall"),), usage=Usage(60, 0))] * 3
    return agent(turns, [recall], **options)


def test_a_budget_of_its_own_ends_the_subagent_alone():
    run = Run()
    result = conduct([ToolCall("finder", '{"task": "find"}'), "{finder}"],
                     [Subagent.of(spending(), budget=Budget(tokens=100))],
                     context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip
    assert result.text == "Error: 'finder' was ended: the budget is used up: 120 of 100 tokens"
    assert run.calls[-1].error_code == "budget"


@pytest.mark.parametrize("wrap", [Subagent.of, lambda tool: tool], ids=["subagent", "agent"])
def test_the_budget_of_the_caller_ends_both(wrap):
    context = ToolContext(run=Run(budget=Budget(tokens=100)), reviewer=ScriptedReviewer([Continue()]))
    with pytest.raises(BudgetExceeded, match="120 of 100 tokens"):
        conduct([ToolCall("finder", '{"task": "find"}'), "never"],
                [wrap(spending(budget=Budget(tokens=100)))], context=context)  # fmt: skip


def ending(how):
    @tool(read_only=True)
    def end(context: ToolContext) -> str:
        """End something."""
        how(context)
        return "ended"

    return agent([ToolCall("end"), "went on"], [end])


def test_a_child_that_is_told_to_end_ends_alone():
    result = conduct([ToolCall("finder", '{"task": "find"}'), "{finder}"],
                     [Subagent.of(ending(lambda context: context.run.around.terminate("enough")))])  # fmt: skip
    assert result.text == "Error: 'finder' was ended: enough"


def test_a_caller_that_is_told_to_end_takes_its_child_along():
    run = Run()
    with pytest.raises(TerminationRequested, match="the user left"):
        conduct([ToolCall("finder", '{"task": "find"}'), "never"],
                [Subagent.of(ending(lambda context: run.terminate("the user left")))],
                context=ToolContext(run=run, reviewer=ScriptedReviewer([Continue()])))  # fmt: skip


def test_a_tool_of_a_child_may_end_the_whole_run():
    def stop(context):
        message = "stop everything"
        raise TerminationRequested(message)

    with pytest.raises(TerminationRequested, match="stop everything"):
        conduct([ToolCall("finder", '{"task": "find"}'), "never"], [Subagent.of(ending(stop))],
                context=ToolContext(run=Run(), reviewer=ScriptedReviewer([Continue()])))  # fmt: skip


@tool(requires_approval=True)
def launch() -> str:
    """Launch."""
    return "launched"


@pytest.mark.parametrize(
    "subagent",
    [
        Subagent.of(launch),
        Subagent.by_name("launch", {"launch": from_function(launch)}),
        Subagent.made_by(lambda: launch, "launch", "Launches."),
    ],
    ids=["of", "by_name", "made_by"],
)
@pytest.mark.parametrize("chosen_by", ["person", "model"])
def test_what_requires_approval_is_asked_about_once(subagent, chosen_by):
    reviewer = ScriptedReviewer([Continue(), Reject("no")])
    context = ToolContext(reviewer=reviewer, chosen_by=chosen_by)
    arguments = {} if subagent.spec.requires_approval else {"task": "x"}
    assert subagent.run(arguments, context).output == "launched"
    assert subagent.run(arguments, context).error == "Rejected by reviewer: no"
    assert len(reviewer.requests) == 2


def test_secrets_of_an_input_are_not_shown():
    class Login(BaseModel):
        user: str
        password: SecretStr

    reviewer = ScriptedReviewer([Continue()])
    run = Run()

    def log_in(user: str, password: SecretStr) -> str:
        """Log in."""
        return f"{user} {len(password.get_secret_value())}"

    subagent = Subagent.of(from_function(log_in, requires_approval=True), input_type=Login)
    context = ToolContext(run=run, reviewer=reviewer)
    assert subagent.run({"user": "ada", "password": "hunter2"}, context).output == "ada 7"
    assert "hunter2" not in f"{reviewer.requests}{run.as_record()}"


def test_without_a_run_a_subagent_has_one_of_its_own():
    assert Subagent.of(agent([ToolCall("recall"), "{recall}"], [recall])).run({"task": "x"}).output == "None, None"


def test_agents_and_subagents_are_defined_where_they_are_made():
    here = Path(__file__)
    finder = AgentTool("finder", "Finds.", ScriptedModel([]))
    line = sys._getframe().f_lineno - 1
    assert finder.spec.location == Location(str(here), line)
    assert finder.replace(name="other").spec.location == Location(str(here), line + 3)
    for subagent in (Subagent.of(finder), Subagent.by_name("finder", {}), Subagent.made_by(list, "finder", "Finds.")):
        assert subagent.spec.location == Location(str(here), line + 4)
        assert subagent.spec.source == str(here)


def test_a_text_tool_as_a_subagent_takes_text_in_a_pipeline():
    class Upper(TextTool):
        name = "upper"
        description = "Puts text into capitals."

        def execute(self, text: str) -> str:
            return text.upper()

    assert Pipeline.of(Subagent.of(Upper()), Subagent.of(Upper(), name="again")).run({"input": "tea"}).output == "TEA"


def test_a_subagent_looks_like_the_agent_that_it_is():
    finder = agent(["done"], [recall])
    assert outline_of(Subagent.of(finder)) == outline_of(finder)
    assert outline_of(Subagent.of(finder, budget=Budget(actions=3))).budget == "3 calls"
    assert outline_of(Subagent.by_name("finder", {"finder": finder})) is None
    assert outline_of(Subagent.of(recall)) is None


def test_agents_that_are_made_anew_each_time_stand_only_so_deep_in_one_another():
    made = []

    def find(name):
        made.append(name)
        turns = [ToolCall("again", '{"task": "deeper"}'), "{again}"]
        return agent(turns, [Subagent.by_name("again", find, deepest=3)], "again")

    context = ToolContext(reviewer=ScriptedReviewer([Continue()] * 9))
    result = Subagent.by_name("again", find, deepest=3).run({"task": "x"}, context)
    assert result.output == ("Error: 3 agents are nested, which is the limit: again → again → again → again")
    assert made == ["again"] * 4


@pytest.mark.parametrize("wrap", [Subagent.of, lambda tool: tool], ids=["subagent", "agent"])
def test_a_budget_of_the_caller_that_the_call_at_hand_uses_up_ends_the_caller(wrap):
    run = Run(budget=Budget(actions=1))
    context = ToolContext(run=run, reviewer=ScriptedReviewer([Continue()]))
    with pytest.raises(BudgetExceeded, match="1 of 1 calls") as caught:
        conduct([ToolCall("finder", '{"task": "find"}'), "never"], [wrap(spending())], context=context)
    assert caught.value.run is run
    assert run.counts == {"finder": 1}


def test_a_question_about_a_subagent_shows_what_stands_in_for_what_was_left_out():
    @tool(requires_approval=True)
    def report(topic: str, pages: int = 3) -> str:
        """Write a report."""
        return f"{pages} pages on {topic}"

    reviewer = ScriptedReviewer([Continue()])
    result = Subagent.of(report).run({"topic": "owls"}, ToolContext(reviewer=reviewer))
    assert result.output == "3 pages on owls"
    [request] = reviewer.requests
    assert (request.arguments, request.defaults) == ({"topic": "owls"}, {"pages": 3})
