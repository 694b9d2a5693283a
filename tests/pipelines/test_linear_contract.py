"""The linear chain: what each step receives, what ends it, what it returns, and what is recorded."""

import logging
from dataclasses import dataclass

import pytest

from toolkit import (
    ConfigurationError,
    Continue,
    ErrorStrategy,
    ExitEarlyError,
    InvalidPipeline,
    Pipeline,
    ToolContext,
    ToolExecutionError,
    ToolResult,
    TypedTool,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.tools import RecordingMetrics, TextTool


class Say(TextTool):
    """A text tool that keeps what it was given and says what it was told to say."""

    def __init__(self, name, say=lambda text: text):
        self.name = name
        self.description = f"Says {name}."
        self.say = say
        self.heard = []

    def execute(self, text):
        self.heard.append(text)
        return self.say(text)


@dataclass
class Size:
    width: int
    height: int


class Area(TypedTool[Size]):
    name = "area"
    description = "Measures."

    def execute(self, size: Size) -> int:
        return size.width * size.height


class Plain:
    """An object that knows nothing of tools."""

    def __init__(self, name, say=lambda text: text):
        self.name = name
        self.description = f"Says {name}."
        self.say = say

    def execute(self, text):
        return self.say(text)


def raising(error):
    def say(text):
        raise error

    return say


def failing(message, code=None):
    return lambda text: ToolResult.failure(message, code)


def chain(*steps, strategy=ErrorStrategy.FAIL_FAST):
    builder = Pipeline.builder().name("chain").description("A chain.").error_strategy(strategy)
    for step in steps:
        if isinstance(step, TextTool | TypedTool | Pipeline | Plain):
            builder.step(step)
        else:
            builder.adapter(step)
    return builder.build()


CONTINUE = ErrorStrategy.CONTINUE_ON_FAILURE
both_strategies = pytest.mark.parametrize("strategy", list(ErrorStrategy))


# ------------------------------------------------------------------------------------------------------------ handoff


def test_each_step_receives_the_output_of_the_one_before():
    second, third = Say("second", str.upper), Say("third", lambda text: f"<{text}>")
    result = chain(Say("first", lambda text: f"{text}!"), second, third).run("hello")
    assert result == ToolResult("<HELLO!>")
    assert (second.heard, third.heard) == (["hello!"], ["HELLO!"])


def test_text_that_looks_like_arguments_is_handed_on_as_it_is():
    second = Say("second")
    chain(Say("first"), second).run({"input": '{"input": "inner"}'})
    assert second.heard == ['{"input": "inner"}']


def test_no_steps_return_the_input():
    assert chain().run("hello") == ToolResult("hello")
    assert chain().run("") == ToolResult("")


def test_the_input_of_a_model_stands_under_input():
    first = Say("first")
    chain(first).run('{"input": "hello"}')
    chain(first).run("not JSON")
    chain(first).run({"input": None})
    assert first.heard == ["hello", "not JSON", '{"input":null}']


def test_nothing_returned_is_empty_text():
    second = Say("second")
    assert chain(Say("first", lambda text: None), second).run("x") == ToolResult("")
    assert second.heard == [""]


def test_the_same_tool_may_stand_twice():
    twice = Say("double", lambda text: text * 2)
    pipeline = chain(twice, twice)
    assert pipeline.run("ab").output == "abababab"
    assert pipeline.steps == (twice, twice)


def test_structured_data_is_not_handed_on_but_the_last_steps_is_the_result():
    def data(text):
        return ToolResult.success(f"{text}.", structured={"text": text})

    last = Say("last", data)
    result = chain(Say("first", data), last).run("a")
    assert last.heard == ["a."]
    assert result.structured == {"text": "a."}
    assert chain(last, Say("plain")).run("a").structured is None


def test_one_specification_with_the_single_text_input_even_if_the_first_step_is_typed():
    pipeline = Pipeline.of(Area(), Say("last"))
    assert pipeline.spec.definition["parameters"] == {
        "type": "object",
        "properties": {"input": {"type": "string", "description": "The input to pass to the tool"}},
        "required": ["input"],
    }


def test_a_typed_step_takes_the_text_as_its_json_arguments():
    pipeline = chain(Say("first"), Area(), Say("last", lambda text: f"{text} m2"))
    assert pipeline.run({"input": '{"width": 3, "height": "4"}'}).output == "12 m2"
    assert pipeline.run({"input": '{"width": 3}'}).error == "Missing required parameter(s): height"


# ----------------------------------------------------------------------------------------------------------- adapters


def test_an_adapter_reshapes_what_the_next_step_receives_and_sees_the_whole_result():
    seen = []

    def adapter(result):
        seen.append(result)
        return f"total={result.structured['total']}"

    first = Say("first", lambda text: ToolResult.success("full text", structured={"total": 3}))
    second = Say("second")
    assert chain(first, adapter, second).run("x").output == "total=3"
    assert seen == [ToolResult.success("full text", structured={"total": 3})]
    assert second.heard == ["total=3"]


def test_an_adapter_is_not_called_after_a_failure():
    seen = []
    second = Say("second")
    chain(Say("first", failing("no luck")), seen.append, second, strategy=CONTINUE).run("x")
    assert seen == []
    assert second.heard == ["no luck"]


@both_strategies
def test_the_adapter_of_the_last_step_is_never_called(strategy):
    assert chain(Say("only"), raising(ValueError("never")), strategy=strategy).run("x") == ToolResult("x")


def test_a_second_adapter_replaces_the_first():
    pipeline = chain(Say("first"), lambda result: "one", lambda result: "two", Say("second"))
    assert pipeline.run("x").output == "two"


def test_an_adapter_that_returns_nothing_hands_on_empty_text():
    second = Say("second")
    chain(Say("first"), lambda result: None, second).run("x")
    assert second.heard == [""]


def test_an_adapter_that_raises_fails_its_step():
    second = Say("second")
    adapter = raising(ValueError("bad shape"))
    metrics = RecordingMetrics()
    result = chain(Say("first"), adapter, second).run("x", ToolContext(metrics=metrics))
    assert result == ToolResult.failure("bad shape", "error")
    assert second.heard == []
    assert metrics.operations()[::2] == [("success", "first"), ("failure", "chain")]


def test_an_adapter_that_raises_obeys_the_strategy():
    second = Say("second")
    result = chain(Say("first"), raising(ValueError("bad shape")), second, strategy=CONTINUE).run("x")
    assert result == ToolResult("bad shape")


# ------------------------------------------------------------------------------------------------------------ failures


def test_fail_fast_returns_the_failing_steps_own_result():
    failure = ToolResult.failure("no luck", "E7")
    third = Say("third")
    assert chain(Say("first"), Say("second", lambda text: failure), third).run("x") is failure
    assert third.heard == []


def test_continue_hands_on_the_message_and_returns_the_last_result():
    second = Say("second", lambda text: f"seen: {text}")
    assert chain(Say("first", failing("no luck")), second, strategy=CONTINUE).run("x") == ToolResult("seen: no luck")


def test_continue_hands_on_an_empty_message():
    second = Say("second")
    chain(Say("first", failing("")), second, strategy=CONTINUE).run("x")
    assert second.heard == [""]


def test_continue_returns_the_last_failure_when_all_fail():
    result = chain(Say("a", failing("one")), Say("b", failing("two", 7)), strategy=CONTINUE).run("x")
    assert result == ToolResult.failure("two", 7)


def test_fail_fast_is_the_default():
    assert Pipeline.of(Say("a")).error_strategy is ErrorStrategy.FAIL_FAST


def test_an_exception_of_a_tool_is_a_failure_with_its_bare_message():
    result = chain(Say("first", raising(RuntimeError("it broke"))), Say("second")).run("x")
    assert result == ToolResult.failure("it broke", "error")
    assert chain(Say("first", raising(ToolExecutionError("busy", "E9")))).run("x") == ToolResult.failure("busy", "E9")


def test_an_exception_of_a_plain_object_names_the_step():
    result = chain(Plain("first", raising(RuntimeError("it broke"))), Say("second")).run("x")
    assert result == ToolResult.failure("Step 'first' threw: it broke", "error")


def test_an_exception_of_a_plain_object_without_a_message():
    result = chain(Plain("first", raising(RuntimeError()))).run("x")
    assert result == ToolResult.failure("Step 'first' threw: RuntimeError", "error")


@both_strategies
@pytest.mark.parametrize("signal", [ExitEarlyError("enough"), ConfigurationError("not set up")])
def test_signals_leave_at_once_under_both_strategies(strategy, signal):
    after = Say("after")
    metrics = RecordingMetrics()
    pipeline = chain(Say("first"), Say("second", raising(signal)), after, strategy=strategy)
    with pytest.raises(type(signal)) as raised:
        pipeline.run("x", ToolContext(metrics=metrics))
    assert raised.value is signal
    assert after.heard == []
    assert metrics.operations() == [("success", "first"), ("duration", "first")]


def test_a_run_that_is_ended_keeps_what_was_done():
    ended = ExitEarlyError("enough")
    with pytest.raises(ExitEarlyError):
        chain(Say("first", str.upper), Say("second", raising(ended))).run("x")
    assert ended.outputs == {"first": "X"}


# ------------------------------------------------------------------------------------------------- context and metrics


def test_each_step_is_recorded_and_then_the_pipeline_under_the_same_role():
    metrics = RecordingMetrics()
    chain(Say("a"), Say("b", failing("no"))).run("x", ToolContext(metrics=metrics, agent="researcher"))
    assert [(record.operation, record.tool, record.agent) for record in metrics.records] == [
        ("success", "a", "researcher"),
        ("duration", "a", "researcher"),
        ("failure", "b", "researcher"),
        ("duration", "b", "researcher"),
        ("failure", "chain", "researcher"),
        ("duration", "chain", "researcher"),
    ]


def test_every_step_of_nested_pipelines_gets_the_values_of_the_context():
    seen = []

    class Ask(TextTool):
        name = "ask"
        description = "Looks at the context."

        def execute(self, text, context):
            seen.append((context["tenant"], context.chosen_by, context.logger.name))
            return text

    pipeline = Pipeline.of(Ask(), Pipeline.of(Ask(), name="inner", description="Inner."))
    pipeline.run("x", ToolContext({"tenant": "acme"}, chosen_by="person"))
    assert seen == [("acme", "person", "toolkit.tools.ask")] * 2


def test_a_pipeline_that_a_model_chose_runs_steps_that_a_person_chose():
    reviewer = ScriptedReviewer([Continue()])
    pipeline = Pipeline.of(Say("a"), Say("b"))
    assert pipeline.run("x", ToolContext(reviewer=reviewer, chosen_by="model")).output == "x"
    assert [request.risk.tool for request in reviewer.requests] == ["a_then_b"]


def test_a_failed_step_is_logged_under_its_own_name(caplog):
    with caplog.at_level(logging.WARNING):
        chain(Say("a"), Say("b", failing("no"))).run("x")
    assert [record.name for record in caplog.records] == ["toolkit.tools.b", "toolkit.tools.chain"]


# ------------------------------------------------------------------------------------------------ names and inspection


def test_the_name_and_the_description_tell_the_steps():
    pipeline = Pipeline.of(Say("json_parser"), Say("calculator"), Say("printer"))
    assert pipeline.name == "json_parser_then_calculator_then_printer"
    assert pipeline.description == "Pipeline: json_parser -> calculator -> printer"


def test_one_step_is_enough():
    pipeline = Pipeline.of(Say("only"))
    assert (pipeline.name, pipeline.description) == ("only", "Pipeline: only")


def test_a_given_name_and_description_hold():
    pipeline = Pipeline.of(Say("a"), Say("b"), name="both", description="Does both.")
    assert (pipeline.name, pipeline.description) == ("both", "Does both.")


def test_steps_and_strategy_can_be_looked_at_and_not_changed():
    first, second = Say("a"), Say("b")
    pipeline = chain(first, second, strategy=CONTINUE)
    assert pipeline.steps == (first, second)
    assert isinstance(pipeline.steps, tuple)
    assert pipeline.error_strategy is CONTINUE


def test_a_chain_of_plain_functions_needs_no_event_loop_and_an_async_one_does():
    class Later(TextTool):
        name = "later"
        description = "Comes later."

        async def execute(self, text):
            return text

    assert not Pipeline.of(Say("a"), Say("b")).suspends
    assert Pipeline.of(Say("a"), Later()).suspends
    assert Pipeline.of(Say("a"), Later()).run("x").output == "x"


# ------------------------------------------------------------------------------------------------------ what is refused


def refused(make):
    with pytest.raises(InvalidPipeline) as raised:
        make()
    return [problem.message for problem in raised.value.problems]


def test_blank_names_and_descriptions_are_refused_together():
    assert refused(lambda: Pipeline.of(Say("a"), name=" ", description="")) == [
        "Pipeline name must not be blank",
        "Pipeline description must not be blank",
    ]
    assert refused(lambda: Pipeline.builder().step(Say("a")).build()) == [
        "Pipeline name must not be blank",
        "Pipeline description must not be blank",
    ]


def test_an_illegal_name_is_refused():
    assert refused(lambda: Pipeline.of(Say("a"), name="a.b", description="x")) == [
        "invalid tool name 'a.b': only letters, digits, underscores and hyphens are allowed"
    ]


def test_a_chain_without_a_first_step_is_refused():
    assert refused(Pipeline.of) == ["first step must not be None"]
    assert refused(lambda: Pipeline.of(None)) == ["first step must not be None"]


def test_a_gap_is_refused():
    assert refused(lambda: Pipeline.of(Say("a"), None)) == ["pipeline steps must not contain None elements"]
    assert refused(lambda: Pipeline.of(Say("a"), None, name="x", description="x")) == ["step tool must not be None"]
    assert refused(lambda: Pipeline.builder().step(None)) == ["step tool must not be None"]


def test_an_adapter_before_any_step_is_refused():
    assert refused(lambda: Pipeline.builder().adapter(str)) == ["adapter() must be called after a step()"]


def test_async_adapter_is_refused():
    async def adapt(result):
        return result.output

    assert refused(lambda: Pipeline.builder().step(Say("a")).adapter(adapt)) == [
        "the adapter must be a plain function, not an async one (let a step do what has to wait)"
    ]


def test_step_that_is_not_a_tool_is_reported_at_its_line():
    with pytest.raises(InvalidPipeline) as caught:
        Pipeline.of(Say("a"), 5)
    [problem] = caught.value.problems
    assert problem.location is not None
    assert problem.location.file == __file__


def test_no_adapter_and_no_strategy_are_refused():
    assert refused(lambda: Pipeline.builder().step(Say("a")).adapter(None)) == ["the adapter must not be None"]
    assert refused(lambda: Pipeline.builder().error_strategy("stop")) == [
        "the error strategy must be an ErrorStrategy, not 'stop'"
    ]


def test_what_is_no_tool_is_refused():
    def unmarked(text: str) -> str:
        return text

    assert refused(lambda: Pipeline.of(unmarked)) == [
        "the function '" + unmarked.__qualname__ + "' is not marked as a tool"
    ]
