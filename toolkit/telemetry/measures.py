"""The metrics of finished tool calls, steps, pipelines, agents and runs.

Their names, units and buckets are those of
https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-metrics.md
"""

from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.metrics import Meter

from toolkit.events import (
    AgentFinished,
    BatchItemFinished,
    Event,
    ModelFinished,
    PipelineFinished,
    RunFinished,
    StepFinished,
    ToolFinished,
)
from toolkit.telemetry.endings import Ending

_SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS: Final = tuple(4**power for power in range(14))
_DURATIONS: Final[Mapping[type[Event], tuple[str, str]]] = {
    ToolFinished: ("gen_ai.execute_tool.duration", "Duration of a tool call."),
    PipelineFinished: ("gen_ai.workflow.duration", "Duration of a pipeline."),
    AgentFinished: ("gen_ai.invoke_agent.duration", "Duration of an agent."),
    ModelFinished: ("gen_ai.client.operation.duration", "Duration of a request to a model."),
    StepFinished: ("toolkit.step.duration", "Duration of a step of a pipeline."),
    BatchItemFinished: ("toolkit.item.duration", "Duration of an item of a batch."),
    RunFinished: ("toolkit.run.duration", "Duration of a run."),
}
_TAGS: Final = {
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.agent.name",
    "gen_ai.workflow.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "toolkit.run.target",
    "toolkit.step.path",
    "toolkit.step.status",
}
"""The span attributes that metrics have too, because they take few different values."""


class Measures:
    """The metrics of one program."""

    def __init__(self, meter: Meter) -> None:
        """Create the histograms.

        Args:
            meter: The meter to create them with.
        """
        self._durations = {
            kind: meter.create_histogram(
                name, unit="s", description=words, explicit_bucket_boundaries_advisory=_SECONDS
            )
            for kind, (name, words) in _DURATIONS.items()
        }
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Number of tokens sent to models and received from them.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )

    def count(self, event: Event, ending: Ending, known: Mapping[str, Any]) -> None:
        """Record a span that has ended.

        Args:
            event: The finish event.
            ending: What the event adds to the span.
            known: The attributes that the span started with.
        """
        tags = {name: value for name, value in {**known, **ending.attributes}.items() if name in _TAGS}
        failed = {} if ending.error_type is None else {"error.type": ending.error_type}
        self._durations[type(event)].record(ending.seconds, tags | failed)
        if isinstance(event, ModelFinished):
            for kind, tokens in (("input", event.input_tokens), ("output", event.output_tokens)):
                if tokens:
                    self._tokens.record(tokens, tags | {"gen_ai.token.type": kind})
