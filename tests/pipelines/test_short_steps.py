"""A step that is nothing but a call takes a short way where no event loop runs, and gives what the long way gives."""

import asyncio

from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import ToolContext, load_pipeline
from toolkit.approvals import AutoReviewer
from toolkit.tools import RecordingMetrics

TOOLS = '''
from toolkit import tool

@tool(read_only=True)
def add(n: int, more: int = 1) -> dict[str, int]:
    """Add to a number; nine is one too many."""
    if n == 9:
        raise ValueError("nine is too many")
    return {"sum": n + more}

@tool
def show(text: str) -> str:
    """Show a text."""
    return f"<{text}>"
'''
PIPELINE = """
name: steps
description: Steps that are nothing but calls.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps:
  - {id: one, use: add, with: {n: "${{ inputs.n }}", more: 2}}
  - {id: two, use: add, with: {n: "${{ prev.sum }}"}, on_error: {value: {sum: -1}}}
  - {use: show, with: {text: "${{ prev.sum }}"}}
  - use: show
output: {all: "${{ prev }}", one: "${{ steps.one.output.sum }}"}
"""


@settings(max_examples=examples(200))
@given(n=st.integers(min_value=-20, max_value=20) | st.text(max_size=2), has_gate=st.booleans())
def test_short_steps_give_what_long_ones_give(tmp_path_factory, n, has_gate):
    folder = tmp_path_factory.mktemp("steps")
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    (folder / "steps.yaml").write_text(PIPELINE, "utf-8")
    pipeline = load_pipeline(folder / "steps.yaml")

    def told(call):
        metrics = RecordingMetrics()
        context = ToolContext(reviewer=AutoReviewer() if has_gate else None, metrics=metrics)
        result = call({"n": n}, context)
        counted = [(one.operation, one.tool) for one in metrics.records]
        gate = context.gate
        return result, counted, None if gate is None else [risk.tool for risk in gate.history.tools]

    assert told(pipeline.run) == told(lambda *call: asyncio.run(pipeline.call(*call)))
