"""What an agent sees of its own run, and how it speaks to its user."""

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, SecretStr

from toolkit import ToolCall, ToolContext, from_function, from_object, tool
from toolkit.agents import (
    AgentProcessTools,
    BlackboardTools,
    ModelReply,
    ScriptedModel,
    ToolMessage,
    Usage,
    communicate,
    progress,
    run_agent,
)
from toolkit.agents.introspection import described, time_in_words  # private
from toolkit.runs import Budget, CallRecord, Message, ModelUse, Run

PROCESS = {each.name: each for each in from_object(AgentProcessTools())}
WHOLE = {each.name: each for each in from_object(AgentProcessTools(whole=True))}
BOARD = {each.name: each for each in from_object(BlackboardTools())}


def call(table, tool, run, /, **arguments):
    return table[tool].run(arguments, ToolContext(run=run))


def conduct(turns, prompt, tools, **options):
    return asyncio.run(run_agent(ScriptedModel(turns), prompt, tools, **options))


def record(tool, arguments=None, outcome="success", **others):
    return CallRecord("r", tool, arguments or {}, outcome, seconds=0.0125, **others)


def worked():
    run = Run(id="r1", goal="Find the tea", budget=Budget(cost=1.0, actions=10))
    run.record_use(ModelUse("large", 1_000, 200, 0.25))
    run.record_use(ModelUse("small", 10, 2))
    run.record_use(ModelUse("vectors", 50, kind="embedding", cost=0.000125))
    run.record_call(record("search", {"query": "tea", "key": "**********"}, output="three\nhits"))
    run.record_call(record("buy", '{"item": "tea"}', "error", error="the shop is closed"))
    run.record_call(record("search", {"query": "x" * 200}, output="y" * 200))
    return run


@tool(read_only=True)
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


def test_an_agent_unfolds_its_process_and_sees_itself_at_work():
    turns = [ToolCall("double", '{"number": 4}'), ToolCall("agent_process"),
             [ToolCall("process_history"), ToolCall("process_models"), ToolCall("process_status")], "done"]  # fmt: skip
    outer = Run(id="outer")
    result = conduct(turns, "Double 4", [double, AgentProcessTools()], context=ToolContext(run=outer))
    texts = [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)]
    assert texts[1] == (
        "Tools now available: process_status, process_budget, process_cost, process_history, process_tools_stats, "
        "process_models. Call the one that you need."
    )
    first, second, third = texts[2].splitlines()
    assert first == "2 of 2 calls:"
    assert (second.startswith('1. double({"number": 4}) '), second.endswith(" -> 8")) == (True, True)
    assert third.startswith("2. agent_process({}) ")
    assert texts[3] == "scripted: chat, 3 requests"
    lines = texts[4].splitlines()
    assert lines[0].startswith(f"run {result.run.id}: running for ")
    assert lines[1:] == ["goal: Double 4", "part of: outer"]


def test_all_tools_of_introspection_are_read_only_and_ask_nobody():
    tools = [*PROCESS.values(), *BOARD.values(), *map(from_function, (progress, communicate))]
    assert {each.spec.read_only for each in tools} == {True}


@pytest.mark.parametrize("name", [*PROCESS, *BOARD])
def test_without_a_run_they_say_so(name):
    given = dict.fromkeys((PROCESS | BOARD)[name].spec.required, "x")
    result = (PROCESS | BOARD)[name].run(given)
    assert (result.error_code, result.error) == (
        "no_run",
        "There is no run to report on: this tool was called outside of a run.",
    )


def test_status_tells_goal_end_and_what_it_is_part_of():
    outer = Run(id="r0")
    inner = Run(id="r1", goal="Find", around=outer)
    outer.terminate("the user left")
    result = call(PROCESS, "process_status", inner)
    assert result.output.splitlines()[1:] == ["goal: Find", "part of: r0", "asked to end: the user left"]
    seconds = result.structured.pop("seconds")
    assert seconds >= 0
    assert result.structured == {
        "id": "r1",
        "status": "running",
        "goal": "Find",
        "part_of": ["r0"],
        "asked_to_end": "the user left",
    }
    assert call(WHOLE, "process_status", inner).structured["id"] == "r0"


def test_budget_tells_limits_and_what_is_left_by_the_tightest():
    run = worked()
    inner = run.spawn(budget=Budget(actions=100))
    result = call(PROCESS, "process_budget", inner)
    assert result.output == (
        "cost: $0.7499 left of $1.00, $0.2501 spent\ntokens: no limit, 0 spent\ncalls: 7 left of 10, 3 spent"
    )
    assert result.structured["actions"] == {"limit": 10, "spent": 3, "left": 7}
    assert result.structured["tokens"] == {"limit": None, "spent": 0, "left": None}
    assert call(WHOLE, "process_budget", inner).output.splitlines()[1] == "tokens: no limit, 1,262 spent"


def test_cost_is_told_in_all_and_for_each_model():
    result = call(PROCESS, "process_cost", worked())
    assert result.output == (
        "total: $0.250125 plus an unknown amount, 2 requests, 1 embedding, 1,060 tokens in, 202 out\n"
        "large: $0.25, 1 request, 1,000 tokens in, 200 out\n"
        "small: at an unknown cost, 1 request, 10 tokens in, 2 out\n"
        "vectors: $0.000125, 0 requests, 1 embedding, 50 tokens in, 0 out"
    )
    assert result.structured["cost"] == pytest.approx(0.250125)
    assert (result.structured["is_whole"], list(result.structured["models"])) == (False, ["large", "small", "vectors"])
    assert call(PROCESS, "process_cost", Run()).output == "total: $0.00, 0 requests, 0 tokens in, 0 out"


def test_history_is_cut_and_keeps_secrets():
    result = call(PROCESS, "process_history", worked())
    shown = '{"query": "' + "x" * 109
    assert result.output == (
        "3 of 3 calls:\n"
        '1. search({"query": "tea", "key": "**********"}) 12ms -> three hits\n'
        '2. buy({"item": "tea"}) 12ms -> error: the shop is closed\n'
        f"3. search({shown}… [120 of 213 characters]) 12ms -> {'y' * 120}… [120 of 200 characters]"
    )
    assert result.structured["calls"][1] == {
        "tool": "buy",
        "arguments": '{"item": "tea"}',
        "outcome": "error",
        "seconds": 0.0125,
        "result": "the shop is closed",
    }


def test_secrets_of_calls_do_not_come_back():
    @tool(read_only=True)
    def log_in(user: str, password: SecretStr) -> str:
        """Log in."""
        return f"welcome {user}"

    run = Run()
    from_function(log_in).run({"user": "ada", "password": "hunter2"}, ToolContext(run=run))
    result = call(PROCESS, "process_history", run)
    assert "hunter2" not in f"{result.output}{result.structured}"
    assert "welcome ada" in result.output


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ({"tool": "buy"}, ["1 of 1 call:", '1. buy({"item": "tea"}) 12ms -> error: the shop is closed']),
        ({"outcome": "error"}, ["1 of 1 call:", '1. buy({"item": "tea"}) 12ms -> error: the shop is closed']),
        ({"tool": "sell"}, ["no call matches"]),
    ],
)
def test_history_is_filtered(wanted, lines):
    assert call(PROCESS, "process_history", worked(), **wanted).output.splitlines() == lines


@given(st.one_of(st.text(), st.dictionaries(st.one_of(st.text(), st.tuples(st.integers())), st.binary())), st.text())
def test_whatever_was_called_can_be_told_on_a_line(arguments, output):
    run = Run()
    run.record_call(record("t", arguments, output=output))
    result = call(PROCESS, "process_history", run)
    assert (result.error, len(result.output.split("\n"))) == (None, 2)
    assert len(result.output) < 400


def test_history_shows_the_last_calls_with_their_numbers():
    run = Run()
    for number in range(150):
        run.record_call(record("t", {"n": number}))
    lines = call(PROCESS, "process_history", run, last=2).output.splitlines()
    assert lines == ["2 of 150 calls:", '149. t({"n": 148}) 12ms ->', '150. t({"n": 149}) 12ms ->']
    assert len(call(PROCESS, "process_history", run, last=1000).structured["calls"]) == 100
    assert len(call(PROCESS, "process_history", run, last=-1).structured["calls"]) == 1
    assert call(PROCESS, "process_history", Run()).output == "no calls so far"


def test_statistics_and_models():
    assert call(PROCESS, "process_tools_stats", worked()).output == (
        "search: 2 calls, 0 failed, 25ms\nbuy: 1 call, 1 failed, 12ms"
    )
    assert call(PROCESS, "process_tools_stats", Run()).output == "no calls so far"
    assert call(PROCESS, "process_models", worked()).output == (
        "large: chat, 1 request\nsmall: chat, 1 request\nvectors: embedding, 1 request"
    )
    assert call(PROCESS, "process_models", Run()).output == "no model was used so far"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0129, "12ms"), (0.9999, "999ms"), (1.59, "1.5s"), (61.9, "1m 1s"), (3725, "1h 2m 5s"), (59.99, "59.9s")],
)
def test_time_is_told_in_words(seconds, words):
    assert time_in_words(seconds) == words


# ------------------------------------------------------------------------------------------------------- the blackboard


class Person:
    def __init__(self, name):
        self.name = name


@dataclass
class Customer(Person):
    name: str
    password: str = field(repr=False)


class Account(BaseModel):
    owner: str
    token: SecretStr


class Broken:
    def __repr__(self):
        raise ValueError


def board():
    run = Run()
    run.blackboard.add(["green", "black"], name="teas")
    run.blackboard.add(Customer("Ada", "hunter2"), name="customer")
    run.blackboard.add(Person("Bob"))
    run.blackboard.add(Account(owner="Eve", token=SecretStr("hunter2")), name="account")
    return run


def test_the_blackboard_is_listed_with_names_and_types():
    result = call(BOARD, "blackboard_list", board())
    assert result.output == "0. teas: list\n1. customer: Customer\n2. Person\n3. account: Account"
    assert result.structured["entries"][2] == {"number": 2, "name": None, "type": "Person"}
    assert call(BOARD, "blackboard_list", board(), type="Person").output == "1. customer: Customer\n2. Person"
    assert call(BOARD, "blackboard_list", board(), type="Order").output == "there is no object of the type 'Order'"
    assert call(BOARD, "blackboard_list", Run()).output == "the blackboard is empty"


def test_a_long_blackboard_is_listed_from_its_end():
    run = Run()
    for number in range(105):
        run.blackboard.add(number)
    lines = call(BOARD, "blackboard_list", run).output.splitlines()
    assert (lines[0], lines[1], lines[-1], len(lines)) == ("the latest 100 of 105:", "5. int", "104. int", 101)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("teas", '["green", "black"]'),
        ("customer", "Customer(name='Ada')"),
        ("account", "owner='Eve' token=SecretStr('**********')"),
    ],
)
def test_an_object_is_shown_by_its_name_and_its_secrets_are_not(name, text):
    result = call(BOARD, "blackboard_get", board(), name=name)
    assert result.output == text
    assert "hunter2" not in str(result)


def test_what_is_not_there_is_answered_with_what_is():
    assert call(BOARD, "blackboard_get", board(), name="custommer").error == (
        "nothing on the blackboard is named 'custommer'; did you mean 'customer'?"
    )
    assert call(BOARD, "blackboard_get", board(), name="x").error == (
        "nothing on the blackboard is named 'x'; the names are teas, customer, account"
    )
    assert call(BOARD, "blackboard_get", Run(), name="x").error == (
        "nothing on the blackboard is named 'x'; no object has a name"
    )
    assert call(BOARD, "blackboard_last", board(), type="Order").error == (
        "nothing on the blackboard is of the type 'Order'; the types are list, Customer, Person, Account"
    )
    assert call(BOARD, "blackboard_last", Run(), type="Order").error_code == "not_found"


def test_the_newest_of_a_type_and_of_its_subtypes_is_shown():
    assert call(BOARD, "blackboard_last", board(), type="Person").output == "<Person>"
    assert call(BOARD, "blackboard_last", board(), type="Customer").output == "Customer(name='Ada')"
    assert call(BOARD, "blackboard_last", board(), type=f"{__name__}.Customer").succeeded


def test_an_object_is_described_with_its_types():
    result = call(BOARD, "blackboard_describe", board(), name="customer")
    assert result.output == f"customer ({__name__}.Customer)\nis also: Person\nCustomer(name='Ada')"
    assert result.structured["types"][0] == "Customer"


def test_objects_are_counted_by_type():
    result = call(BOARD, "blackboard_count", board(), type="Person")
    assert (result.output, result.structured) == ("2", {"type": "Person", "count": 2})


def test_hidden_objects_are_seen_by_nobody():
    run = board()
    run.blackboard.hide(run.blackboard.get("customer"))
    assert call(BOARD, "blackboard_list", run).output == "0. teas: list\n1. Person\n2. account: Account"
    assert not call(BOARD, "blackboard_get", run, name="customer").succeeded


def test_what_is_long_is_cut_and_how_it_is_shown_may_be_said():
    table = {
        each.name: each for each in from_object(BlackboardTools(lambda thing: f"a {type(thing).__name__}", limit=6))
    }
    result = call(table, "blackboard_get", board(), name="customer")
    assert result.output == "a Cust… [6 of 10 characters]"
    assert call(table, "blackboard_get", board(), name="teas").output == "a list"


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        ("text\n", "text\n"),
        (None, "null"),
        ({"a": [1, None, Customer("Ada", "hunter2")]}, '{"a": [1, null, "Customer(name=\'Ada\')"]}'),
        ({1, 2}, "{1, 2}"),
        (b"123", "<3 bytes>"),
        (Person("Bob"), "<Person>"),
        (Broken(), "<Broken>"),
        ({(1, 2): 3}, "<dict>"),
    ],
)
def test_objects_are_described_by_what_they_are(thing, text):
    assert described(thing) == text


def test_what_contains_itself_is_named_by_its_type():
    knot: list = []
    knot.append(knot)
    assert described(knot) == "<list>"


# -------------------------------------------------------------------------------------------------------------- speaking


def test_an_agent_speaks_to_its_user_over_the_channel_of_its_run():
    heard = []
    outer = Run(channel=heard.append)
    turns = [
        [ToolCall("progress", '{"status": "searching"}'), ToolCall("communicate", '{"message": " Found it. "}')],
        "done",
    ]
    result = conduct(turns, "Search", (progress, communicate), context=ToolContext(run=outer))
    assert [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)] == [
        "Progress reported: searching",
        "Message sent to the user.",
    ]
    assert heard == [
        Message("searching", "progress", "progress", result.run.id),
        Message("Found it.", "message", "communicate", result.run.id),
    ]


def test_where_nobody_listens_speaking_is_no_failure():
    for context in (ToolContext(), ToolContext(run=Run())):
        said = [
            from_function(each).run({"status": "x", "message": "x"}, context).output for each in (progress, communicate)
        ]
        assert said == [
            "Progress noted, but no one is watching.",
            "Message noted, but no one can read it.",
        ]


def test_saying_nothing_and_a_channel_that_fails_are_told():
    def broken(message):
        message_text = "the line is dead"
        raise OSError(message_text)

    empty = from_function(communicate).run({"message": "  "}, ToolContext(run=Run()))
    assert (empty.error_code, empty.error) == (
        "invalid_arguments",
        "'message' is empty: write a message, or do not call this tool",
    )
    assert from_function(communicate).run({"message": "x"}, ToolContext(run=Run(channel=broken))).error == (
        "the line is dead"
    )


def test_a_model_of_an_agent_that_costs_is_seen_in_its_budget():
    turns = [
        ModelReply(calls=(ToolCall("process_budget"),), usage=Usage(100, 20, 0.1)),
        "done",
    ]
    outer = Run(budget=Budget.parse("$0.50, 1000 tokens"))
    result = conduct(turns, "Look", from_object(AgentProcessTools())[1:2], context=ToolContext(run=outer))
    assert [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)] == [
        "cost: $0.40 left of $0.50, $0.10 spent\ntokens: 880 left of 1,000, 120 spent\ncalls: no limit, 0 spent"
    ]


@pytest.mark.parametrize("message", [progress, communicate])
def test_a_message_that_reaches_nobody_is_a_warning_and_does_not_fail(message, caplog):
    [parameter] = from_function(message).spec.required
    result = from_function(message).run({parameter: "Half done."})
    assert result.succeeded
    assert [(each.levelname, each.name, each.message) for each in caplog.records if each.levelname == "WARNING"] == [
        ("WARNING", f"toolkit.tools.{message.__name__}", "no channel for the message: Half done.")
    ]
