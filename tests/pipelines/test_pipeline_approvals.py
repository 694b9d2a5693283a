"""Who is asked before a step runs, what they see, and what their answer does to the pipeline."""

import asyncio

import pytest

from toolkit import (
    ConfigurationError,
    Continue,
    Edit,
    ErrorStrategy,
    ExitEarly,
    ExitEarlyError,
    Pipeline,
    Reject,
    Tool,
    ToolContext,
    ToolResult,
    ToolSpec,
    tool,
)
from toolkit.approvals import AllowAll, ScriptedReviewer


def asked(bench, text, arguments, *decisions):
    reviewer = ScriptedReviewer(decisions)
    return bench.run(text, arguments, reviewer=reviewer), reviewer.requests


# ------------------------------------------------------------------------------------------------- before a call


def test_a_step_that_says_approve_asks_before_its_call(bench):
    result, [request] = asked(bench, "steps: [reverse, {id: shout, use: upper, approve: true}]", "ab", Continue())
    assert result.output == "BA"
    assert request.text == "Run upper?"
    assert request.arguments == {"input": "ba"}
    assert request.asked_by == "step 'shout'"
    assert request.place == "step 2/2 · pipeline pipeline"


def test_the_message_may_hold_expressions_and_more_can_be_shown(bench):
    text = 'steps: [{use: upper, approve: {message: "Shout ${{ input }}?", show: {size: "${{ len(input) }}"}, edit: false}}]'
    _, [request] = asked(bench, text, "hey", Continue())
    assert (request.text, request.show, request.editable) == ("Shout hey?", {"size": 3}, False)


def test_a_condition_decides_whether_somebody_is_asked(bench):
    text = 'steps: [{use: upper, approve: {when: "${{ len(input) > 3 }}"}}]'
    assert asked(bench, text, "abc") == (ToolResult("ABC"), [])
    result, requests = asked(bench, text, "abcd", Continue())
    assert (result.output, len(requests)) == ("ABCD", 1)


def test_a_rejected_call_fails_its_step(bench):
    result, _ = asked(bench, "steps: [{use: upper, approve: true}, reverse]", "x", Reject("too loud"))
    assert result == ToolResult.failure("Rejected by reviewer: too loud", "rejected")


def test_a_rejected_call_of_a_marked_tool_fails_its_step_and_has_its_own_status(bench):
    text = 'steps: [{id: a, use: publish, on_error: continue}, {set: "${{ [steps.a.status, prev] }}"}]'
    result, _ = asked(bench, text, "x", Reject())
    assert result.structured == ["rejected", "Rejected by reviewer"]


def test_edited_arguments_are_what_runs(bench):
    result, _ = asked(bench, "steps: [{use: repeat, approve: true}]", "a", Edit({"text": "b", "times": "3"}))
    assert result.output == "b b b"


def test_edited_arguments_are_validated_again(bench):
    result, _ = asked(bench, "steps: [{use: repeat, approve: true}]", "a", Edit({"text": "b", "times": "many"}))
    assert result.error_code == "invalid_arguments"


def test_a_mark_of_the_tool_asks_without_the_step_saying_so(bench):
    result, [request] = asked(bench, "steps: [publish]", "x", Continue())
    assert result.output == "news: x"
    assert request.asked_by == "the tool requires approval"


def test_each_item_is_asked_about(bench):
    text = 'steps: [{for_each: "${{ split(prev) }}", use: upper, approve: "Shout ${{ item }}?", on_item_error: skip}]'
    result, requests = asked(bench, text, "a b c", Continue(), Continue(), Continue())
    assert result.structured == ["A", "B", "C"]
    assert [request.text for request in requests] == ["Shout a?", "Shout b?", "Shout c?"]


def test_a_step_that_is_skipped_asks_nobody(bench):
    text = 'steps: [{use: upper, when: "${{ len(input) > 9 }}", approve: true}]'
    assert asked(bench, text, "x") == (ToolResult("x"), [])


def test_a_retry_does_not_ask_again(bench):
    calls = []

    @tool
    def third_time(text: str) -> str:
        """Work the third time."""
        calls.append(text)
        if len(calls) < 3:
            raise ConnectionError
        return text

    text = "steps: [{use: third_time, approve: true, retry: {attempts: 3, backoff: 0s}}]"
    result, requests = asked(bench.add(third_time), text, "x", Continue())
    assert (result.output, len(calls), len(requests)) == ("x", 3, 1)


def test_nested_steps_tell_where_they_are(bench):
    bench.write("steps: [{use: upper, approve: true}]", "inner.yaml")
    _, [request] = asked(bench, "steps: [{parallel: {left: ./inner.yaml}}]", "x", Continue())
    assert request.place == ("step 1/1 · pipeline inner · step 1/1 of branch 'left' · step 1/1 · pipeline pipeline")


class SlowReviewer:
    """Takes its time, longer than any limit of the step that asks."""

    async def review(self, request):
        await asyncio.sleep(1.2)
        return Continue()


def test_the_waiting_for_a_person_is_no_timeout(bench):
    result = bench.run("steps: [{use: later, timeout: 1s, approve: true}]", "x", reviewer=SlowReviewer())
    assert result.output == "x"


@pytest.mark.parametrize("name", ["ask", "ask_plainly"])
def test_a_question_in_the_middle_of_the_work_stops_the_clock(bench, name):
    @tool
    async def ask(text: str, context: ToolContext) -> str:
        """Ask."""
        await context.request_approval_async("Really?")
        return text

    @tool
    def ask_plainly(text: str, context: ToolContext) -> str:
        """Ask from a plain function."""
        context.request_approval("Really?")
        return text

    text = f"steps: [{{use: {name}, timeout: 1s}}]"
    assert bench.add(ask, ask_plainly).run(text, "x", reviewer=SlowReviewer()).output == "x"


def test_after_a_question_the_clock_goes_on(bench):
    @tool
    async def ask_and_hang(text: str, context: ToolContext) -> str:
        """Ask, then hang."""
        await context.request_approval_async("Really?")
        await asyncio.Event().wait()
        return text

    result = bench.add(ask_and_hang).run("steps: [{use: ask_and_hang, timeout: 50ms}]", "x", reviewer=SlowReviewer())
    assert result == ToolResult.failure("timed out after 50ms", "timeout")


# ---------------------------------------------------------------------------------------------------- a step of its own

GATE = "steps: [upper, {id: gate, approve: Go on with this?}, reverse]"


def test_a_gate_step_asks_and_hands_on_what_came_before(bench):
    result, [request] = asked(bench, GATE, "ab", Continue())
    assert result.output == "BA"
    assert (request.text, request.risk.tool, request.arguments) == ("Go on with this?", "gate", {"prev": "AB"})
    assert request.asked_by == "step 'gate'"


def test_a_gate_step_shows_what_it_says(bench):
    text = 'steps: [{approve: {show: "${{ input }}!"}}]'
    _, [request] = asked(bench, text, "ab", Continue())
    assert (request.text, request.arguments) == ("Go on?", {"show": "ab!"})


def test_a_rejected_gate_step_ends_the_pipeline(bench):
    result, _ = asked(bench, GATE, "ab", Reject("not today"))
    assert result == ToolResult.failure("Rejected by reviewer: not today", "rejected")


REFUSED = ToolResult.failure("Rejected by reviewer: no", "rejected")
WITHIN = [
    "steps: [{approve: true}, mark]",
    "steps: [{approve: true, on_error: continue}, mark]",
    "steps: [{approve: true, on_error: {value: fine}}, mark]",
    "steps: [{use: upper, approve: true, on_error: continue}, mark]",
    "steps: [{use: upper, approve: true, on_error: {value: fine}, retry: {attempts: 3, backoff: 0s}}, mark]",
    "steps: [{use: upper, approve: true, timeout: 10s, on_error: continue}, mark]",
    'steps: [{for_each: "${{ split(input) }}", use: upper, approve: true, on_item_error: skip, on_error: continue}, mark]',
    "steps: [{parallel: {one: {use: upper, approve: true, on_error: continue}}, on_error: continue}, mark]",
    "steps: [{parallel: {one: [{approve: true}], two: fails}, on_error: continue}, mark]",
    "steps: [{use: ./inner.yaml, on_error: continue}, mark]",
    "steps: [{use: ./inner.yaml, retry: {attempts: 3, backoff: 0s}, timeout: 10s, on_error: {value: fine}}, mark]",
    'steps: [{for_each: "${{ split(input) }}", use: ./inner.yaml, on_item_error: skip}, mark]',
    "steps: [{parallel: {one: ./inner.yaml}, on_error: continue}, mark]",
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("strategy", ["fail_fast", "continue_on_failure"])
@pytest.mark.parametrize("text", WITHIN)
def test_a_refused_gate_ends_the_run_under_every_strategy(bench, text, strategy):
    marked = []

    @tool
    def mark(text: str) -> str:
        """Mark that the run went on."""
        marked.append(text)
        return text

    @tool
    def fails(text: str) -> str:
        """Fail."""
        raise ValueError(text)

    bench.add(mark, fails).write(
        "error_strategy: continue_on_failure\nsteps: [{approve: true, on_error: continue}, upper]", "inner.yaml"
    )
    pipeline, _ = bench.read(f"error_strategy: {strategy}\n{text}")
    result = pipeline.run("ab", ToolContext(reviewer=ScriptedReviewer([Reject("no")])))
    assert result.error is not None
    assert result.error.removeprefix("item 1 of 1: ") == REFUSED.error
    assert (result.error_code, marked) == ("rejected", [])


def test_a_refused_gate_reports_its_status_and_lets_the_run_clean_up(bench):
    events = []
    text = "error_strategy: continue_on_failure\nsteps: [{id: gate, approve: true}, upper]\non_failure: [reverse]"
    context = {"reviewer": ScriptedReviewer([Reject("no")]), "listener": events.append}
    assert bench.run(text, "ab", **context) == REFUSED
    finished = [(event.path, event.status) for event in events if event.kind == "step_finished"]
    assert finished == [("gate", "rejected"), ("on_failure/reverse", "ok")]


def test_a_refused_gate_among_the_steps_that_clean_up_ends_them(bench):
    marked = []

    @tool
    def mark(text: str) -> str:
        """Mark that the run went on."""
        marked.append(text)
        return text

    text = "steps: [later_fails]\non_failure: [{approve: true, on_error: continue}, mark]"

    @tool
    def later_fails(text: str) -> str:
        """Fail."""
        raise ValueError(text)

    result, _ = asked(bench.add(mark, later_fails), text, "ab", Reject("no"))
    assert (result.error, marked) == ("ab", [])


def test_a_refused_gate_of_a_pipeline_that_an_agent_calls_ends_the_pipeline_around_the_agent(bench):
    marked = []

    class Agentlike(Tool):
        """Calls a pipeline as an agent does: a failed call is only told to it."""

        spec = ToolSpec("agentlike", "Calls.", read_only=True)

        def parse(self, arguments):
            return {}

        def describe(self, parsed):
            return {}

        async def perform(self, parsed, context):
            result = await inner.call({"input": "x"}, context.replace(chosen_by="model"))
            return ToolResult(f"told: {result.text}")

    @tool
    def mark(text: str) -> str:
        """Mark that the run went on."""
        marked.append(text)
        return text

    inner, _ = bench.read("steps: [{approve: true, on_error: continue}, upper]")
    builder = Pipeline.builder().name("outer").description("Calls.").step(Agentlike()).step(mark)
    outer = builder.error_strategy(ErrorStrategy.CONTINUE_ON_FAILURE).build()
    approving = ScriptedReviewer([Continue(), Reject("no")])
    assert outer.run("ab", ToolContext(reviewer=approving)) == REFUSED
    assert (len(approving.requests), marked) == (2, [])
    alone = Agentlike().run("{}", ToolContext(reviewer=ScriptedReviewer([Continue(), Reject("no")])))
    assert alone.output == "told: Error: Rejected by reviewer: no"


def test_a_policy_that_fails_refuses_a_gate(bench):
    class Broken:
        needs_arguments = False

        def judge(self, call):
            raise RuntimeError("no idea")

    text = "error_strategy: continue_on_failure\nsteps: [{approve: true}, upper]"
    result = bench.run(text, "ab", reviewer=ScriptedReviewer([Continue()]), policy=Broken())
    denied = "Denied by the policy 'Broken', which failed: RuntimeError: no idea"
    assert result == ToolResult.failure(denied, "rejected")


def test_a_gate_step_has_nothing_to_edit(bench):
    result, _ = asked(bench, GATE, "ab", Edit({"prev": "xy"}))
    assert result == ToolResult.failure("Rejected by reviewer: there is nothing to edit here", "rejected")


def test_a_gate_step_whose_condition_is_false_asks_nobody(bench):
    text = 'steps: [{approve: {when: "${{ len(input) > 9 }}"}}, upper]'
    assert asked(bench, text, "x") == (ToolResult("X"), [])


def test_a_gate_step_obeys_the_policy(bench):
    assert bench.run(GATE, "ab", policy=AllowAll("--yes")).output == "BA"


def test_without_a_reviewer_a_gate_step_is_a_configuration_error(bench):
    with pytest.raises(ConfigurationError, match="step 'gate' asks for approval, but there is no reviewer"):
        bench.run(GATE, "ab")


# --------------------------------------------------------------------------------------------------- ending the whole run


@pytest.mark.parametrize("text", [GATE, "steps: [upper, {id: gate, use: upper, approve: true}, reverse]"])
def test_ending_the_run_keeps_what_was_done_and_cleans_up_nothing(bench, text):
    cleaned = []

    @tool
    def clean(text: str) -> str:
        """Clean up."""
        cleaned.append(text)
        return text

    with pytest.raises(ExitEarlyError, match="enough for today") as raised:
        asked(bench.add(clean), f"{text}\non_failure: [clean]", "ab", ExitEarly("enough for today"))
    assert raised.value.outputs == {"upper": "AB"}
    assert cleaned == []


def test_ending_the_run_leaves_branches_bare(bench):
    text = "steps: [{parallel: {slow: forever, gate: {use: upper, approve: true}}}]"
    pipeline, problems = bench.read(text)
    assert [problem.code for problem in problems] == ["TK621"]
    with pytest.raises(ExitEarlyError):
        pipeline.run("x", ToolContext(reviewer=ScriptedReviewer([ExitEarly()])))
