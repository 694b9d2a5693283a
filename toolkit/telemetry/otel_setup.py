"""Set up OpenTelemetry's providers and exporters, as configured by the `OTEL_…` environment variables.

Before spans are sent, secrets are masked in all of them: in our own, in those of the MCP SDK, and in those of any
library. The spans of the MCP SDK, which propagates the trace in `_meta`, are renamed to follow the semantic
conventions: https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from threading import Thread
from typing import Any, Final

from opentelemetry.metrics import Meter
from opentelemetry.sdk.trace import Event, ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status

from toolkit.errors import ConfigurationError, not_installed
from toolkit.redactors.redactor import Redactor, redactor_of_environment
from toolkit.releases import __version__
from toolkit.telemetry.listeners import SCOPE, Telemetry
from toolkit.telemetry.propagation import context_of, wants_content

_SDK: Final = "mcp-python-sdk"
_SENT: Final = "MCP send "
_SECONDS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_TAGS: Final = {
    "mcp.method.name",
    "mcp.protocol.version",
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.prompt.name",
    "error.type",
    "rpc.response.status_code",
}
_NANOSECONDS: Final = 1e9


class McpExporter(SpanExporter):
    """Renames MCP spans and passes all spans to another exporter; without content, a peer's messages are removed."""

    def __init__(self, inner: SpanExporter, *, content: bool) -> None:
        """Wrap an exporter.

        Args:
            inner: The exporter that sends the spans.
            content: Whether spans can contain error messages and events.
        """
        self._inner, self._content = inner, content

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export the spans."""
        return self._inner.export([self._renamed(span) if _is_of_mcp(span) else span for span in spans])

    def shutdown(self) -> None:
        """Shut down the other exporter."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the other exporter."""
        return self._inner.force_flush(timeout_millis)

    def _renamed(self, span: ReadableSpan) -> ReadableSpan:
        return ReadableSpan(
            name=span.name.removeprefix(_SENT),
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=attributes_of(span),
            events=span.events if self._content else (),
            links=span.links,
            kind=span.kind,
            status=span.status if self._content else Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )


class McpDurations(SpanProcessor):
    """Records the duration of MCP requests, both sent and answered."""

    def __init__(self, meter: Meter) -> None:
        """Create the histograms."""
        self._durations = {
            kind: meter.create_histogram(
                f"mcp.{side}.operation.duration",
                unit="s",
                description=words,
                explicit_bucket_boundaries_advisory=_SECONDS,
            )
            for kind, side, words in (
                (SpanKind.CLIENT, "client", "Duration of a request to an MCP server."),
                (SpanKind.SERVER, "server", "Duration of a request that an MCP server answered."),
            )
        }

    def on_end(self, span: ReadableSpan) -> None:
        """Record the duration of a span that has ended."""
        if _is_of_mcp(span) and span.kind in self._durations and span.start_time and span.end_time:
            tags = {name: value for name, value in attributes_of(span).items() if name in _TAGS}
            self._durations[span.kind].record((span.end_time - span.start_time) / _NANOSECONDS, tags)


def attributes_of(span: ReadableSpan) -> Mapping[str, Any]:
    """Return the attributes of an MCP span, with the name of the called tool, which the SDK sets on servers only."""
    known = dict(span.attributes or {})
    method, _, target = span.name.removeprefix(_SENT).partition(" ")
    if method == "tools/call" and target:
        known |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": target}
    return known


def _is_of_mcp(span: ReadableSpan) -> bool:
    return span.instrumentation_scope is not None and span.instrumentation_scope.name == _SDK


class RedactingExporter(SpanExporter):
    """Passes spans without secrets to another exporter."""

    def __init__(self, inner: SpanExporter, redactor: Redactor) -> None:
        """Wrap an exporter.

        Args:
            inner: The exporter that sends the spans.
            redactor: Masks the secrets.
        """
        self._inner, self._redactor = inner, redactor

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export the spans."""
        return self._inner.export([self._redacted(span) for span in spans])

    def shutdown(self) -> None:
        """Shut down the other exporter."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the other exporter."""
        return self._inner.force_flush(timeout_millis)

    def _redacted(self, span: ReadableSpan) -> ReadableSpan:
        """Return a span without secrets; the same object if it has none."""
        events = [(event.name, dict(event.attributes or {})) for event in span.events]
        texts = [span.name, dict(span.attributes or {}), events, span.status.description]
        shown: list[Any] = self._redactor.data(texts)
        if shown is texts:
            return span
        name, attributes, events, description = shown
        return ReadableSpan(
            name=name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=attributes,
            events=[
                Event(name, attributes, event.timestamp)
                for event, (name, attributes) in zip(span.events, events, strict=True)
            ],
            links=span.links,
            kind=span.kind,
            status=Status(span.status.status_code, description),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )


try:
    from opentelemetry import context as contexts, metrics, trace
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
except ModuleNotFoundError as error:
    raise not_installed("telemetry needs", "toolkit-cli[otel]") from error


_PROTOCOLS: Final = {"http/protobuf": "otlp_proto_http", "grpc": "otlp_proto_grpc", "http/json": "otlp_json_http"}
_PATIENCE: Final = 3.0


class OpenTelemetry:
    """The providers and exporters of spans and metrics.

    Attributes:
        listener: The event listener that creates the spans and metrics.
    """

    def __init__(self, variables: Mapping[str, str], redactor: Redactor | None = None) -> None:
        """Set up telemetry for the whole program.

        Args:
            variables: Environment variables. `TRACEPARENT` identifies the parent of all spans.
            redactor: Masks secrets in spans; by default, those in the environment.

        Raises:
            ConfigurationError: If the variables name an exporter that is not installed.
        """
        content = wants_content(variables)
        resource = _resource(variables)
        readers = [
            PeriodicExportingMetricReader(_metric_exporter(name)) for name in _exporters_named("metrics", variables)
        ]
        self._meters = MeterProvider(readers, resource, shutdown_on_exit=False)
        self._tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._tracers.add_span_processor(McpDurations(self._meters.get_meter(SCOPE, __version__)))
        for name in _exporters_named("traces", variables):
            sending = RedactingExporter(_span_exporter(name), redactor or redactor_of_environment())
            exporter = McpExporter(sending, content=content)
            self._tracers.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(self._tracers)
        metrics.set_meter_provider(self._meters)
        self.listener = Telemetry(tracer_provider=self._tracers, meter_provider=self._meters, content=content)
        self._token = contexts.attach(context_of(variables))

    def close(self) -> None:
        """Send the remaining spans and metrics within three seconds, and shut down."""
        contexts.detach(self._token)
        sending = Thread(target=self._send_rest, name="telemetry", daemon=True)
        sending.start()
        sending.join(_PATIENCE)

    def _send_rest(self) -> None:
        self._tracers.shutdown()
        self._meters.shutdown()


def open_telemetry(variables: Mapping[str, str] | None = None, *, redactor: Redactor | None = None) -> OpenTelemetry:
    """Set up telemetry for the whole program; pass its `listener` to a `ToolContext`.

    Args:
        variables: The `OTEL_…` variables; those of the environment by default.
        redactor: Masks secrets in all spans, also in those of other libraries; by default, those in the environment.

    Raises:
        ConfigurationError: If the variables name an exporter that is not installed.
    """
    return OpenTelemetry(os.environ if variables is None else variables, redactor)


def _resource(variables: Mapping[str, str]) -> Resource:
    """Return the resource of all spans and metrics; a service name in the environment takes precedence."""
    is_named = "OTEL_SERVICE_NAME" in variables or "service.name=" in variables.get("OTEL_RESOURCE_ATTRIBUTES", "")
    ours = {SERVICE_VERSION: __version__} | ({} if is_named else {SERVICE_NAME: "toolkit"})
    return Resource.create(ours)


def _exporters_named(signal: str, variables: Mapping[str, str]) -> list[str]:
    """Return the entry point names of the exporters for a signal."""
    upper = signal.upper()
    wanted = [name.strip() for name in variables.get(f"OTEL_{upper}_EXPORTER", "").split(",") if name.strip()]
    protocol = (
        variables.get(f"OTEL_EXPORTER_OTLP_{upper}_PROTOCOL")
        or variables.get("OTEL_EXPORTER_OTLP_PROTOCOL")
        or "http/protobuf"
    )
    otlp = _PROTOCOLS.get(protocol, protocol)
    return [otlp if name == "otlp" else name for name in wanted or ["otlp"] if name != "none"]


def _span_exporter(name: str) -> Any:
    if name == "console":
        return ConsoleSpanExporter(out=sys.stderr)
    return _installed("opentelemetry_traces_exporter", name)


def _metric_exporter(name: str) -> Any:
    if name == "console":
        return ConsoleMetricExporter(out=sys.stderr)
    return _installed("opentelemetry_metrics_exporter", name)


def _installed(group: str, name: str) -> Any:
    """Return an exporter that an installed package provides.

    Raises:
        ConfigurationError: If no package provides it.
    """
    known = entry_points(group=group)
    if name not in known.names:
        there = ", ".join(sorted(known.names))
        raise ConfigurationError(
            f"the OTEL_… variables name the exporter '{name}', which is not installed; installed exporters: {there}"
        )
    return known[name].load()()
