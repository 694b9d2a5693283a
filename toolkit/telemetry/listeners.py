"""The event listener: a start event begins a span; the finish event ends it and records metrics."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from opentelemetry import context as contexts
from opentelemetry.metrics import Meter, MeterProvider, get_meter
from opentelemetry.trace import (
    Span,
    Status,
    StatusCode,
    TracerProvider,
    get_current_span,
    get_tracer,
    set_span_in_context,
)

from toolkit.events import (
    AgentFinished,
    AgentStarted,
    BatchItemFinished,
    Event,
    ModelFinished,
    PipelineFinished,
    RunFinished,
    StepFinished,
    StepStarted,
    ToolFinished,
)
from toolkit.releases import __version__
from toolkit.telemetry.propagation import context_of
from toolkit.telemetry.spans import Beginning, Ending, beginning_of, ending_of, note_of

_SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS: Final = tuple(4**power for power in range(14))
_DURATIONS: Final[Mapping[type[Event], tuple[str, str]]] = {
    ToolFinished: ("gen_ai.execute_tool.duration", "Duration of a tool call."),
    PipelineFinished: ("gen_ai.workflow.duration", "Duration of a pipeline."),
    AgentFinished: ("gen_ai.invoke_agent.duration", "Duration of an agent."),
    ModelFinished: ("gen_ai.client.operation.duration", "Duration of a request to a model."),
    StepFinished: ("toolkit.step.duration", "Duration of a step of a pipeline."),
    BatchItemFinished: ("toolkit.item.duration", "Duration of an item of a batch."),
    RunFinished: ("toolkit.run.duration", "Duration of a run."),
}
_TAGS: Final = {
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.agent.name",
    "gen_ai.workflow.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "toolkit.run.target",
    "toolkit.step.path",
    "toolkit.step.status",
}
"""The span attributes that metrics have too, because they take few different values."""


class Measures:
    """The metrics of one program."""

    def __init__(self, meter: Meter) -> None:
        """Create the histograms.

        Args:
            meter: The meter to create them with.
        """
        self._durations = {
            kind: meter.create_histogram(
                name, unit="s", description=words, explicit_bucket_boundaries_advisory=_SECONDS
            )
            for kind, (name, words) in _DURATIONS.items()
        }
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Number of tokens sent to models and received from them.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )

    def count(self, event: Event, ending: Ending, known: Mapping[str, Any]) -> None:
        """Record a span that has ended.

        Args:
            event: The finish event.
            ending: What the event adds to the span.
            known: The attributes that the span started with.
        """
        tags = {name: value for name, value in {**known, **ending.attributes}.items() if name in _TAGS}
        failed = {} if ending.error_type is None else {"error.type": ending.error_type}
        self._durations[type(event)].record(ending.seconds, tags | failed)
        if isinstance(event, ModelFinished):
            for kind, tokens in (("input", event.input_tokens), ("output", event.output_tokens)):
                if tokens:
                    self._tokens.record(tokens, tags | {"gen_ai.token.type": kind})


SCOPE: Final = "toolkit"
_IN_AGENT: Final = contexts.create_key("toolkit-in-agent")


class _Open(NamedTuple):
    """An open span, how it began, and the token that restores the context before it."""

    span: Span
    beginning: Beginning
    token: Any


class Telemetry:
    """An event listener that reports runs as OpenTelemetry spans and metrics.

    Each span is the current span until it ends, so spans that are created meanwhile become its children, even in tasks
    and threads.

    Example:
        >>> from toolkit import ToolContext, from_function
        >>> from toolkit.telemetry import Telemetry
        >>> def greet(name: str) -> str:
        ...     '''Greet somebody.'''
        ...     return f"Hello, {name}!"
        >>> from_function(greet).run({"name": "Ada"}, ToolContext(listener=Telemetry())).output
        'Hello, Ada!'
    """

    wants_pieces: Final = False
    """Events about pieces of streamed model output are not received."""

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        content: bool = False,
    ) -> None:
        """Create the listener.

        Args:
            tracer_provider: Creates the spans; the global provider by default.
            meter_provider: Creates the metrics; the global provider by default.
            content: Whether spans include arguments, results, messages and error messages. Secrets are always masked.
        """
        self._tracer = get_tracer(SCOPE, __version__, tracer_provider)
        self._measures = Measures(get_meter(SCOPE, __version__, meter_provider))
        self._content = content
        self._open: dict[int, _Open] = {}

    def __call__(self, event: Event) -> None:
        """Record an event."""
        if (beginning := beginning_of(event, content=self._content)) is not None:
            self._begin(event, beginning)
        elif (ending := ending_of(event, content=self._content)) is not None:
            self._end(event, ending)
        elif (note := note_of(event)) is not None:
            get_current_span().add_event(*note)

    def _begin(self, event: Any, beginning: Beginning) -> None:
        if isinstance(event, StepStarted) and contexts.get_value(_IN_AGENT):
            return  # a step of an agent is a tool call, which has a span
        is_elsewhere = beginning.trace is not None and not get_current_span().get_span_context().is_valid
        parent = context_of(beginning.trace or {}) if is_elsewhere else contexts.get_current()
        span = self._tracer.start_span(beginning.name, parent, beginning.kind, beginning.attributes)
        inner = set_span_in_context(span, contexts.set_value(_IN_AGENT, isinstance(event, AgentStarted)))
        self._open[event.call] = _Open(span, beginning, contexts.attach(inner))

    def _end(self, event: Any, ending: Ending) -> None:
        """End a span and record it; a second finish event, as after an abandoned run, is ignored."""
        if (opened := self._open.pop(event.call, None)) is None:
            return
        span = opened.span
        if get_current_span() is span:  # in another context, there is nothing to detach
            contexts.detach(opened.token)
        span.set_attributes(ending.attributes)
        if ending.error_type is not None:
            span.set_attribute("error.type", ending.error_type)
            span.set_status(Status(StatusCode.ERROR, ending.message))
        span.end()
        self._measures.count(event, ending, opened.beginning.attributes)
