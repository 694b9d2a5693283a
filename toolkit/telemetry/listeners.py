"""The event listener: a start event begins a span; the finish event ends it and records metrics.

Each span has its name, kind and attributes from the start, the outcome from the end, and notes of what happens between.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from opentelemetry import context as contexts
from opentelemetry.metrics import Meter, MeterProvider, get_meter
from opentelemetry.trace import (
    Span,
    SpanKind,
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
    ApprovalDecided,
    BatchItemFinished,
    BatchItemStarted,
    Event,
    ItemFinished,
    ModelFinished,
    ModelStarted,
    PipelineFinished,
    PipelineStarted,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    ToolFinished,
    ToolStarted,
)
from toolkit.json_texts import as_plain
from toolkit.releases import __version__
from toolkit.telemetry.propagation import context_of

_PROVIDERS: Final = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "chat": "openai",
    "gateway": "openai",
    "google": "gcp.gemini",
    "google-gla": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "grok": "x_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "xai": "x_ai",
}
"""Provider names in the semantic conventions, where they differ from the prefix of a model's name."""


class Beginning(NamedTuple):
    """The start of a span.

    Attributes:
        name: Name of the span, with low cardinality.
        attributes: Attributes that the span starts with.
        kind: `SpanKind.CLIENT` for a request to a model.
        trace: Environment variables that identify the parent span if it is in another process.
    """

    name: str
    attributes: dict[str, Any]
    kind: SpanKind = SpanKind.INTERNAL
    trace: Mapping[str, str] | None = None


def beginning_of(event: Event, *, content: bool) -> Beginning | None:
    """Return the start of the span that an event begins, or `None` if it begins none.

    Args:
        event: The event, with secrets already masked.
        content: Whether to include arguments in the attributes.
    """
    match event:
        case ToolStarted(tool=tool, arguments=arguments):
            more = {"gen_ai.tool.call.arguments": text_of(arguments)} if content else {}
            return _operation("execute_tool", tool, {"gen_ai.tool.name": tool, "gen_ai.tool.type": "function"} | more)
        case PipelineStarted(pipeline=pipeline, steps=steps):
            return _operation(
                "invoke_workflow", pipeline, {"gen_ai.workflow.name": pipeline, "toolkit.pipeline.steps": steps}
            )
        case AgentStarted(agent=agent, model=model):
            return _operation("invoke_agent", agent, {"gen_ai.agent.name": agent} | _of_model(model))
        case ModelStarted(model=model, agent=agent):
            attributes = _of_model(model) | {"gen_ai.agent.name": agent}
            return _operation("chat", attributes["gen_ai.request.model"], attributes)._replace(kind=SpanKind.CLIENT)
    return _of_ours(event)


def _of_ours(event: Event) -> Beginning | None:
    """Return the start of a span that the semantic conventions do not define."""
    match event:
        case StepStarted(path=path, tool=tool):
            more = {} if tool is None else {"gen_ai.tool.name": tool}
            return Beginning(f"step {path}", {"toolkit.step.path": path} | more)
        case BatchItemStarted(tool=tool, number=number, run=run, trace=trace):
            attributes = {"toolkit.item.number": number, "toolkit.run.target": tool}
            return Beginning(f"item {tool}", attributes | ({} if run is None else {"toolkit.run.id": run}), trace=trace)
        case RunStarted(target=target, run=run):
            return Beginning(f"run {target}", {"toolkit.run.target": target, "toolkit.run.id": run})
    return None


def _operation(name: str, target: str, attributes: Mapping[str, Any]) -> Beginning:
    return Beginning(f"{name} {target}", {"gen_ai.operation.name": name, **attributes})


def _of_model(name: str) -> dict[str, Any]:
    """Return the attributes of a model named `provider:model`."""
    provider, _, model = name.rpartition(":")
    provider = provider.partition("/")[0] or "_OTHER"
    return {"gen_ai.provider.name": _PROVIDERS.get(provider, provider), "gen_ai.request.model": model}


def text_of(value: Any) -> str:
    """Return a value as the text of an attribute: strings unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=as_plain)


_WELL: Final = {"success", "ok", "skipped"}


class Ending(NamedTuple):
    """The end of a span.

    Attributes:
        seconds: Duration, excluding the time spent waiting for a person.
        attributes: Attributes to add to the span.
        error_type: Type of the error, or `None` on success.
        message: The error message; only with content.
    """

    seconds: float
    attributes: dict[str, Any]
    error_type: str | None = None
    message: str | None = None


def ending_of(event: Event, *, content: bool) -> Ending | None:
    """Return the end of the span that an event ends, or `None` if it ends none.

    Args:
        event: The event, with secrets already masked.
        content: Whether to include results, messages and error messages.
    """
    match event:
        case ToolFinished(outcome=outcome, error_code=code, output=output, error=error, seconds=seconds):
            more = {"gen_ai.tool.call.result": output} if content and error is None else {}
            return _ended(seconds, more, outcome, code, error if content else None)
        case BatchItemFinished(outcome=outcome, error_code=code, error=error, seconds=seconds):
            return _ended(seconds, {}, outcome, code, error if content else None)
        case StepFinished(status=status, error_code=code, attempts=attempts, error=error, seconds=seconds):
            known = {"toolkit.step.status": status, "toolkit.step.attempts": attempts}
            return _ended(seconds, known, status, code, error if content else None)
        case ModelFinished():
            return _end_of_model(event, content=content)
        case PipelineFinished() | AgentFinished() | RunFinished():
            return _ended(event.seconds, {}, event.outcome, None, event.error if content else None)
    return None


def _end_of_model(event: ModelFinished, *, content: bool) -> Ending:
    known: dict[str, Any] = {}
    if event.input_tokens or event.output_tokens:
        known = {
            "gen_ai.usage.input_tokens": event.input_tokens,
            "gen_ai.usage.output_tokens": event.output_tokens,
        }
    if event.cost is not None:
        known["toolkit.usage.cost"] = event.cost
    if content and event.text:
        known["gen_ai.output.messages"] = text_of([_message(event)])
    return _ended(event.seconds, known, event.outcome, None, event.error if content else None)


def _message(event: ModelFinished) -> dict[str, Any]:
    """Return a model's reply in the message format of the semantic conventions."""
    reason = "length" if event.cut else "tool_call" if event.calls else "stop"
    return {"role": "assistant", "parts": [{"type": "text", "content": event.text}], "finish_reason": reason}


def _ended(
    seconds: float, attributes: dict[str, Any], outcome: str, code: str | int | None, message: str | None
) -> Ending:
    if outcome in _WELL:
        return Ending(seconds, attributes)
    return Ending(seconds, attributes, str(outcome if code is None else code), message)


def note_of(event: Event) -> tuple[str, dict[str, Any]] | None:
    """Return the name and attributes of the span event for an event, or `None`; they contain no content."""
    match event:
        case StepRetried(attempt=attempt, delay=delay):
            return "retry", {"toolkit.step.attempt": attempt, "toolkit.step.delay": delay}
        case ItemFinished(index=index, status=status):
            return "item", {"toolkit.item.index": index, "toolkit.item.status": status}
        case ApprovalDecided(tool=tool, decision=decision, seconds=seconds):
            return "approval", {
                "gen_ai.tool.name": tool,
                "toolkit.approval.decision": decision,
                "toolkit.approval.seconds": seconds,
            }
    return None


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
