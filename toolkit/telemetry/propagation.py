"""Propagation: how a child process learns which trace it belongs to, and how we do.

The names are those of https://opentelemetry.io/docs/specs/otel/context/env-carriers/
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from opentelemetry.context import Context

_NAMES: Final = {"traceparent": "TRACEPARENT", "tracestate": "TRACESTATE"}


def trace_variables() -> dict[str, str]:
    """Return the variables that name the current span; none where nobody traces. It imports nothing then."""
    if "opentelemetry.trace" not in sys.modules:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return {_NAMES[name]: value for name, value in carrier.items()}


@contextmanager
def without_trace() -> Iterator[None]:
    """Let nothing that is sent within this block name the current span."""
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
    """Return the context of the span that variables name; the current one if they name none."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {name: variables[variable] for name, variable in _NAMES.items() if variable in variables}
    return TraceContextTextMapPropagator().extract(carrier)
