"""Runs: what was called and spent in one, what it may spend, how it ends, and to whom it speaks."""

import pytest

from toolkit import Continue, Reject, Tool, ToolContext, from_function, tool
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import BudgetExceeded, ReplanRequested, TerminationRequested
from toolkit.runs import Budget, CallRecord, Message, ModelUse, Run
from toolkit.runs.run import KEPT_CALLS  # private


@tool
def divide(a: int, b: int) -> float:
    """Divide."""
    return a / b


@tool(requires_approval=True)
def pay(amount: int, password: "str" = "") -> str:
    """Pay."""
    return f"paid {amount}"


def outcomes_of(run):
    return [(call.tool, call.outcome, call.output, call.error, call.error_code) for call in run.calls]


def test_calls_with_a_run_in_the_context_stand_in_its_history():
    run = Run(id="r1")
    context = ToolContext(run=run, loop_id="l1", chosen_by="model", reviewer=ScriptedReviewer([Continue()] * 3))
    division = from_function(divide)
    division.run({"a": 6, "b": 3}, context)
    division.run({"a": 6, "b": 0}, context)
    division.run("no JSON", context)
    assert outcomes_of(run) == [
        ("divide", "success", "2.0", None, None),
        ("divide", "error", "", "division by zero", "error"),
        ("divide", "failure", "", run.calls[2].error, "invalid_arguments"),
    ]
    first = run.calls[0].as_record()
    seconds = first.pop("seconds")
    assert seconds >= 0
    assert first == {
        "run": "r1",
        "tool": "divide",
        "arguments": {"a": 6, "b": 3},
        "outcome": "success",
        "output": "2.0",
        "error": None,
        "error_code": None,
        "chosen_by": "model",
        "loop_id": "l1",
    }
    assert (run.counts, run.failures) == ({"divide": 3}, {"divide": 2})


def test_refused_calls_and_signals_stand_in_the_history_too():
    def replan() -> str:
        """Ask for another plan."""
        raise ReplanRequested("found something", artifacts=["it"], bindings={"name": "it"})

    run = Run()
    context = ToolContext(run=run, reviewer=ScriptedReviewer([Reject("no")]))
    from_function(pay).run({"amount": 3}, context)
    with pytest.raises(ReplanRequested, match="found something") as caught:
        from_function(replan).run({}, context)
    assert (caught.value.artifacts, caught.value.bindings) == (("it",), {"name": "it"})
    assert [call.outcome for call in run.calls] == ["failure", "signal"]
    assert run.failures == {"pay": 1}


def test_secrets_are_not_kept():
    from pydantic import SecretStr

    def log_in(user: str, password: SecretStr) -> str:
        """Log in."""
        return user

    run = Run()
    from_function(log_in).run({"user": "ada", "password": "hunter2"}, ToolContext(run=run))
    from_function(log_in).run('{"user": "ada", "password": "hunter2"}', ToolContext(run=run))
    assert "hunter2" not in str(run.as_record())
    assert run.calls[0].arguments["user"] == "ada"


def test_steps_of_a_pipeline_and_the_pipeline_stand_in_the_history():
    from toolkit import Pipeline
    from toolkit.tools import TextTool

    class Upper(TextTool):
        name = "upper"
        description = "Puts text into capitals."

        def execute(self, text: str) -> str:
            return text.upper()

    run = Run()
    Pipeline.of(Upper(), Upper().with_name("again"), name="both").run({"input": "a"}, ToolContext(run=run))
    assert [call.tool for call in run.calls] == ["upper", "again", "both"]


def test_a_long_history_forgets_the_oldest_calls_and_still_counts_them():
    run = Run()
    for number in range(KEPT_CALLS + 5):
        run.record_call(CallRecord(run.id, "t", number, "success"))
    assert (len(run.calls), run.calls[0].arguments, run.counts) == (KEPT_CALLS, 5, {"t": KEPT_CALLS + 5})


def test_what_an_inner_run_does_counts_for_the_outer_one():
    outer = Run(budget=Budget(cost=1.0, tokens=100, actions=3))
    inner = outer.spawn(goal="look it up")
    from_function(divide).run({"a": 1, "b": 1}, ToolContext(run=inner))
    inner.record_use(ModelUse("gpt", 30, 12, cost=0.25))
    inner.record_use(ModelUse("free", 8))
    assert outer.spent == Budget(0.25, 50, 1)
    assert outer.left == Budget(0.75, 50, 2)
    assert inner.left == Budget()
    assert [call.run for call in outer.calls] == [inner.id]
    assert outer.uses == inner.uses


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (Budget(cost=0.5), r"the budget is used up: \$0.50 of \$0.50"),
        (Budget(tokens=41), "the budget is used up: 42 of 41 tokens"),
        (Budget(actions=1), "the budget is used up: 1 of 1 calls"),
    ],
)
def test_a_used_up_budget_of_the_outer_run_stops_the_inner_one(budget, message):
    outer = Run(budget=budget)
    inner = outer.spawn()
    inner.check()
    inner.record_use(ModelUse("gpt", 30, 12, cost=0.5))
    inner.record_call(CallRecord(inner.id, "t", {}, "success"))
    with pytest.raises(BudgetExceeded, match=message), inner.calling():
        pass


def test_the_result_of_the_last_call_of_a_budget_may_still_be_thought_about():
    run = Run(budget=Budget(actions=1))
    with run.calling():
        run.record_call(CallRecord(run.id, "t", {}, "success"))
    run.check()
    with pytest.raises(BudgetExceeded, match="the budget is used up: 1 of 1 calls"), run.calling():
        pass


def test_a_run_that_was_told_to_end_takes_its_inner_runs_with_it():
    outer = Run()
    inner = outer.spawn()
    outer.terminate("the user left")
    with pytest.raises(TerminationRequested, match="the user left") as caught:
        inner.check()
    assert caught.value.scope == "run"


def test_an_inner_run_that_was_told_to_end_leaves_the_outer_one():
    outer = Run()
    outer.spawn().terminate("enough")
    outer.check()


def test_a_run_knows_why_it_was_told_to_end_and_what_is_round_it():
    outer = Run()
    inner = outer.spawn().spawn()
    outer.terminate("the user left")
    assert (outer.ending, inner.ending) == ("the user left", None)
    assert inner.lineage == (inner, inner.around, outer)
    assert outer.lineage == (outer,)


def test_the_tightest_budget_says_what_remains():
    outer = Run(budget=Budget(cost=1.0, tokens=100))
    middle = outer.spawn(budget=Budget(cost=2.0, tokens=20))
    inner = middle.spawn()
    outer.record_use(ModelUse("gpt", 30, cost=0.75))
    inner.record_use(ModelUse("gpt", 6))
    assert inner.remaining == Budget(0.25, 14)
    assert outer.remaining == Budget(0.25, 64)
    assert Run().remaining == Budget()


def test_messages_go_to_the_nearest_channel():
    heard = []
    outer = Run(channel=heard.append)
    message = Message("half done", "progress", "progress", "r1")
    assert outer.spawn().send(message)
    assert heard == [message]
    assert not Run().send(message)


def test_an_inner_run_hands_over_its_blackboard_when_it_is_absorbed():
    outer = Run()
    outer.blackboard.add("known", name="a")
    inner = outer.spawn()
    inner.blackboard.add("found", name="b")
    assert (inner.blackboard.get("a"), outer.blackboard.get("b")) == ("known", None)
    outer.absorb(inner)
    assert outer.blackboard.get("b") == "found"


def test_a_run_ends_once():
    run = Run(id="r", goal="add up")
    assert run.status == "running"
    run.finish("failed")
    run.finish()
    took = run.seconds
    assert (run.status, run.seconds) == ("failed", took)
    record = run.as_record()
    assert record == {"id": "r", "goal": "add up", "status": "failed", "seconds": took, "calls": [], "uses": []}
    assert repr(run) == "Run(id='r', status='failed')"


def test_a_tool_reaches_the_blackboard_of_its_run():
    def bind(name: str, context: ToolContext) -> str:
        """Bind a customer."""
        if context.run is None:
            return "no run"
        context.run.blackboard.add(name, name="customer")
        return "bound"

    run, binder = Run(), from_function(bind)
    assert binder.run({"name": "Ada"}, ToolContext(run=run)).output == "bound"
    assert run.blackboard.get("customer") == "Ada"
    assert binder.run({"name": "Ada"}).output == "no run"
    assert isinstance(binder, Tool)
