"""Calls under way: those that run side by side stay within the budget together, also in pipelines and inner agents."""

import asyncio

import pytest

from toolkit import Pipeline, ToolCall, ToolContext, tool
from toolkit.agents import AgentTool, ScriptedModel, run_agent
from toolkit.errors import BudgetExceeded, TerminationRequested
from toolkit.runs import Budget, CallRecord, Run


@tool(read_only=True)
async def breathe(text: str = "") -> str:
    """Let others go first."""
    await asyncio.sleep(0)
    return text


def breaths(count):
    return [ToolCall("breathe", "{}") for _ in range(count)]


def test_calls_of_one_turn_stay_within_the_budget_together():
    run = Run()
    with pytest.raises(BudgetExceeded, match="3 of 3 calls"):
        asyncio.run(
            run_agent(
                ScriptedModel([breaths(50), "never"]),
                "breathe",
                [breathe],
                budget=Budget(actions=3),
                context=ToolContext(run=run),
            )
        )
    assert run.counts == {"breathe": 3}


def test_inner_agents_at_work_side_by_side_share_the_budget_round_them():
    inner = AgentTool("inner", "Breathe.", ScriptedModel([breaths(2), "done"]), [breathe], read_only=True)
    both = [ToolCall("inner", '{"task": "breathe"}') for _ in range(2)]
    run = Run(budget=Budget(actions=4))
    with pytest.raises(BudgetExceeded, match="4 of 4 calls"):
        asyncio.run(run_agent(ScriptedModel([both]), "go", [inner], context=ToolContext(run=run)))
    assert run.counts["breathe"] == 2


def test_steps_of_a_pipeline_stop_where_the_budget_of_the_run_is_used_up():
    pipeline = Pipeline.of(breathe, breathe, breathe, name="thrice")
    run = Run(budget=Budget(actions=2))
    with pytest.raises(BudgetExceeded, match="2 of 2 calls"):
        pipeline.run({"input": "a"}, ToolContext(run=run))
    assert run.counts["breathe"] == 2


def test_steps_of_a_pipeline_stop_where_the_run_was_told_to_end():
    run = Run()

    @tool(read_only=True)
    def leave(text: str) -> str:
        """Leave."""
        run.terminate("the user left")
        return text

    pipeline = Pipeline.of(leave, breathe, name="gone")
    with pytest.raises(TerminationRequested, match="the user left"):
        pipeline.run({"input": "a"}, ToolContext(run=run))
    assert run.counts["leave"] == 1
    assert "breathe" not in run.counts


def test_a_call_that_has_ended_holds_no_place_but_its_own():
    run = Run(budget=Budget(actions=2))
    for _ in range(2):
        with run.calling():
            run.record_call(CallRecord(run.id, "t", {}, "success"))
    with pytest.raises(BudgetExceeded, match="2 of 2 calls"), run.spawn().calling():
        pass
    run.budget = Budget(actions=3)
    with run.calling(), pytest.raises(BudgetExceeded, match="3 of 3 calls"), run.calling():
        pass
    with run.calling():
        pass
