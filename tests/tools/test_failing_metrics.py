"""Metrics that fail change no call; the log has what was not counted."""

import asyncio
import logging

import pytest

from toolkit import Pipeline, ToolContext, from_function, tool
from toolkit.errors import TerminationRequested
from toolkit.tools import Metrics, RecordingMetrics


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


class Broken(RecordingMetrics):
    """Fails where it is told to."""

    def __init__(self, *operations) -> None:
        super().__init__()
        self.operations_that_fail = operations

    def success(self, tool, agent):
        self.fail_or("success", lambda: super(Broken, self).success(tool, agent))

    def duration(self, tool, agent, seconds):
        self.fail_or("duration", lambda: super(Broken, self).duration(tool, agent, seconds))

    def fail_or(self, operation, record):
        if operation in self.operations_that_fail:
            message = "the server of metrics is down"
            raise OSError(message)
        record()


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_gives_what_it_gives_and_the_rest_is_counted(caplog, is_async):
    metrics = Broken("success")
    context = ToolContext(metrics=metrics)
    doubling = from_function(double)
    with caplog.at_level(logging.WARNING):
        result = (
            asyncio.run(doubling.call({"number": 2}, context)) if is_async else doubling.run({"number": 2}, context)
        )
    assert result.output == "4"
    assert metrics.operations() == [("duration", "double")]
    assert [(record.name, record.getMessage()) for record in caplog.records] == [
        ("toolkit.metrics", "double was not counted: OSError: the server of metrics is down")
    ]


def test_neither_a_signal_nor_a_lack_of_operations_in_metrics_ends_anything(caplog):
    class Half:
        def success(self, tool, agent):
            message = "metrics end nothing"
            raise TerminationRequested(message)

    assert from_function(double).run({"number": 2}, ToolContext(metrics=Half())).output == "4"  # type: ignore[arg-type]
    assert [record.getMessage() for record in caplog.records if record.name == "toolkit.metrics"] == [
        "double was not counted: TerminationRequested: metrics end nothing",
        "double was not counted: AttributeError: 'Half' object has no attribute 'duration'",
    ]


def test_a_failed_call_stays_failed_in_its_own_words():
    def fail() -> str:
        """Fail."""
        message = "the well is dry"
        raise ValueError(message)

    class Dead(Metrics):
        def error(self, tool, agent):
            raise OSError

        def duration(self, tool, agent, seconds):
            raise OSError

    result = from_function(fail).run({}, ToolContext(metrics=Dead()))
    assert (result.error, result.error_code) == ("the well is dry", "error")


def test_a_pipeline_goes_on():
    chain = Pipeline.builder().name("both").description("Doubles.").inputs({"number": {"type": "integer"}})
    chain.step(double, arguments={"number": "${{ inputs.number }}"})
    assert chain.build().run({"number": 2}, ToolContext(metrics=Broken("success", "duration"))).output == "4"
