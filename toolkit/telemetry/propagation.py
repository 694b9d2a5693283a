"""Pass the current trace to child processes, and read the one passed to us, in environment variables.

Their names are those of https://opentelemetry.io/docs/specs/otel/context/env-carriers/
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator


_NAMES: Final = {"traceparent": "TRACEPARENT", "tracestate": "TRACESTATE"}


def trace_variables() -> dict[str, str]:
    """Return the environment variables that identify the current span; empty if OpenTelemetry is not in use.

    Does not import OpenTelemetry.
    """
    if "opentelemetry.trace" not in sys.modules:
        return {}
    carrier: dict[str, str] = {}
    _propagator().inject(carrier)
    return {_NAMES[name]: value for name, value in carrier.items()}


def has_tracer_provider() -> bool:
    """Return whether anything has been installed that may record spans. Does not import OpenTelemetry."""
    trace = sys.modules.get("opentelemetry.trace")
    return trace is not None and not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def without_trace() -> Iterator[None]:
    """Suspend the current span within this block, so that nothing sent there identifies it."""
    if "opentelemetry.trace" not in sys.modules:
        yield
        return
    from opentelemetry import context, trace

    token = context.attach(trace.set_span_in_context(trace.INVALID_SPAN))
    try:
        yield
    finally:
        context.detach(token)


def context_of(variables: Mapping[str, str]) -> "Context":
    """Return the context of the span that the variables identify, or the current context if they identify none."""
    carrier = {name: variables[variable] for name, variable in _NAMES.items() if variable in variables}
    return _propagator().extract(carrier)


def _propagator() -> "TraceContextTextMapPropagator":
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator()


_CHOICES: Final = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
)
_CONTENT: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def wants_telemetry(variables: Mapping[str, str]) -> bool:
    """Return whether the environment variables set a destination for spans or metrics and do not disable telemetry.

    https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
    """
    return not is_disabled(variables) and any(variables.get(name, "") not in ("", "none") for name in _CHOICES)


def is_disabled(variables: Mapping[str, str]) -> bool:
    """Return whether `OTEL_SDK_DISABLED` disables telemetry."""
    return variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def wants_content(variables: Mapping[str, str]) -> bool:
    """Return whether spans can contain arguments, results and messages; this is off by default."""
    return variables.get(_CONTENT, "").strip().lower() in ("true", "span_only", "span_and_event")
