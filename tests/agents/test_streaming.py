"""Streaming: who is told what a model says, as it comes, and what stays of a reply that broke off."""

import asyncio

import pytest

from toolkit import ToolCall, ToolContext, tool
from toolkit.agents import (
    ModelError,
    ModelReply,
    Price,
    PricedModel,
    ScriptedModel,
    StreamingModel,
    Transcript,
    Usage,
    UserMessage,
    run_agent,
    streamed,
)
from toolkit.errors import BudgetExceeded
from toolkit.events import ModelChose, ModelFinished, ModelSaid, ModelStarted, as_record
from toolkit.runs import Budget, Run

DOUBLE = ToolCall("double", '{"number": 21}')


@tool(read_only=True)
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


class Mute:
    """A model that cannot stream."""

    name = "mute"

    async def request(self, messages, tools):
        return ModelReply("good morning", (DOUBLE,)) if len(messages) == 1 else ModelReply("42")


class Breaking:
    """A model that breaks off in the middle of what it says."""

    name = "breaking"

    def __init__(self, error):
        self.error = error

    async def request(self, messages, tools):
        raise AssertionError

    async def stream(self, messages, tools, tell):
        tell("once upon")
        tell(" a time")
        raise self.error


class Endless:
    """A model that says something and then nothing more."""

    name = "endless"

    def __init__(self):
        self.has_spoken = asyncio.Event()

    async def request(self, messages, tools):
        raise AssertionError

    async def stream(self, messages, tools, tell):
        tell("well")
        self.has_spoken.set()
        await asyncio.Event().wait()


def model_events(model, prompt="go", tools=(), **options):
    events: list[object] = []
    result = asyncio.run(run_agent(model, prompt, tools, context=ToolContext(listener=events.append), **options))
    return result, [
        event for event in events if isinstance(event, ModelStarted | ModelSaid | ModelChose | ModelFinished)
    ]


def test_listener_hears_each_word_each_choice_and_one_finish_for_each_request():
    script = ScriptedModel([ModelReply("I shall see.", (DOUBLE,), Usage(10, 4, 0.5)), "It is {double}."], "script")
    result, events = model_events(script, tools=[double])
    first, second = [event.call for event in events if isinstance(event, ModelStarted)]
    run = result.run.id
    records = [
        {**as_record(event), "seconds": 0.0} if isinstance(event, ModelFinished) else as_record(event)
        for event in events
    ]
    common = {"model": "script", "agent": "agent", "run": run}
    assert records == [
        {"event": "model_started", "call": first, **common, "turn": 1},
        {"event": "model_said", "call": first, "text": "I"},
        {"event": "model_said", "call": first, "text": " shall"},
        {"event": "model_said", "call": first, "text": " see."},
        {"event": "model_chose", "call": first, "tool": "double"},
        {"event": "model_finished", "call": first, **common, "turn": 1, "outcome": "success", "text": "I shall see.", "calls": 1, "cut": False, "input_tokens": 10, "output_tokens": 4, "cost": 0.5, "error": None, "seconds": 0.0},
        {"event": "model_started", "call": second, **common, "turn": 2},
        {"event": "model_said", "call": second, "text": "It"},
        {"event": "model_said", "call": second, "text": " is"},
        {"event": "model_said", "call": second, "text": " 42."},
        {"event": "model_finished", "call": second, **common, "turn": 2, "outcome": "success", "text": "It is 42.", "calls": 0, "cut": False, "input_tokens": 0, "output_tokens": 0, "cost": None, "error": None, "seconds": 0.0},
    ]  # fmt: skip


def test_model_that_cannot_stream_is_told_all_at_once():
    _, events = model_events(Mute(), tools=[double])
    assert [event.text for event in events if isinstance(event, ModelSaid)] == ["good morning", "42"]
    assert [event.tool for event in events if isinstance(event, ModelChose)] == ["double"]
    assert not isinstance(Mute(), StreamingModel)


def test_where_nobody_listens_a_model_is_asked_and_not_made_to_stream():
    class Silent(Mute):
        async def stream(self, messages, tools, tell):
            raise AssertionError

    assert asyncio.run(run_agent(Silent(), "go", [double])).text == "42"


def test_reply_that_breaks_off_has_a_finish_and_stays_in_the_transcript():
    said = Transcript()
    with pytest.raises(ModelError, match="no more breath"):
        model_events(Breaking(ModelError("no more breath")), transcript=said)
    assert said.messages == (UserMessage("go"), ModelReply("once upon a time", cut=True))


def test_reply_that_a_signal_ends_is_told_as_ended_by_one():
    events: list[object] = []
    context = ToolContext(listener=events.append)
    with pytest.raises(BudgetExceeded):
        asyncio.run(run_agent(Breaking(BudgetExceeded("tokens", 1, 2)), "go", context=context))
    assert [event.outcome for event in events if isinstance(event, ModelFinished)] == ["signal"]


def test_agent_that_is_cancelled_in_the_middle_of_a_reply_keeps_what_was_said():
    said = Transcript()

    async def cancel_when_it_speaks():
        model = Endless()
        context = ToolContext(listener=lambda event: None)
        work = asyncio.ensure_future(run_agent(model, "go", transcript=said, context=context))
        await model.has_spoken.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(cancel_when_it_speaks())
    assert said.messages == (UserMessage("go"), ModelReply("well", cut=True))


def test_agent_that_is_cancelled_in_the_middle_of_a_call_leaves_no_call_without_a_result():
    said = Transcript()

    async def cancel_while_it_waits():
        begun = asyncio.Event()

        @tool(read_only=True)
        async def wait() -> str:
            """Wait for ever."""
            begun.set()
            await asyncio.Event().wait()
            return ""

        script = ScriptedModel([[ToolCall("wait", "{}", "c1"), ToolCall("wait", "{}", "c2")]])
        work = asyncio.ensure_future(run_agent(script, "go", [wait], transcript=said))
        await begun.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(cancel_while_it_waits())
    assert [message.as_record() for message in said.messages][2:] == [
        {"role": "tool", "tool": "wait", "id": "c1", "text": "Ended: interrupted", "failed": True},
        {"role": "tool", "tool": "wait", "id": "c2", "text": "Ended: interrupted", "failed": True},
    ]


def test_priced_model_streams_as_the_model_does_and_its_cost_counts_for_the_budget():
    script = ScriptedModel([ModelReply("dear words", (DOUBLE,), Usage(1_000_000, 0)), "42"], "dear")
    run = Run(budget=Budget(cost=3.0))
    pieces: list[object] = []
    model = PricedModel(script, Price(input=3.0))
    reply = asyncio.run(streamed(model, [], [], pieces.append))
    assert (model.name, pieces, reply.usage.cost) == ("dear", ["dear", " words", DOUBLE], 3.0)
    with pytest.raises(BudgetExceeded, match=r"the budget is used up: \$3"):
        asyncio.run(run_agent(model, "go", [double], context=ToolContext(run=run)))
    assert [use.cost for use in run.uses] == [3.0]
