"""Waiting for a person is nobody's work: it is in no duration, of the call, of what is round it, or of its neighbours."""

import asyncio
from time import perf_counter

import pytest

from toolkit import Continue, ExitEarly, ExitEarlyError, Reject, ToolContext, from_function
from toolkit.events import ApprovalDecided, ToolFinished
from toolkit.tools import RecordingMetrics, Waiting


class Thinking:
    """A reviewer who turns over a question for a while, in turns of the loop and without sleeping."""

    def __init__(self, decision=None):
        self.decision = decision or Continue()

    async def review(self, request):
        began = perf_counter()
        while perf_counter() - began < 0.05:  # noqa: ASYNC110 - time itself is what passes
            await asyncio.sleep(0)
        return self.decision


def seconds_of(call, reviewer):
    """Return what a call is said to have taken, what it took on the clock, and what the answer took."""
    metrics, events = RecordingMetrics(), []
    began = perf_counter()
    try:
        call(ToolContext(reviewer=reviewer, metrics=metrics, listener=events.append))
    except ExitEarlyError:
        assert metrics.records == []
    else:
        assert [record.number for record in metrics.records if record.operation == "duration"] == [
            event.seconds for event in events if isinstance(event, ToolFinished)
        ]
    total = perf_counter() - began
    waits = [event.seconds for event in events if isinstance(event, ApprovalDecided)]
    taken = [event.seconds for event in events if isinstance(event, ToolFinished)]
    return taken, total, waits


GATED = from_function(lambda: "ran", name="gated", requires_approval=True)


def asking(context: ToolContext) -> str:
    """Asks in its work."""
    return repr(context.request_approval("May I?"))


async def asking_later(context: ToolContext) -> str:
    """Asks in its work."""
    return repr(await context.request_approval_async("May I?"))


async def round_a_question(context: ToolContext) -> str:
    """Calls a gated tool."""
    return (await GATED.call("{}", context)).text


TOOLS = [GATED, from_function(asking), from_function(asking_later), from_function(round_a_question)]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("decision", [Continue(), Reject("no"), ExitEarly()], ids=repr)
def test_the_time_of_an_answer_is_in_no_duration(tool, decision):
    taken, total, waits = seconds_of(lambda context: tool.run("{}", context), Thinking(decision))
    (waited,) = waits
    assert waited >= 0.05
    assert taken
    for seconds in taken:
        assert 0 <= seconds <= total - waited


def test_questions_that_are_open_at_the_same_time_count_once():
    async def fan_out(context: ToolContext) -> str:
        """Calls three gated tools at once."""
        results = await asyncio.gather(*(GATED.call("{}", context) for _ in range(3)))
        return str([result.text for result in results])

    taken, total, waits = seconds_of(lambda context: from_function(fan_out).run("{}", context), Thinking())
    assert len(waits) == 3
    assert sum(waits) > total
    assert 0 <= taken[-1] <= total - max(waits)
    assert min(taken) >= 0


def test_waiting_counts_for_everything_round_it():
    outer = Waiting()
    inner = Waiting(outer)
    with inner, outer:
        pass
    assert 0 < outer.seconds == pytest.approx(inner.seconds, abs=1e-3)
    with pytest.raises(RuntimeError), inner:
        raise RuntimeError
    assert outer.seconds >= inner.seconds - 1e-3
    before = outer.seconds
    assert (outer.seconds, inner.seconds) == (before, inner.seconds)
