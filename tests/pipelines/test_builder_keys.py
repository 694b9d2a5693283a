"""The builder says what a file says: the same keys, the same checks, the same results."""

import asyncio
from inspect import currentframe
from pathlib import Path

import pytest

from toolkit import Continue, InvalidPipeline, Pipeline, ToolContext, ToolResult, resolve_tools, tool
from toolkit.approvals import ScriptedReviewer


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


@tool
def refuse(text: str) -> str:
    """Fail."""
    raise ValueError(f"no {text}")


def begin():
    return Pipeline.builder().name("built").description("Built in Python.")


def test_arguments_references_and_output():
    pipeline = (
        begin()
        .inputs({"n": {"type": "integer", "default": 2}, "word": {"type": "string"}})
        .step(add, id="sum", arguments={"a": "${{ inputs.n }}", "b": 3})
        .step(shout, arguments={"text": "${{ inputs.word }} ${{ steps.sum.output }}"})
        .output({"sum": "${{ steps.sum.output }}", "text": "${{ prev }}"})
        .build()
    )
    assert pipeline.run({"word": "five"}).structured == {"sum": 5, "text": "FIVE 5"}
    assert pipeline.spec.required == ("word",)


def test_items_branches_conditions_and_values():
    pipeline = (
        begin()
        .set("${{ split(input, ',') }}", id="words")
        .step(shout, for_each="${{ prev }}", max_parallel=2)
        .parallel({"count": begin().set("${{ len(input) }}").build(), "same": shout}, when="${{ len(prev) > 1 }}")
        .set({"words": "${{ steps.words.output }}", "same": "${{ prev.same }}"})
        .build()
    )
    assert pipeline.run("a,b").structured == {"words": ["a", "b"], "same": '["A","B"]'}


def test_retry_timeout_and_fallback():
    tries = []

    @tool
    async def hang(text: str) -> str:
        """Hang."""
        tries.append(text)
        await asyncio.Event().wait()
        return text

    retry = {"attempts": 2, "backoff": "0s", "errors": ["timeout"]}
    pipeline = begin().step(hang, timeout=0.01, retry=retry, on_error={"value": "${{ error.code }}"}).build()
    assert pipeline.run("x") == ToolResult("timeout")
    assert tries == ["x", "x"]


def test_questions_before_a_call_and_between_steps():
    reviewer = ScriptedReviewer([Continue(), Continue()])
    pipeline = begin().step(shout, approve="Shout?").approve("Go on?", id="gate").step(shout).build()
    assert pipeline.run("x", ToolContext(reviewer=reviewer)).output == "X"
    assert [request.text for request in reviewer.requests] == ["Shout?", "Go on?"]


def test_steps_after_a_failure():
    notes = []

    @tool
    def note(text: str) -> str:
        """Keep a note."""
        notes.append(text)
        return text

    pipeline = begin().step(refuse).on_failure(note, arguments={"text": "${{ error.message }}"}).build()
    assert pipeline.run("x").error == "no x"
    assert notes == ["no x"]


def test_an_adapter_may_be_an_expression():
    pipeline = begin().step(shout).adapter("<${{ result }}>").step(shout).adapter("never ${{ result }}").build()
    assert pipeline.run("x").output == "<X>"


def test_two_tools_of_the_same_name_stay_apart():
    other = resolve_tools([refuse])["refuse"].with_name("shout")
    pipeline = begin().step(shout).step(other, on_error="continue").step(shout).build()
    assert pipeline.run("x").output == "NO X"


def test_everything_wrong_is_told_at_once_at_the_line_that_said_it():
    builder = begin()
    first = currentframe().f_lineno + 1
    builder.step(add, arguments={"a": "many", "c": 1})
    builder.step(shout, tmeout="1s", when="${{ steps.nowhere.output }}")
    with pytest.raises(InvalidPipeline) as raised:
        builder.build()
    here = str(Path(__file__))
    assert sorted(
        (problem.location.line - first, problem.code, problem.message) for problem in raised.value.problems
    ) == [
        (0, "TK607", "'a' of tool 'add': must be a whole number, not \"many\""),
        (0, "TK608", "tool 'add' needs 'b'"),
        (0, "TK609", "tool 'add' has no parameter 'c'"),
        (1, "TK602", "unknown key 'tmeout' in a step"),
        (1, "TK605", "there is no step with the id 'nowhere'"),
    ]
    assert {problem.location.file for problem in raised.value.problems} == {here}


def test_what_is_no_plain_data_is_refused():
    with pytest.raises(InvalidPipeline, match="a value of type 'object' is not plain data"):
        begin().step(shout, arguments={"text": object()}).build()


def test_duplicate_ids_are_refused():
    with pytest.raises(InvalidPipeline, match="duplicate step id 'a'"):
        begin().step(shout, id="a").step(shout, id="a").build()


def test_an_object_with_several_tools_is_no_step():
    class Box:
        @tool
        def one(self, text: str) -> str:
            """One."""
            return text

        @tool
        def two(self, text: str) -> str:
            """Two."""
            return text

    with pytest.raises(InvalidPipeline, match=r"'Box' has 2 tools \(one, two\), and a step calls one"):
        begin().step(Box())


def test_a_builder_builds_as_often_as_it_is_asked():
    builder = begin().step(shout)
    assert builder.build().run("x") == builder.step(shout).build().run("x") == ToolResult("X")
