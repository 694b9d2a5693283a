"""Tools that a facade reveals in an agent: in the same turn, in the next one, and when the conversation goes on."""

import asyncio
import json

from toolkit import ToolCall, ToolContext, tool, toolbox
from toolkit.agents import AgentTool, ScriptedModel, StateMachine, ToolMessage, Transcript, run_agent
from toolkit.approvals import ScriptedReviewer
from toolkit.disclosure import UnfoldingTool


@tool(read_only=True)
def query(sql: str) -> str:
    """Query."""
    return f"rows of {sql}"


@tool
def drop(table: str) -> str:
    """Drop a table."""
    return f"dropped {table}"


@tool(read_only=True)
def clock() -> str:
    """Tell the time."""
    return "noon"


database = UnfoldingTool.of("database", "Data.", [query, drop])
admin = UnfoldingTool.of("admin", "Everything.", [database])
alone = UnfoldingTool.of("alone", "Data alone.", [query], exclusive=True)

OPENED = "Tools now available: query, drop. Call the one that you need."


def call(name, **arguments):
    return ToolCall(name, json.dumps(arguments))


def texts(turns, tools, said=None, **options):
    """Run an agent, and return what its calls of that task gave."""
    said = said if said is not None else Transcript()
    before = len(said.messages)
    replies = sum(message.as_record()["role"] == "model" for message in said.messages)
    model = ScriptedModel([*([""] * replies), *turns])
    asyncio.run(run_agent(model, "go", tools, transcript=said, **options))
    return [message.text for message in said.messages[before:] if isinstance(message, ToolMessage)]


def test_a_tool_may_be_called_in_the_turn_that_reveals_it():
    turn = [call("clock"), call("database"), call("query", sql="t"), call("clock")]
    assert texts([turn, "done"], [database, clock]) == ["noon", OPENED, "rows of t", "noon"]


def test_facades_within_one_another_may_be_gone_through_in_one_turn():
    turn = [call("admin"), call("database"), call("query", sql="t"), call("query", sql="u")]
    assert texts([turn, "done"], [admin])[2:] == ["rows of t", "rows of u"]


def test_a_tool_that_is_called_before_what_reveals_it_is_not_there_and_the_model_is_told_the_way():
    turn = [call("query", sql="t"), call("database"), call("query", sql="u")]
    first, *others = texts([turn, "done"], [database])
    assert first == "Error: the tool 'query' is behind 'database': call 'database' first."
    assert others == [OPENED, "rows of u"]
    [deep] = texts([call("query", sql="t"), "done"], [admin])
    assert deep == "Error: the tool 'query' is behind 'admin': call 'admin' first, then 'database'."


def test_whoever_is_asked_about_a_tool_is_asked_in_the_turn_that_reveals_it_too():
    turn = [call("database"), call("drop", table="t")]
    context = ToolContext(reviewer=ScriptedReviewer([]))
    assert texts([turn, "done"], [database], context=context)[1].startswith("Error: Rejected by reviewer")


def test_a_name_that_nothing_reveals_stays_unknown_and_keeps_no_other_call_from_its_work():
    turn = [call("clock"), call("nothing"), call("clock"), call("nothing")]
    first, unknown, second, _ = texts([turn, "done"], [clock])
    assert (first, second) == ("noon", "noon")
    assert unknown.startswith("Error: the tool 'nothing' does not exist.")


def test_states_hold_for_what_is_revealed_in_the_same_turn():
    machine = StateMachine("closed", {"closed": {"clock": "open"}, "open": {"database": None}})
    turn = [call("clock"), call("database"), call("query", sql="t")]
    assert texts([turn, "done"], [database, clock], kind=machine)[2] == "rows of t"


def test_what_was_revealed_stays_so_while_the_conversation_goes_on():
    said = Transcript()
    texts([call("admin"), call("database"), "done"], [admin], said)
    assert texts([call("query", sql="t"), "done"], [admin], said) == ["rows of t"]
    assert texts([call("database"), "done"], [admin], said)[0].startswith("Use one of these tools directly")


def test_an_agent_that_has_a_toolbox_goes_on_with_what_it_revealed():
    @toolbox(name="store")
    class Store:
        """What there is."""

        @tool(read_only=True)
        def count(self) -> int:
            """Count."""
            return 3

    said = Transcript()
    turns = [call("store"), call("count"), "done", call("count"), "{count}"]
    agent = AgentTool("keeper", "Keeps.", ScriptedModel(turns), [Store()], transcript=said)
    assert [agent.run({"task": "count"}).output, agent.run({"task": "again"}).output] == ["done", "3"]


def test_other_tools_are_back_in_the_next_task_where_an_exclusive_facade_had_taken_their_place():
    said = Transcript()
    texts([call("alone"), "done"], [alone, clock], said)
    assert texts([[call("clock"), call("query", sql="t")], "done"], [alone, clock], said) == [
        "noon",
        "Error: the tool 'query' is behind 'alone': call 'alone' first.",
    ]


def test_what_was_revealed_is_gone_with_the_facade():
    said = Transcript()
    texts([call("database"), "done"], [database], said)
    assert texts([call("query", sql="t"), "done"], [clock], said) == [
        "Error: the tool 'query' does not exist. Available tools: clock. Use the exact name of one."
    ]
    other = UnfoldingTool.of("database", "Other data.", [clock])
    assert texts([call("drop", table="t"), "done"], [other], said)[0].startswith("Error: the tool 'drop' does not")


def test_a_conversation_that_was_read_from_a_record_tells_the_way_again():
    said = Transcript()
    texts([call("database"), "done"], [database], said)
    again = Transcript.from_records(said.as_record())
    assert texts([call("query", sql="t"), "done"], [database], again) == [
        "Error: the tool 'query' is behind 'database': call 'database' first."
    ]
