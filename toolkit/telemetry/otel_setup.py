"""Set up OpenTelemetry's providers and exporters, as configured by the `OTEL_…` environment variables."""

import os
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from threading import Thread
from typing import Any, Final

from toolkit.errors import ConfigurationError
from toolkit.problems import how_to_install
from toolkit.redactors.environment import redactor_of_environment
from toolkit.redactors.redactor import Redactor
from toolkit.releases import __version__
from toolkit.telemetry.listeners import SCOPE, Telemetry
from toolkit.telemetry.mcp_spans import McpDurations, McpExporter
from toolkit.telemetry.propagation import context_of, wants_content
from toolkit.telemetry.redacted_spans import RedactingExporter

try:
    from opentelemetry import context as contexts, metrics, trace
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
except ModuleNotFoundError as error:
    message = f"telemetry needs the extra 'otel': {how_to_install('toolkit-cli[otel]')}"
    raise ConfigurationError(message) from error


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
