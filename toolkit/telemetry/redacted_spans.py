"""Masks secrets in spans before they are sent: in our own, in those of the MCP SDK, and in those of any library."""

from collections.abc import Sequence
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status

from toolkit.redactors.redactor import Redactor


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
