"""Telemetry: what happens in runs, as spans and metrics of OpenTelemetry; the only room that imports it.

`Telemetry` is a listener like any other. `open_telemetry` also opens what sends its spans and metrics, as the variables
`OTEL_…` say. Both need the extra `otel`. The names of spans, attributes and metrics are those of the semantic
conventions for generative AI where there are any: https://github.com/open-telemetry/semantic-conventions-genai
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.telemetry.listeners import Telemetry as Telemetry
    from toolkit.telemetry.propagation import trace_variables as trace_variables
    from toolkit.telemetry.providers import OpenTelemetry as OpenTelemetry, open_telemetry as open_telemetry
    from toolkit.telemetry.wishes import wants_telemetry as wants_telemetry
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "listeners": "Telemetry",
            "providers": "OpenTelemetry open_telemetry",
            "propagation": "trace_variables",
            "wishes": "wants_telemetry",
        },
    )
