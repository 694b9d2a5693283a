"""What a listener is told while a pipeline runs: every start has one finish, also on signals and cancellation."""

import asyncio
from collections import Counter
from contextlib import suppress

import pytest

from toolkit import ConfigurationError, Continue, ExitEarly, ExitEarlyError, Pipeline, Reject, ToolContext, tool
from toolkit.approvals import ScriptedReviewer
from toolkit.events import (
    ItemFinished,
    PipelineFinished,
    PipelineStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    ToolFinished,
    ToolStarted,
    as_record,
)
from toolkit.tools import ListenerError


def events_of(bench, text, arguments="", *, reviewer=None):
    events = []
    with suppress(ConfigurationError, ExitEarlyError):
        bench.read(text)[0].run(arguments, ToolContext(listener=events.append, reviewer=reviewer))
    return events


def lines(events):
    """Return the events of the pipeline and its steps in a few words each."""
    words = []
    for event in events:
        match event:
            case PipelineStarted():
                words.append(f"pipeline {event.pipeline} of {event.steps}")
            case PipelineFinished():
                words.append(f"pipeline {event.pipeline} {event.outcome}")
            case StepStarted():
                words.append(f"> {event.path} {event.position}/{event.of}")
            case StepFinished():
                words.append(f"< {event.path} {event.status}")
            case ItemFinished():
                words.append(f"  {event.path}[{event.index}] {event.status} {event.done}/{event.of}")
            case StepRetried():
                words.append(f"  {event.path} again after {event.attempt}: {event.error}")
    return words


def assert_paired(events):
    for started, finished in (
        (PipelineStarted, PipelineFinished),
        (StepStarted, StepFinished),
        (ToolStarted, ToolFinished),
    ):
        starts = Counter(event.call for event in events if isinstance(event, started))
        finishes = Counter(event.call for event in events if isinstance(event, finished))
        assert starts == finishes
        assert set(starts.values()) <= {1}


def test_steps_are_told_in_order(bench):
    events = events_of(
        bench, 'steps: [upper, {id: long, use: reverse, when: "${{ len(prev) > 9 }}"}, {set: "${{ prev }}"}]', "ab"
    )
    assert_paired(events)
    assert lines(events) == [
        "pipeline pipeline of 3",
        "> upper 1/3",
        "< upper ok",
        "> long 2/3",
        "< long skipped",
        "> set 3/3",
        "< set ok",
        "pipeline pipeline success",
    ]


def test_a_finish_tells_all_about_the_step(bench):
    text = "steps: [{id: a, use: upper, approve: true}]"
    events = events_of(bench, text, "x", reviewer=ScriptedReviewer([Continue()]))
    [record] = [as_record(event) for event in events if isinstance(event, StepFinished)]
    assert record | {"call": 0, "seconds": 0.0} == {
        "event": "step_finished",
        "call": 0,
        "path": "a",
        "position": 1,
        "of": 1,
        "tool": "upper",
        "status": "ok",
        "output": "X",
        "error": None,
        "error_code": None,
        "attempts": 1,
        "asked": 1,
        "continued": False,
        "items": None,
        "skipped": [],
        "seconds": 0.0,
    }


def test_a_failure_that_is_continued_past_is_told_as_such(bench):
    events = events_of(bench, "steps: [{use: fail, on_error: continue}, fail]", "x")
    finishes = [
        (event.status, event.error, event.error_code, event.continued)
        for event in events
        if isinstance(event, StepFinished)
    ]
    assert finishes == [("failed", "no x", "refused", True), ("failed", "no no x", "refused", False)]
    assert lines(events)[-1] == "pipeline pipeline failure"


def test_items_are_told_one_by_one(bench):
    text = "inputs: {}\nsteps: [{id: odds, for_each: [1, 2], use: odd, pipe: number, on_item_error: skip}]"
    events = events_of(bench, text, {})
    assert [event.items for event in events if isinstance(event, StepStarted)] == [2]
    assert lines(events)[2:4] == ["  odds[0] ok 1/2", "  odds[1] failed 2/2"]
    assert_paired(events)


def test_retries_are_told(bench):
    failures = [ConnectionError("gone")]

    @tool
    def flaky(text: str) -> str:
        """Work the second time."""
        if failures:
            raise failures.pop()
        return text

    events = events_of(bench.add(flaky), "steps: [{use: flaky, retry: {attempts: 2, backoff: 0s}}]", "x")
    assert "  flaky again after 1: gone" in lines(events)
    assert [event.attempts for event in events if isinstance(event, StepFinished)] == [2]


def test_branches_and_nested_pipelines_have_paths(bench):
    bench.write("steps: [{id: shout, use: upper}]", "inner.yaml")
    events = events_of(bench, "steps: [{id: both, parallel: {left: [reverse, ./inner.yaml]}}]", "ab")
    assert lines(events) == [
        "pipeline pipeline of 1",
        "> both 1/1",
        "> both/left/reverse 1/2",
        "< both/left/reverse ok",
        "> both/left/inner 2/2",
        "pipeline inner of 1",
        "> both/left/inner/shout 1/1",
        "< both/left/inner/shout ok",
        "pipeline inner success",
        "< both/left/inner ok",
        "< both ok",
        "pipeline pipeline success",
    ]
    assert_paired(events)


@pytest.mark.parametrize("decision", [Reject(), ExitEarly()])
def test_every_start_has_one_finish_whatever_a_reviewer_says(bench, decision):
    text = "steps: [upper, {use: reverse, approve: true}, upper]\non_failure: [{use: upper}]"
    events = events_of(bench, text, "x", reviewer=ScriptedReviewer([decision]))
    assert_paired(events)
    ending = {Reject: "failure", ExitEarly: "signal"}[type(decision)]
    assert lines(events)[-1] == f"pipeline pipeline {ending}"


def test_a_step_that_a_signal_ends_is_told_as_ended(bench):
    events = events_of(bench, "steps: [{id: gate, approve: true}]", "x")
    assert_paired(events)
    assert lines(events)[1:] == ["> gate 1/1", "< gate ended", "pipeline pipeline signal"]


def test_branches_that_are_cut_short_are_told_as_ended(bench):
    events = events_of(bench, "steps: [{parallel: {slow: forever, broken: fail}}]", "x")
    assert_paired(events)
    assert "< parallel/slow/forever ended" in lines(events)
    assert "< parallel failed" in lines(events)


def test_cancellation_from_outside_is_told(bench):
    events = []
    pipeline = bench.load("steps: [forever]\non_failure: [upper]")

    async def main():
        has_begun = asyncio.Event()

        def listen(event):
            events.append(event)
            if isinstance(event, ToolStarted) and event.tool == "forever":
                has_begun.set()

        running = asyncio.ensure_future(pipeline.call("x", ToolContext(listener=listen)))
        await has_begun.wait()
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()

    asyncio.run(main())
    assert_paired(events)
    assert lines(events) == [
        "pipeline pipeline of 1",
        "> forever 1/1",
        "< forever ended",
        "> on_failure/upper 1/1",
        "< on_failure/upper ok",
        "pipeline pipeline signal",
    ]


def test_a_listener_that_raises_is_no_failure_of_a_step(bench):
    def listen(event):
        if event.kind == "step_started":
            raise ValueError("cannot listen")

    with pytest.raises(ListenerError, match="cannot listen"):
        bench.load("steps: [upper]").run("x", ToolContext(listener=listen))


def test_with_nobody_listening_the_result_is_the_same(bench):
    text = 'steps: [{id: a, use: upper}, {for_each: "${{ split(prev) }}", use: reverse}, repeat]\nerror_strategy: continue_on_failure'
    pipeline = bench.load(text)
    assert pipeline.run("ab cd", ToolContext(listener=lambda event: None)) == pipeline.run("ab cd")


def test_a_builders_pipeline_is_told_too():
    events = []
    from toolkit.builtin import Calculator

    Pipeline.of(Calculator()).run("1+1", ToolContext(listener=events.append))
    assert lines(events) == [
        "pipeline calculator of 1",
        "> calculator 1/1",
        "< calculator ok",
        "pipeline calculator success",
    ]
