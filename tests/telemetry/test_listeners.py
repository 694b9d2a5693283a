"""The listener in a program of one's own: what happens becomes spans of the providers that it is given."""

import asyncio
from contextvars import copy_context
from threading import Thread

import pytest

from toolkit import Continue, Pipeline, ToolContext, from_function
from toolkit.events import ModelFinished, ModelStarted, ToolFinished, ToolStarted

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import get_current_span

from toolkit.telemetry import Telemetry


def greet(name: str) -> str:
    """Greet somebody."""
    return f"hello {name}"


def shout(text: str) -> str:
    """Put text into capitals."""
    return text.upper()


class Observed:
    """A listener, and what it has made."""

    def __init__(self, **options):
        self._spans, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.listener = Telemetry(tracer_provider=tracers, meter_provider=MeterProvider([self._reader]), **options)

    def spans(self):
        """Return the names of the spans with those of their parents, in the order in which they ended."""
        found = self._spans.get_finished_spans()
        names = {span.context.span_id: span.name for span in found}
        return [(span.name, names.get(span.parent.span_id) if span.parent else None) for span in found]

    def attributes(self, name):
        (span,) = [span for span in self._spans.get_finished_spans() if span.name == name]
        return dict(span.attributes or {})

    def events(self, name):
        (span,) = [span for span in self._spans.get_finished_spans() if span.name == name]
        return [(event.name, dict(event.attributes or {})) for event in span.events]

    def points(self):
        data = self._reader.get_metrics_data()
        metrics = [
            metric for group in data.resource_metrics for scope in group.scope_metrics for metric in scope.metrics
        ]
        return {
            metric.name: sorted(
                (point.attributes.get("gen_ai.token.type", ""), point.sum) for point in metric.data.data_points
            )
            for metric in metrics
            if metric.name.endswith("usage")
        }


def test_what_is_done_side_by_side_belongs_to_what_began_it():
    observed = Observed()
    pipeline = Pipeline.of(from_function(greet), from_function(shout))

    async def both():
        context = ToolContext(listener=observed.listener)
        return await asyncio.gather(*(pipeline.call({"input": name}, context) for name in ("Ada", "Bob")))

    assert [result.output for result in asyncio.run(both())] == ["HELLO ADA", "HELLO BOB"]
    tree = [
        ("execute_tool greet", "step greet"),
        ("step greet", "invoke_workflow greet_then_shout"),
        ("execute_tool shout", "step shout"),
        ("step shout", "invoke_workflow greet_then_shout"),
        ("invoke_workflow greet_then_shout", "execute_tool greet_then_shout"),
        ("execute_tool greet_then_shout", None),
    ]
    assert sorted(observed.spans()) == sorted(tree * 2)
    assert not get_current_span().get_span_context().is_valid


def test_work_in_threads_belongs_to_the_call_too():
    seen = []

    def look(text: str) -> str:
        """Look which span is the current one."""
        seen.append(getattr(get_current_span(), "name", None))
        return text

    async def call():
        return await from_function(look).call({"text": "a"}, ToolContext(listener=Observed().listener))

    asyncio.run(call())
    assert seen == ["execute_tool look"]


def test_answers_to_questions_are_events_without_content():
    observed = Observed()

    class Agreeing:
        async def review(self, request):
            return Continue()

    tool = from_function(greet, requires_approval=True)
    tool.run({"name": "Ada"}, ToolContext(reviewer=Agreeing(), listener=observed.listener))
    ((name, told),) = observed.events("execute_tool greet")
    assert (name, told["toolkit.approval.decision"], told["gen_ai.tool.name"]) == ("approval", "continue", "greet")


def test_tokens_are_attributes_and_a_metric():
    observed = Observed(content=True)
    observed.listener(ModelStarted(1, "openai-chat:gpt-7", agent="clerk", run=None, turn=1))
    observed.listener(
        ModelFinished(
            1,
            "openai-chat:gpt-7",
            agent="clerk",
            run=None,
            turn=1,
            outcome="success",
            text="hello",
            calls=0,
            cut=False,
            input_tokens=20,
            output_tokens=3,
            cost=0.5,
            error=None,
            seconds=0.25,
        )
    )
    assert observed.attributes("chat gpt-7") == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-7",
        "gen_ai.agent.name": "clerk",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content": "hello"}], "finish_reason": "stop"}]',
        "toolkit.usage.cost": 0.5,
    }
    assert observed.points() == {"gen_ai.client.token.usage": [("input", 20), ("output", 3)]}


def test_span_that_another_thread_ends_leaves_the_context_alone():
    observed = Observed()
    context = copy_context()  # no other test is to go on inside this span
    context.run(observed.listener, ToolStarted(1, "greet", {}))
    ending = ToolFinished(1, "greet", outcome="signal", output="", error="cancelled", error_code="signal", seconds=0.1)
    thread = Thread(target=observed.listener, args=(ending,))
    thread.start()
    thread.join()
    context.run(observed.listener, ending)
    assert observed.spans() == [("execute_tool greet", None)]
    assert observed.attributes("execute_tool greet")["error.type"] == "signal"
