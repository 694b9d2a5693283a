"""The context reaches every call of a pipeline: branches, items, attempts, fallbacks, nested pipelines, failures."""

import pytest

from toolkit import ToolContext
from toolkit.runs import Run
from toolkit.settings import Configuration
from toolkit.sources import open_targets

TOOLS = '''
from typing import Annotated

from toolkit import MemoryId, ToolContext, ToolExecutionError, tool

SEEN = []


@tool
def who(what: str, context: ToolContext, user: Annotated[str, MemoryId]) -> str:
    """Tell for whom it works."""
    run = context.run.id if context.run else "no run"
    SEEN.append(f"{what}: {context['tenant']} {user} {context.loop_id} {run} {context.chosen_by}")
    return SEEN[-1]


@tool
async def later(what: str, context: ToolContext, user: Annotated[str, MemoryId]) -> str:
    """Tell for whom it works, later."""
    return who(what, context, user)


@tool
def fail(what: str, context: ToolContext, user: Annotated[str, MemoryId]) -> str:
    """Tell for whom it works, and fail."""
    who(what, context, user)
    raise ToolExecutionError("not today")
'''

PIPELINES = {
    "plain": "[{use: who, with: {what: a}}, {use: later, with: {what: b}}]",
    "parallel": "[{parallel: {one: {use: who, with: {what: a}}, two: {use: later, with: {what: b}}}}]",
    "items": "[{for_each: ['${{ \"a\" }}', b], max_parallel: 2, use: later, with: {what: '${{ item }}'}}]",
    "limited": "[{use: who, timeout: 30s, with: {what: a}}, {use: later, retry: {attempts: 2}, with: {what: b}}]",
    "retried": "[{use: fail, retry: {attempts: 2, backoff: 1ms}, on_error: continue, with: {what: a}}]",
    "nested": "[{use: ./plain.yaml, with: {}}]",
    "nested_twice": "[{parallel: {one: {use: ./nested.yaml, with: {}}}}]",
}
SEEN = {
    "plain": ["a", "b"],
    "parallel": ["a", "b"],
    "items": ["a", "b"],
    "limited": ["a", "b"],
    "retried": ["a", "a"],
    "nested": ["a", "b"],
    "nested_twice": ["a", "b"],
}
CONTEXT = ToolContext({"tenant": "acme"}, memory_id="ada", loop_id="l1", run=Run(id="r1"), chosen_by="model")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "who_tools.py").write_text(TOOLS, "utf-8")
    for name, steps in PIPELINES.items():
        text = f"name: {name}\ndescription: Tells.\ntools: [./who_tools.py]\ninputs: {{}}\nsteps: {steps}\n"
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    return open_targets


@pytest.mark.parametrize("name", PIPELINES)
def test_every_call_gets_the_whole_context(opened, name):
    found = opened([f"{name}.yaml", "who_tools.py"], Configuration())
    assert [problem for problem in found.problems if problem.severity == "error"] == []
    seen = found.tools["who"].function.__globals__["SEEN"]
    seen.clear()
    found.tools[name].run({}, CONTEXT)  # the steps were chosen by the person who wrote them
    assert sorted(seen) == [f"{what}: acme ada l1 r1 person" for what in SEEN[name]]
