"""A receiver of OTLP over HTTP on the loopback: it decodes what it is sent, and keeps it as plain data."""

import gzip
import threading
from contextlib import contextmanager

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.http_servers import http_server

KINDS = {1: "internal", 2: "server", 3: "client"}


class Received:
    """What has come so far.

    Attributes:
        spans: Each span as plain data, in the order in which they ended.
        metrics: The points of each metric, by its name.
        url: Where the receiver is.
    """

    def __init__(self):
        self.spans, self.metrics, self.resources, self.url = [], {}, [], ""

    def named(self, name):
        """Return the one span of this name."""
        (found,) = [span for span in self.spans if span["name"] == name]
        return found

    def tree(self, parent=""):
        """Return the names of all spans as a tree, brothers in the order in which they began."""
        known = {span["id"] for span in self.spans}
        below = [
            span for span in self.spans if span["parent"] == parent or (not parent and span["parent"] not in known)
        ]
        return [(span["name"], self.tree(span["id"])) for span in sorted(below, key=lambda span: span["began"])]

    def traces(self):
        """Return the ids of all traces."""
        return {span["trace"] for span in self.spans}

    def take(self, path, body):
        """Take a request in."""
        if path == "/v1/traces":
            request = ExportTraceServiceRequest.FromString(body)
            for group in request.resource_spans:
                self.resources.append(_plain(group.resource.attributes))
                self.spans += [_span(span) for scope in group.scope_spans for span in scope.spans]
        else:
            for group in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for metric in (metric for scope in group.scope_metrics for metric in scope.metrics):
                    points = [(_plain(point.attributes), point.count) for point in metric.histogram.data_points]
                    self.metrics.setdefault(metric.name, []).extend(points)


@contextmanager
def receiving():
    """Provide a receiver, running."""
    received, lock = Received(), threading.Lock()

    def take(asked):
        body = gzip.decompress(asked.body) if asked.headers.get("content-encoding") == "gzip" else asked.body
        with lock:
            received.take(asked.path, body)
        return 200, {"Content-Type": "application/x-protobuf"}, b""

    with http_server(take) as received.url:
        yield received


def _span(span):
    return {
        "name": span.name,
        "kind": KINDS[span.kind],
        "id": span.span_id.hex(),
        "parent": span.parent_span_id.hex(),
        "trace": span.trace_id.hex(),
        "began": span.start_time_unix_nano,
        "attributes": _plain(span.attributes),
        "failed": span.status.code == 2,
        "message": span.status.message,
        "events": [(event.name, _plain(event.attributes)) for event in span.events],
    }


def _plain(attributes):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}
