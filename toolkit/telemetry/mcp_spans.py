"""Rename the spans of the MCP SDK, which propagates the trace in `_meta`, to follow the semantic conventions.

https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from opentelemetry.metrics import Meter
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status

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
