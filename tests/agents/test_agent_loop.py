"""The loop: turns, calls side by side, what does not exist, what returns, what is revealed, and what ends it."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from toolkit import (
    ConfigurationError,
    Continue,
    ExitEarly,
    ExitEarlyError,
    Pipeline,
    Reject,
    ToolCall,
    ToolContext,
    ToolResult,
    from_function,
    load_tools,
    resolve_tools,
    tool,
    toolbox,
)
from toolkit.agents import (
    AgentError,
    AgentTool,
    Limits,
    ModelError,
    ModelReply,
    ScriptedModel,
    SystemMessage,
    ToolMessage,
    Transcript,
    Usage,
    UserMessage,
    run_agent,
)
from toolkit.approvals import AutoReviewer, ScriptedReviewer
from toolkit.errors import BudgetExceeded, ReplanRequested, TerminationRequested
from toolkit.events import ApprovalDecided, StepFinished, StepStarted, ToolFinished
from toolkit.runs import Budget, Run


@tool(read_only=True)
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@tool(read_only=True)
def fail() -> str:
    """Fail."""
    message = "the well is dry"
    raise ValueError(message)


@tool(read_only=True, return_behavior="immediate")
def deliver(text: str) -> str:
    """Deliver a text to the user."""
    return f"delivered {text}"


@tool(read_only=True, return_behavior="immediate_if_last")
def close(text: str) -> str:
    """Close with a text."""
    return f"closed with {text}"


@tool
def erase(path: str) -> str:
    """Erase a file."""
    return f"erased {path}"


def call(name, **arguments):
    import json

    return ToolCall(name, json.dumps(arguments))


def run(turns, tools=(double, fail, deliver, close), **options):
    options.setdefault("transcript", Transcript())
    return asyncio.run(run_agent(ScriptedModel(turns), "go", tools, **options))


def texts(transcript):
    return [message.text for message in transcript.messages if isinstance(message, ToolMessage)]


def test_answer_follows_the_results_that_the_model_was_shown():
    result = run([call("double", number=21), "It is {double}."])
    assert (result.text, result.ending, result.turns) == ("It is 42.", "answered", 2)
    assert result.transcript.as_record() == [
        {"role": "user", "text": "go"},
        {
            "role": "model",
            "text": "",
            "calls": [{"name": "double", "arguments": '{"number": 21}', "id": None}],
            "usage": {"input_tokens": 0, "output_tokens": 0, "cost": None},
        },
        {"role": "tool", "tool": "double", "id": None, "text": "42", "failed": False},
        {
            "role": "model",
            "text": "It is 42.",
            "calls": [],
            "usage": {"input_tokens": 0, "output_tokens": 0, "cost": None},
        },
    ]


def test_calls_of_a_turn_run_side_by_side_and_their_results_stand_in_the_order_of_the_calls():
    met = asyncio.Event()

    @tool(read_only=True)
    async def wait() -> str:
        """Wait for the other one."""
        await asyncio.wait_for(met.wait(), 10)
        return "waited"

    @tool(read_only=True)
    async def meet() -> str:
        """Let the other one go on."""
        met.set()
        return "met"

    result = run([[call("wait"), call("meet")], "done"], [wait, meet])
    assert texts(result.transcript) == ["waited", "met"]


def test_two_calls_that_are_alike_have_a_result_each():
    numbers = iter((1, 2))

    @tool(read_only=True)
    async def draw() -> int:
        """Draw a number."""
        return next(numbers)

    assert texts(run([[call("draw"), call("draw")], "done"], [draw]).transcript) == ["1", "2"]


def test_failed_call_is_text_that_the_model_sees():
    result = run([[call("fail"), call("double", number="x")], "I gave up"])
    first, second = texts(result.transcript)
    assert first == "Error: the well is dry"
    assert second.startswith("Error: ")
    assert "number" in second
    assert result.text == "I gave up"


def test_loop_asks_the_model_exactly_as_often_as_it_may():
    asked = []

    def again(messages, tools):
        asked.append(len(messages))
        return call("double", number=1)

    with pytest.raises(AgentError, match="used up its 3 requests"):
        run([again] * 9, limits=Limits(turns=3))
    assert len(asked) == 3


def test_at_the_limit_the_model_may_answer_once_more_with_what_it_has():
    offered = []

    def last(messages, tools):
        offered.append(([tool.name for tool in tools], messages[-1].text))
        return "about two"

    calling = [call("double", number=1)] * 2
    result = run([*calling, last], limits=Limits(turns=2, last_answer=True))
    assert (result.text, result.turns) == ("about two", 3)
    wish = "Your requests are used up, and no tool can be called any more. Answer now with what you have."
    assert offered == [([], wish)]


@pytest.mark.parametrize("reply", [call("double", number=1), ""])
def test_what_is_no_answer_at_the_limit_ends_the_agent(reply):
    with pytest.raises(AgentError, match="used up its one request"):
        run([call("double", number=1), reply, "too late"], limits=Limits(turns=1, last_answer=True))


def test_answer_in_the_last_turn_is_an_answer():
    assert run([call("double", number=1), "done"], limits=Limits(turns=2)).text == "done"


def test_unknown_name_is_answered_with_the_nearest_and_the_list():
    result = run([call("doubel", number=1), "done"])
    assert texts(result.transcript) == [
        (
            "Error: the tool 'doubel' does not exist. Did you mean 'double'? Available tools: close, deliver, double, fail. "
            "Use the exact name of one."
        )
    ]


def test_three_unknown_names_in_a_row_are_forgiven_and_a_known_one_forgives_all():
    unknown = call("nothing")
    assert run([unknown, unknown, unknown, call("double", number=1), unknown, unknown, unknown, "done"]).text == "done"
    with pytest.raises(AgentError, match="do not exist 4 times in a row, most recently 'nothing'"):
        run([unknown] * 4)


@pytest.mark.parametrize(
    ("calls", "ending", "text"),
    [
        ([call("deliver", text="a")], "returned", "delivered a"),
        ([call("deliver", text="a"), call("close", text="b")], "returned", "delivered a\nclosed with b"),
        ([call("double", number=1), call("close", text="b")], "returned", "closed with b"),
        ([call("double", number=1), call("deliver", text="a")], "answered", "done"),
        ([call("close", text="b"), call("double", number=1)], "answered", "done"),
        ([call("deliver"), call("close", text="b")], "answered", "done"),
    ],
)
def test_results_go_to_the_caller_where_all_calls_or_the_last_one_say_so_and_none_failed(calls, ending, text):
    result = run([calls, "done"])
    assert (result.ending, result.text) == (ending, text)


def test_long_result_is_cut_for_the_model_alone():
    @tool(read_only=True)
    def tell() -> str:
        """Tell much."""
        return "0123456789"

    result = run([call("tell"), "done"], [tell], limits=Limits(result=4))
    assert texts(result.transcript) == ["0123... [truncated, full length: 10 characters]"]
    assert result.run.calls[0].output == "0123456789"


def test_many_calls_of_a_turn_run_side_by_side_only_as_far_as_the_limit_goes():
    under_way: list[int] = []
    most = []

    @tool(read_only=True)
    async def work(number: int) -> str:
        """Work for a moment."""
        under_way.append(number)
        most.append(len(under_way))
        await asyncio.sleep(0)
        under_way.remove(number)
        return "done"

    calls = [call("work", number=number) for number in range(9)]
    result = run([calls, "done"], [work], limits=Limits(at_once=3))
    assert (max(most), result.run.counts) == (3, {"work": 9})


def test_empty_answer_is_asked_for_once_more():
    result = run(["", "now I speak"])
    assert (result.text, result.turns) == ("now I speak", 2)
    assert run(["", ""]).text == ""


def test_empty_answer_after_work_was_done_is_asked_for_once_more_too():
    assert run(["", call("double", number=4), "", "{double}"]).text == "8"


def test_reply_that_is_none_is_the_failure_of_the_model():
    class Silent:
        name = "silent"

        async def request(self, messages, tools):
            return None

    for context in (ToolContext(), ToolContext(listener=lambda event: None)):
        with pytest.raises(
            ModelError, match="'silent' failed: TypeError: its reply is of type NoneType, not a ModelReply"
        ):
            asyncio.run(run_agent(Silent(), "go", context=context))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("chat:qwen3", "an object of type 'str' is not a model; open_model('chat:qwen3') opens it"),
        (None, "an object of type 'NoneType' is not a model; a model has a name and a method request"),
    ],
)
def test_something_that_is_not_a_model_is_a_mistake(model, message):
    with pytest.raises(TypeError) as caught:
        asyncio.run(run_agent(model, "go"))
    assert str(caught.value) == message
    with pytest.raises(TypeError) as caught:
        AgentTool("helper", "Helps.", model)
    assert str(caught.value) == message


def test_agent_takes_tools_by_name():
    model = ScriptedModel([ToolCall("double", '{"number": 21}'), "{double}"])
    assert asyncio.run(run_agent(model, "go", resolve_tools([double]))).text == "42"


def test_model_that_calls_a_tool_without_having_any_is_informed():
    result = asyncio.run(run_agent(ScriptedModel([ToolCall("double"), "{double}"]), "go"))
    assert result.text == "Error: the tool 'double' does not exist. No tools are available."


def test_conversation_is_had_by_one_agent_at_a_time():
    async def reply(messages, tools):
        await asyncio.sleep(0)
        return f"heard {messages[-1].text}"

    said = Transcript()
    chatty = AgentTool("chatty", "Chats.", ScriptedModel(reply), read_only=True, transcript=said)
    both = [call("chatty", task="one"), call("chatty", task="two")]
    result = run([both, call("chatty", task="three"), "done"], [chatty])
    assert texts(result.transcript) == [
        "heard one",
        "Error: this conversation is already running; call again when it has finished",
        "heard three",
    ]
    assert [message.text for message in said.messages[1:]] == ["one", "heard one", "three", "heard three"]


def test_conversation_that_was_left_in_the_middle_of_its_calls_goes_on_with_results_for_all():
    said = Transcript([UserMessage("go"), ModelReply(calls=(call("double", number=1), call("double", number=2)))])
    said.add(ToolMessage(said.messages[-1].calls[0], "2"))
    asyncio.run(run_agent(ScriptedModel(["", "done"]), "go on", [double], transcript=said))
    assert texts(said) == ["2", "Ended: interrupted"]
    assert [type(message).__name__ for message in said.messages[-3:]] == ["ToolMessage", "UserMessage", "ModelReply"]


def test_what_was_done_beside_a_call_that_was_interrupted_is_known_afterwards():
    said, written = Transcript(), asyncio.Event()
    work: asyncio.Future[Any] | None = None

    @tool(read_only=True)
    async def leave() -> str:
        """Cancel the agent when the other call has ended, and wait."""
        await written.wait()
        work.cancel()
        await asyncio.Event().wait()
        return "never"

    @tool(read_only=True)
    async def write() -> str:
        """Write a letter."""
        written.set()
        return "written"

    async def interrupted():
        nonlocal work
        script = ScriptedModel([[call("leave"), call("write")], "{write}"])
        work = asyncio.ensure_future(run_agent(script, "go", [leave, write], transcript=said))
        with pytest.raises(asyncio.CancelledError):
            await work
        return await run_agent(script, "go on", [leave, write], transcript=said)

    assert asyncio.run(interrupted()).text == "written"
    assert texts(said) == ["Ended: interrupted", "written"]


def test_question_from_an_agent_within_an_agent_tells_the_whole_way_there():
    reviewer = ScriptedReviewer([Continue()])
    inner = AgentTool("inner", "Erases.", ScriptedModel([call("erase", path="a"), "ok"]), [erase], read_only=True)
    outer = AgentTool("outer", "Delegates.", ScriptedModel([call("inner", task="go"), "ok"]), [inner])
    Pipeline.of(outer, name="tidy").run({"input": "go"}, ToolContext(reviewer=reviewer))
    assert [request.place for request in reviewer.requests] == [
        "turn 1/20 · agent inner · turn 1/20 · agent outer · step 1/1 · pipeline tidy"
    ]


def test_what_a_model_chose_is_asked_about_unless_it_is_read_only():
    reviewer = ScriptedReviewer([Continue(), Reject("not that one")])
    turns = [call("erase", path="a"), call("erase", path="b"), call("double", number=1), "done"]
    result = run(turns, [erase, double], context=ToolContext(reviewer=reviewer))
    assert [request.asked_by for request in reviewer.requests] == ["a model chose it", "a model chose it"]
    assert reviewer.requests[0].place == "turn 1/20 · agent"
    assert texts(result.transcript) == ["erased a", "Error: Rejected by reviewer: not that one", "2"]


def test_with_nobody_to_ask_a_call_that_must_be_asked_about_ends_the_agent():
    with pytest.raises(ConfigurationError, match="'erase' requires approval, but there is no reviewer"):
        run([call("erase", path="a"), "done"], [erase])


def test_reviewer_ends_everything_and_the_transcript_is_there():
    said = Transcript()
    context = ToolContext(reviewer=ScriptedReviewer([ExitEarly("enough")]))
    with pytest.raises(ExitEarlyError, match="enough"):
        run([[call("double", number=4), call("erase", path="a")]], [erase, double], context=context, transcript=said)
    assert texts(said) == ["8", "Ended: enough"]


def raising(signal):
    @tool(name="signal", read_only=True)
    def raise_it() -> str:
        """Raise."""
        raise signal

    return raise_it


def test_wish_for_another_plan_ends_the_loop_and_what_it_knows_is_on_the_blackboard():
    signal = raising(ReplanRequested("it is a bug report", artifacts=["crash"], bindings={"kind": "bug"}))
    result = run([call("signal"), "never"], [signal])
    assert (result.ending, result.text, result.turns) == ("replan", "it is a bug report", 1)
    assert result.run.blackboard.get("kind") == "bug"
    assert "crash" in result.run.blackboard.all(str)


def test_tool_that_terminates_the_loop_ends_it_and_one_that_terminates_the_run_ends_both():
    loop = run([call("signal"), "never"], [raising(TerminationRequested("asked to stop", "loop"))])
    assert (loop.ending, loop.text, loop.run.status) == ("terminated", "asked to stop", "terminated")
    alone = run([call("signal"), "never"], [raising(TerminationRequested("all of it"))])
    assert (alone.ending, alone.text) == ("terminated", "all of it")
    with pytest.raises(TerminationRequested, match="all of it"):
        run([call("signal")], [raising(TerminationRequested("all of it"))], context=ToolContext(run=Run()))


def test_of_several_signals_the_one_that_ends_the_most_counts():
    plan = raising(ReplanRequested("another plan"))

    @tool(read_only=True)
    def stop() -> str:
        """Stop."""
        message = "stop"
        raise TerminationRequested(message, "loop")

    assert run([[call("signal"), call("stop")]], [plan, stop]).ending == "terminated"


def test_use_of_the_model_is_summed_and_counts_for_the_budget_of_the_run():
    turns = [
        ModelReply(calls=(call("double", number=1),), usage=Usage(10, 2, 0.5)),
        ModelReply("done", usage=Usage(20, 3, 0.25)),
    ]
    outer = Run()
    result = run(turns, context=ToolContext(run=outer))
    assert result.usage == Usage(30, 5, 0.75)
    assert [use.tokens for use in outer.uses] == [12, 23]
    assert [(record.tool, record.chosen_by) for record in outer.calls] == [("double", "model")]
    with pytest.raises(BudgetExceeded, match="12 of 5 tokens"):
        run(turns, context=ToolContext(run=Run(budget=Budget(tokens=5))), tools=[double])


@toolbox(name="stock", description="All about the stock.")
class Stock:
    @tool(read_only=True)
    def count(self, item: str) -> int:
        """Count an item."""
        return len(item)


@toolbox(name="vault", description="The vault.", exclusive=True)
class Vault:
    @tool(read_only=True)
    def gold(self) -> int:
        """Weigh the gold."""
        return 7


def offered(into):
    def look(answer):
        def turn(messages, tools):
            into.append(sorted(spec.name for spec in tools))
            return answer

        return turn

    return look


def test_tools_behind_a_facade_join_and_those_of_an_exclusive_one_replace_the_others():
    seen: list = []
    look = offered(seen)
    turns = [look(call("stock")), look(call("count", item="bolt")), look(call("vault")), look("done")]
    result = run(turns, [Stock(), Vault(), double])
    assert texts(result.transcript)[1] == "4"
    assert seen[0] == ["double", "stock", "vault"]
    assert seen[1] == ["count", "double", "stock", "stock_context", "vault"]
    assert seen[3] == ["gold", "vault", "vault_context"]


@dataclass
class Weather:
    city: str
    degrees: int


def test_answer_comes_in_the_type_that_was_wanted_and_one_that_does_not_fit_is_asked_for_again():
    result = run(['{"city": "Oslo"}', '```json\n{"city": "Oslo", "degrees": 4}\n```'], output_type=Weather)
    assert result.output == Weather("Oslo", 4)
    first, _, _, objection, _ = result.transcript.messages
    assert isinstance(first, SystemMessage)
    assert '"degrees"' in first.text
    assert isinstance(objection, UserMessage)
    assert "degrees" in objection.text


def test_tool_may_return_the_wanted_type_to_the_caller():
    @tool(read_only=True, return_behavior="immediate")
    def measure() -> Weather:
        """Measure."""
        return Weather("Oslo", 4)

    assert run([call("measure")], [measure], output_type=Weather).output == Weather("Oslo", 4)
    with pytest.raises(AgentError, match="what the tool returned does not fit Weather"):
        run([call("deliver", text="x")], output_type=Weather)


def test_instructions_are_made_of_the_context_and_said_once():
    context = ToolContext({"tone": "kind"})
    said = Transcript()
    for _ in range(2):
        run(["a", "b"], context=context, instructions=lambda context, task: f"Be {context['tone']}.", transcript=said)
    assert [message.text for message in said.messages] == ["Be kind.", "go", "a", "go", "b"]


def test_model_that_fails_is_told_as_a_failure_of_the_model():
    def broken(messages, tools):
        message = "no route"
        raise OSError(message)

    with pytest.raises(ModelError, match="the model 'scripted' failed: OSError: no route"):
        run([broken])
    with pytest.raises(ModelError, match="the script of 'scripted' has only 1 turn, but"):
        run([call("double", number=1)])


def test_calls_are_steps_with_the_turn_as_their_place():
    events: list = []
    run([call("double", number=1), [call("fail")], "done"], context=ToolContext(listener=events.append))
    told = [
        (type(event).__name__, event.path, event.position, event.of, getattr(event, "status", ""))
        for event in events
        if isinstance(event, StepStarted | StepFinished)
    ]
    assert told == [
        ("StepStarted", "double", 1, 20, ""),
        ("StepFinished", "double", 1, 20, "ok"),
        ("StepStarted", "fail", 2, 20, ""),
        ("StepFinished", "fail", 2, 20, "failed"),
    ]


def test_agent_is_a_tool_and_a_step_of_a_pipeline():
    agent = AgentTool("doubler", "Doubles.", ScriptedModel([call("double", number=21), "{double}"]), [double])
    assert agent.run({"task": "double 21"}) == ToolResult("42")
    calculator = load_tools("builtin")["calculator"]
    assert Pipeline.of(agent, calculator).run({"task": "double 21"}).output == "42"


def test_agent_as_a_tool_counts_in_the_run_of_its_caller_and_fails_as_a_tool_does():
    outer = Run()
    agent = AgentTool("doubler", "Doubles.", ScriptedModel([call("double", number=1)]), [double])
    result = agent.run({"task": "go"}, ToolContext(run=outer))
    assert (result.error_code, [record.tool for record in outer.calls]) == ("model", ["double", "doubler"])


def test_agent_as_a_tool_of_another_agent_asks_whoever_its_caller_asks():
    reviewer = ScriptedReviewer([Continue(), Continue()])
    inner = AgentTool("cleaner", "Cleans.", ScriptedModel([call("erase", path="a"), "clean"]), [erase])
    result = run([call("cleaner", task="clean"), "{cleaner}"], [inner], context=ToolContext(reviewer=reviewer))
    assert result.text == "clean"
    assert [request.risk.tool for request in reviewer.requests] == ["cleaner", "erase"]


def test_limits_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="at least one turn"):
        Limits(turns=0)
    with pytest.raises(ValueError, match="must not be negative"):
        Limits(result=-1)


def test_an_agent_that_was_told_to_end_leaves_the_run_round_it():
    @tool(read_only=True)
    def enough(context: ToolContext) -> str:
        """Say that it is enough."""
        context.run.terminate("enough was found")
        return "said"

    outer = Run()
    result = run([call("enough"), "never said"], [enough], context=ToolContext(run=outer))
    assert (result.ending, result.text, result.run.status) == ("terminated", "enough was found", "terminated")
    outer.check()


def test_waiting_for_a_person_is_no_work_of_the_step():
    events = []
    inner = AgentTool("inner", "Erases.", ScriptedModel([call("erase", path="a"), "ok"]), [erase])
    context = ToolContext(reviewer=AutoReviewer(0.2), listener=events.append)
    run([call("inner", task="go"), "ok"], [inner], context=context)
    steps = {event.path: event for event in events if isinstance(event, StepFinished)}
    calls = {event.tool: event for event in events if isinstance(event, ToolFinished)}
    waited = min(event.seconds for event in events if isinstance(event, ApprovalDecided))
    assert {path: step.asked for path, step in steps.items()} == {"erase": 1, "inner": 2}
    assert all(step.seconds - calls[path].seconds < waited for path, step in steps.items())


def test_each_specification_that_a_model_is_sent_is_a_record_at_the_level_trace(caplog):
    @tool(read_only=True)
    def shout(text: str) -> str:
        """Say it loudly."""
        return text.upper()

    with caplog.at_level(5, "toolkit"):
        asyncio.run(run_agent(ScriptedModel([ToolCall("shout", '{"text": "a"}'), "done"]), "go", [shout]))
    sent = json.dumps(from_function(shout).spec.definition)
    traced = [(each.name, each.message) for each in caplog.records if each.levelno == 5]
    assert traced == [("toolkit.tools.shout", f"shout: specification sent to the model: {sent}")] * 2
