"""State machines: what is open in which state, what leads to another, and going on where something was left."""

import asyncio
import json
from enum import Enum

import pytest

from toolkit import Continue, InvalidTools, ToolCall, ToolContext, tool, toolbox
from toolkit.agents import AgentTool, ScriptedModel, StateMachine, ToolMessage, Transcript, run_agent
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import TerminationRequested


class Order(Enum):
    DRAFT = 1
    CONFIRMED = 2
    SHIPPED = 3


@tool(read_only=True)
def add_item(item: str) -> str:
    """Add an item."""
    return f"added {item}"


@tool(read_only=True)
def confirm(code: str = "ok") -> str:
    """Confirm the order."""
    if code != "ok":
        message = f"the code '{code}' is wrong"
        raise ValueError(message)
    return "confirmed"


@tool
def ship() -> str:
    """Ship the order."""
    return "shipped"


@tool(read_only=True)
def status() -> str:
    """Tell the status."""
    return "as it should be"


TOOLS = (add_item, confirm, ship, status)
MACHINE = StateMachine(
    Order.DRAFT,
    {Order.DRAFT: {"add_item": None, "confirm": Order.CONFIRMED}, Order.CONFIRMED: {"ship": Order.SHIPPED}},
    everywhere=["status"],
)


def call(name, **arguments):
    return ToolCall(name, json.dumps(arguments))


ITEM, CONFIRM, SHIP, STATUS = call("add_item", item="bolt"), call("confirm"), call("ship"), call("status")


def run(turns, kind=MACHINE, tools=TOOLS, **options):
    options.setdefault("context", ToolContext(reviewer=ScriptedReviewer([Continue()] * 9)))
    return asyncio.run(run_agent(ScriptedModel(turns), "go", tools, kind=kind, **options))


def texts(result):
    return [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)]


def refusal(state, needed):
    return f"Error: This tool is not available in the current state ({state}). It is only available in {needed}."


def test_tools_are_open_in_their_states_and_lead_to_others():
    result = run([ITEM, SHIP, CONFIRM, STATUS, ITEM, SHIP, CONFIRM, "done"])
    assert texts(result) == [
        "added bolt",
        refusal("DRAFT", "state: CONFIRMED"),
        "confirmed\nThe state is now CONFIRMED.\nNow available: ship.",
        "as it should be",
        refusal("CONFIRMED", "state: DRAFT"),
        "shipped\nThe state is now SHIPPED.",
        refusal("SHIPPED", "state: DRAFT"),
    ]
    assert (result.state, result.text) == (Order.SHIPPED, "done")


def test_model_is_told_the_state_that_it_begins_in_and_where_each_tool_is_and_leads():
    told = []

    def look(messages, tools):
        told.append({spec.name: spec.description.partition("\n\n")[2] for spec in tools})
        return "done"

    result = run([look])
    assert result.transcript.messages[0].text == "Current state: DRAFT"
    assert told == [
        {
            "add_item": "[Available in state: DRAFT]",
            "confirm": "[Available in state: DRAFT] [Transitions to: CONFIRMED]",
            "ship": "[Available in state: CONFIRMED] [Transitions to: SHIPPED]",
            "status": "[Available in all states]",
        }
    ]


def test_call_that_fails_leaves_the_state_as_it_is():
    result = run([call("confirm", code="no"), SHIP, "done"])
    assert texts(result) == ["Error: the code 'no' is wrong", refusal("DRAFT", "state: CONFIRMED")]
    assert result.state is Order.DRAFT


def test_call_that_is_refused_leaves_the_state_as_it_is_and_nobody_is_asked_about_tools_of_other_states():
    reviewer = ScriptedReviewer([])
    result = run([SHIP, CONFIRM, "done"], context=ToolContext(reviewer=reviewer))
    assert reviewer.requests == []
    result = run([SHIP, "done"], MACHINE.starting_in(Order.CONFIRMED), context=ToolContext(reviewer=reviewer))
    assert len(reviewer.requests) == 1
    assert result.state is Order.CONFIRMED


def test_calls_of_one_turn_run_one_by_one_each_in_the_state_that_the_one_before_has_led_to():
    result = run([[ITEM, CONFIRM, ITEM, SHIP, SHIP], "done"])
    assert texts(result) == [
        "added bolt",
        "confirmed\nThe state is now CONFIRMED.\nNow available: ship.",
        refusal("CONFIRMED", "state: DRAFT"),
        "shipped\nThe state is now SHIPPED.",
        refusal("SHIPPED", "state: CONFIRMED"),
    ]


def test_calls_after_one_that_ended_the_loop_do_not_run_and_the_transcript_has_a_result_for_each():
    @tool(read_only=True)
    def stop() -> str:
        """Stop."""
        message = "enough"
        raise TerminationRequested(message, "loop")

    machine = StateMachine("open", {"open": {"stop": None, "confirm": "closed"}, "closed": {}})
    result = run([[call("stop"), CONFIRM], "never"], machine, [stop, confirm])
    assert texts(result) == ["Ended: enough", "Ended: by the call before"]
    assert (result.ending, result.state, list(result.run.counts)) == ("terminated", "open", ["stop"])


def test_state_may_be_a_name_and_a_tool_may_lead_elsewhere_from_each_state():
    machine = StateMachine(
        "up", {"up": {"confirm": "down"}, "down": {"confirm": "up", "ship": None}}, ["status", "add_item"]
    )
    seen = []

    def look(messages, tools):
        seen.extend(spec.description for spec in tools if spec.name == "confirm")
        return CONFIRM

    result = run([look, CONFIRM, CONFIRM, "done"], machine)
    assert seen == ["Confirm the order.\n\n[Available in states: up, down] [Transitions: up to down, down to up]"]
    assert result.state == "down"


def test_order_that_was_left_is_gone_on_with_in_its_state():
    agent = AgentTool("orders", "Processes orders.", ScriptedModel([SHIP, "{ship}"]), TOOLS, kind=MACHINE)
    resumed = agent.replace(kind=MACHINE.starting_in(Order.CONFIRMED))
    context = ToolContext(reviewer=ScriptedReviewer([Continue()]))
    assert resumed.run({"task": "go"}, context).output == "shipped\nThe state is now SHIPPED."
    assert agent.run({"task": "go"}, context).output == refusal("DRAFT", "state: CONFIRMED")


def test_conversation_that_is_continued_stays_in_its_state():
    said = Transcript()
    assert run([CONFIRM, "ok"], transcript=said).state is Order.CONFIRMED
    read_again = Transcript.from_records(said.as_record())
    for conversation in (said, read_again):
        assert run(["", "", SHIP, "{ship}"], transcript=conversation).state is Order.SHIPPED


def test_two_runs_of_one_machine_at_once_are_each_in_a_state_of_their_own():
    def first(messages, tools):
        return CONFIRM if "confirm" in messages[1].text else STATUS

    agent = AgentTool("orders", "Processes orders.", ScriptedModel([first, SHIP, "{ship}"]), TOOLS, kind=MACHINE)
    context = ToolContext(reviewer=ScriptedReviewer([Continue()] * 2))

    async def both():
        tasks = ("confirm", "look", "confirm")
        return await asyncio.gather(*(agent.call({"task": task}, context) for task in tasks))

    shipped = "shipped\nThe state is now SHIPPED."
    results = asyncio.run(both())
    assert [result.output for result in results] == [shipped, refusal("DRAFT", "state: CONFIRMED"), shipped]


def test_what_a_facade_reveals_is_where_the_facade_is():
    @toolbox(name="stock", description="All about the stock.")
    class Stock:
        @tool(read_only=True)
        def count(self, item: str) -> int:
            """Count an item."""
            return len(item)

    machine = StateMachine("open", {"open": {"stock": None, "confirm": "closed"}, "closed": {}})
    count = call("count", item="bolt")
    result = run([call("stock"), count, CONFIRM, count, call("stock"), "done"], machine, [Stock(), confirm])
    assert texts(result)[1] == "4"
    assert texts(result)[3:] == [refusal("closed", "state: open")] * 2


def test_tool_that_returns_to_the_caller_ends_the_agent_in_the_state_that_it_leads_to():
    @tool(read_only=True, return_behavior="immediate")
    def close() -> str:
        """Close."""
        return "closed"

    result = run([call("close"), "never"], StateMachine("open", {"open": {"close": "shut"}, "shut": {}}), [close])
    assert (result.ending, result.text, result.state) == ("returned", "closed", "shut")


def test_what_is_wrong_with_a_machine_is_refused_all_at_once():
    machine = StateMachine(
        "draft",
        {"drafts": {"confrim": "confirmed", "confirm": "confirmd"}, "confirmed": {"ship": None}},
        everywhere=["stats"],
    )
    with pytest.raises(InvalidTools) as refused:
        AgentTool("orders", "Processes orders.", ScriptedModel([]), TOOLS, kind=machine)
    assert [f"{problem.message} ({problem.hint})" for problem in refused.value.problems] == [
        "the machine starts in 'draft', which is not a state (did you mean 'drafts'?)",
        (
            "in the state 'drafts' the tool 'confirm' leads to 'confirmd', which is not a state "
            "(did you mean 'confirmed'?)"
        ),
        "the state 'drafts' has 'confrim', which is not a tool of the agent (did you mean 'confirm'?)",
        "'everywhere' has 'stats', which is not a tool of the agent (did you mean 'status'?)",
        "the tool 'add_item' is in no state (list it under a state, or in 'everywhere')",
        "the tool 'status' is in no state (list it under a state, or in 'everywhere')",
    ]


def test_states_of_another_kind_than_the_first_are_refused():
    machine = StateMachine(Order.DRAFT, {"DRAFT": {"add_item": None}}, ["confirm", "ship", "status"])
    with pytest.raises(InvalidTools, match="there are tools in 'DRAFT', which is not a state"):
        run(["never"], machine)
