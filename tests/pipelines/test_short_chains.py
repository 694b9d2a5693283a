"""A chain of plain calls runs the short way as it runs the long way, whatever its steps do and whoever counts them."""

import logging
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from tests.call_traces import SURROUNDINGS, Records, trace_of, without_short_ways
from tests.volumes import examples
from toolkit import ExitEarlyError, Pipeline, ToolArgumentsError, ToolContext, ToolResult, from_function, tool
from toolkit.approvals import ByRisk
from toolkit.running import drive  # private
from toolkit.tools.calling import is_short  # private


async def waited() -> int:
    return 7


GIVES: list[Any] = [
    lambda: 5,
    lambda: 2**70,
    lambda: True,
    lambda: None,
    lambda: "text",
    lambda: {"n": 3, "t": ["ä"]},
    object,
    lambda: ToolResult.success("data", structured=[1], artifact=b"1"),
    lambda: ToolResult.failure("no", "mine"),
    waited,
    ValueError("broken"),
    StopIteration("ended"),
    ToolArgumentsError("n must not be that", 422),
    ExitEarlyError("enough"),
    KeyboardInterrupt(),
]


def gives(n: int, more: int = 0) -> Any:
    """Give something, or raise."""
    one = GIVES[n % len(GIVES)]
    if isinstance(one, BaseException):
        raise type(one)(*one.args)
    return one()


@tool
def show(text: str) -> str:
    """Show a text."""
    return f"<{text}>"


@tool(destructive=True)
def wipe(text: str) -> str:
    """Wipe something."""
    return text


def inner() -> Pipeline:
    builder = Pipeline.builder().name("inner").description("Three calls.").inputs({"n": {"type": "integer"}})
    builder.step(show, arguments={"text": "first"})
    return builder.step(from_function(gives), arguments={"n": "${{ inputs.n }}"}).step(show, id="shown").build()


STEPS: list[tuple[Any, dict[str, Any]]] = [
    (from_function(gives), {"arguments": {"n": "${{ inputs.n }}"}}),
    (from_function(gives), {"arguments": {"n": "${{ inputs.m }}", "more": 1}}),
    (from_function(gives), {"arguments": {"n": "${{ prev }}"}}),
    (from_function(gives), {"arguments": {"n": "${{ len(prev) }}"}}),
    (show, {}),
    (show, {"arguments": {"text": "${{ prev }} and ${{ inputs.n }}"}}),
    (wipe, {}),
    (inner(), {"arguments": {"n": "${{ inputs.n }}"}}),
]
OUTPUTS = st.sampled_from([None, {"last": "${{ prev }}"}, "${{ steps.one.text }}", "${{ steps.one.output.t }}"])


def chain(steps: list[int], output: Any, *, is_mixed: bool = False) -> Pipeline:
    builder = (
        Pipeline.builder()
        .name("chain")
        .description("Calls.")
        .inputs({"n": {"type": "integer"}, "m": {"type": "integer", "default": 4}})
    )
    for place, step in enumerate(steps):
        what, keys = STEPS[step]
        builder.step(what, **{"id": "one"} | keys if place == 0 else keys)
    if is_mixed:
        builder.step(show, when="${{ False }}")
    return (builder if output is None else builder.output(output)).build()


@settings(deadline=None, max_examples=examples(1_000))
@given(
    first=st.sampled_from([0, 1, 7]),
    others=st.lists(st.integers(0, len(STEPS) - 1), max_size=3),
    output=OUTPUTS,
    sent=st.fixed_dictionaries(
        {"n": st.integers(0, len(GIVES) - 1) | st.just("no")}, optional={"m": st.integers(0, len(GIVES) - 1)}
    ),
    surroundings=st.sampled_from(sorted(SURROUNDINGS)),
    level=st.sampled_from([logging.WARNING, logging.INFO, logging.DEBUG]),
)
@example(first=7, others=[], output=None, sent={"n": 13}, surroundings="policy", level=logging.WARNING)
def test_every_way_gives_the_same(first, others, output, sent, surroundings, level):
    """Run the chain as a whole, as any tool, and with a step that no fast path can take."""

    def trace(call, *, is_mixed=False):
        pipeline = chain([first, *others], output, is_mixed=is_mixed)
        return trace_of(lambda context: call(pipeline, sent, context), SURROUNDINGS[surroundings], level)

    def awaited(pipeline, *given):
        *others, context = given
        return drive(pipeline.call(*others, without_short_ways(context)))

    whole = trace(awaited)
    assert trace(Pipeline.run) == whole
    mixed = trace(Pipeline.run, is_mixed=True)
    assert mixed == trace(awaited, is_mixed=True)
    if not SURROUNDINGS[surroundings](Records()).listener:
        assert [mixed[what] for what in KEPT] == [whole[what] for what in KEPT]


KEPT = ("metrics", "log", "history", "calls")
"""What a step that is skipped does not change."""


@pytest.mark.parametrize(
    ("keys", "is_plain"),
    [
        ({}, True),
        ({"id": "one"}, True),
        ({"when": "${{ True }}"}, False),
        ({"for_each": "${{ [prev] }}"}, False),
        ({"retry": {"attempts": 2}}, False),
        ({"timeout": 5}, False),
        ({"approve": True}, False),
        ({"on_error": "continue"}, False),
        ({"adapt": "${{ result }}"}, False),
    ],
)
def test_a_step_with_other_keys_takes_the_long_way(keys, is_plain):
    pipeline = Pipeline.builder().name("chain").description("Calls.").step(show, **keys).step(show).build()
    assert is_short(pipeline, ToolContext(policy=ByRisk())) is is_plain


def test_a_step_that_is_asked_about_takes_the_long_way():
    pipeline = Pipeline.of(show, wipe)
    assert is_short(pipeline, ToolContext()) is True
    assert is_short(pipeline, ToolContext(policy=ByRisk())) is False


def test_what_runs_after_a_failure_takes_the_long_way():
    builder = Pipeline.builder().name("chain").description("Calls.").step(show)
    assert is_short(builder.on_failure(show).build(), ToolContext()) is False
