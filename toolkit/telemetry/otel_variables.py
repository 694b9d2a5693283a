"""Read OpenTelemetry's environment variables without importing OpenTelemetry."""

from collections.abc import Mapping
from typing import Final

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
