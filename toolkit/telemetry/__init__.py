"""Report runs as OpenTelemetry spans and metrics.

`Telemetry` is an ordinary event listener. `open_telemetry` also sets up the exporters for its spans and metrics, as
configured by the `OTEL_…` environment variables. Both need the extra `otel`. Spans, attributes and metrics follow the
semantic conventions for generative AI where these define names:
https://github.com/open-telemetry/semantic-conventions-genai
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.telemetry.listeners import Telemetry as Telemetry
    from toolkit.telemetry.otel_setup import OpenTelemetry as OpenTelemetry, open_telemetry as open_telemetry
    from toolkit.telemetry.propagation import trace_variables as trace_variables, wants_telemetry as wants_telemetry
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "listeners": "Telemetry",
            "otel_setup": "open_telemetry OpenTelemetry",
            "propagation": "trace_variables wants_telemetry",
        },
    )
