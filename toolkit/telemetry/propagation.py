"""Pass the current trace to child processes, and read the one passed to us, in environment variables.

Their names are those of https://opentelemetry.io/docs/specs/otel/context/env-carriers/
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from opentelemetry.context import Context

_NAMES: Final = {"traceparent": "TRACEPARENT", "tracestate": "TRACESTATE"}


def trace_variables() -> dict[str, str]:
    """Return the environment variables that identify the current span; empty if OpenTelemetry is not in use.

    Does not import OpenTelemetry.
    """
    if "opentelemetry.trace" not in sys.modules:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return {_NAMES[name]: value for name, value in carrier.items()}


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
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {name: variables[variable] for name, variable in _NAMES.items() if variable in variables}
    return TraceContextTextMapPropagator().extract(carrier)
