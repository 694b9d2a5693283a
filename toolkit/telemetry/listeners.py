"""The event listener: a start event begins a span; the finish event ends it and records metrics."""

from typing import Any, Final, NamedTuple

from opentelemetry import context as contexts
from opentelemetry.metrics import MeterProvider, get_meter
from opentelemetry.trace import (
    Span,
    Status,
    StatusCode,
    TracerProvider,
    get_current_span,
    get_tracer,
    set_span_in_context,
)

from toolkit.events import AgentStarted, Event, StepStarted
from toolkit.releases import __version__
from toolkit.telemetry.beginnings import Beginning, beginning_of
from toolkit.telemetry.endings import Ending, ending_of
from toolkit.telemetry.measures import Measures
from toolkit.telemetry.notes import note_of
from toolkit.telemetry.propagation import context_of

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
