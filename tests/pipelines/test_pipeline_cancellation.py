"""Ctrl-C and cancellation: the running step stops, `on_failure` runs undisturbed, and the interruption goes on."""

import asyncio
import signal

import pytest

from toolkit import ToolContext, tool


def cleaner():
    cleaned = []

    @tool
    async def clean(text: str) -> str:
        """Clean up, which takes a moment."""
        await asyncio.sleep(0.01)
        cleaned.append(text)
        return text

    return clean, cleaned


def test_ctrl_c_in_a_plain_chain_runs_on_failure(bench):
    cleaned = []

    @tool
    def press(text: str) -> str:
        """Press Ctrl-C."""
        raise KeyboardInterrupt

    @tool
    def clean(text: str) -> str:
        """Clean up."""
        cleaned.append(text)
        return text

    pipeline = bench.add(press, clean).load("steps: [press, upper]\non_failure: [clean]")
    assert not pipeline.suspends
    with pytest.raises(KeyboardInterrupt):
        pipeline.run("x")
    assert cleaned == ["the run was interrupted"]


def test_ctrl_c_in_an_event_loop_runs_on_failure(bench):
    clean, cleaned = cleaner()

    @tool
    async def press(text: str) -> str:
        """Press Ctrl-C."""
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        return text

    pipeline = bench.add(press, clean).load("steps: [press]\non_failure: [{clean: {text: '${{ error.code }}'}}]")
    with pytest.raises(KeyboardInterrupt):
        pipeline.run("x")
    assert cleaned == ["interrupted"]


def test_a_second_ctrl_c_leaves_at_once(bench):
    cleaned = []

    @tool
    async def press(text: str) -> str:
        """Press Ctrl-C."""
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        return text

    @tool
    async def press_again(text: str) -> str:
        """Press Ctrl-C while cleaning up."""
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)
        cleaned.append(text)
        return text

    pipeline = bench.add(press, press_again).load("steps: [press]\non_failure: [press_again]")
    with pytest.raises(KeyboardInterrupt):
        pipeline.run("x")
    assert cleaned == []


def test_cancellation_stops_what_runs_side_by_side_and_cleans_up(bench):
    clean, cleaned = cleaner()
    started = []
    both_are_there = asyncio.Event()

    @tool
    async def wait(text: str) -> str:
        """Wait for ever."""
        started.append(text)
        if len(started) == 2:
            both_are_there.set()
        try:
            await asyncio.Event().wait()
        finally:
            started.remove(text)
        return text

    text = 'steps: [{for_each: "${{ split(input) }}", max_parallel: 2, use: wait}]\non_failure: [clean]'
    pipeline = bench.add(wait, clean).load(text)

    async def main():
        running = asyncio.ensure_future(pipeline.call("a b"))
        await both_are_there.wait()
        running.cancel()
        await asyncio.wait([running])
        return running.cancelled()

    assert asyncio.run(main())
    assert started == []
    assert cleaned == ["the run was interrupted"]


def test_a_nested_pipeline_that_runs_out_of_time_cleans_up(bench):
    clean, cleaned = cleaner()
    bench.add(clean).write("steps: [forever]\non_failure: [clean]", "inner.yaml")
    result = bench.run("steps: [{use: ./inner.yaml, timeout: 20ms}]", "x")
    assert (result.error, result.error_code) == ("timed out after 20ms", "timeout")
    assert cleaned == ["the run was interrupted"]


def test_a_branch_that_is_cut_short_cleans_up(bench):
    clean, cleaned = cleaner()
    bench.add(clean).write("steps: [forever]\non_failure: [clean]", "inner.yaml")
    result = bench.run("steps: [{parallel: {slow: ./inner.yaml, broken: [later, fail]}}]", "x")
    assert result.error == "no x"
    assert cleaned == ["the run was interrupted"]


def test_a_pipeline_runs_inside_a_running_loop_too(bench):
    pipeline = bench.load("steps: [upper, later, repeat]")

    async def main():
        return await pipeline.call("x"), pipeline.run("y", ToolContext())

    first, second = asyncio.run(main())
    assert (first.output, second.output) == ("X X", "Y Y")
