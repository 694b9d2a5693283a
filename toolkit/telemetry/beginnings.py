"""The name, kind and attributes of the span that a start event begins."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from opentelemetry.trace import SpanKind

from toolkit.events import (
    AgentStarted,
    BatchItemStarted,
    Event,
    ModelStarted,
    PipelineStarted,
    RunStarted,
    StepStarted,
    ToolStarted,
)
from toolkit.json_texts import as_plain

_PROVIDERS: Final = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "chat": "openai",
    "gateway": "openai",
    "google": "gcp.gemini",
    "google-gla": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "grok": "x_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "xai": "x_ai",
}
"""Provider names in the semantic conventions, where they differ from the prefix of a model's name."""


class Beginning(NamedTuple):
    """The start of a span.

    Attributes:
        name: Name of the span, with low cardinality.
        attributes: Attributes that the span starts with.
        kind: `SpanKind.CLIENT` for a request to a model.
        trace: Environment variables that identify the parent span if it is in another process.
    """

    name: str
    attributes: dict[str, Any]
    kind: SpanKind = SpanKind.INTERNAL
    trace: Mapping[str, str] | None = None


def beginning_of(event: Event, *, content: bool) -> Beginning | None:
    """Return the start of the span that an event begins, or `None` if it begins none.

    Args:
        event: The event, with secrets already masked.
        content: Whether to include arguments in the attributes.
    """
    match event:
        case ToolStarted(tool=tool, arguments=arguments):
            more = {"gen_ai.tool.call.arguments": text_of(arguments)} if content else {}
            return _operation("execute_tool", tool, {"gen_ai.tool.name": tool, "gen_ai.tool.type": "function"} | more)
        case PipelineStarted(pipeline=pipeline, steps=steps):
            return _operation(
                "invoke_workflow", pipeline, {"gen_ai.workflow.name": pipeline, "toolkit.pipeline.steps": steps}
            )
        case AgentStarted(agent=agent, model=model):
            return _operation("invoke_agent", agent, {"gen_ai.agent.name": agent} | _of_model(model))
        case ModelStarted(model=model, agent=agent):
            attributes = _of_model(model) | {"gen_ai.agent.name": agent}
            return _operation("chat", attributes["gen_ai.request.model"], attributes)._replace(kind=SpanKind.CLIENT)
    return _of_ours(event)


def _of_ours(event: Event) -> Beginning | None:
    """Return the start of a span that the semantic conventions do not define."""
    match event:
        case StepStarted(path=path, tool=tool):
            more = {} if tool is None else {"gen_ai.tool.name": tool}
            return Beginning(f"step {path}", {"toolkit.step.path": path} | more)
        case BatchItemStarted(tool=tool, number=number, run=run, trace=trace):
            attributes = {"toolkit.item.number": number, "toolkit.run.target": tool}
            return Beginning(f"item {tool}", attributes | ({} if run is None else {"toolkit.run.id": run}), trace=trace)
        case RunStarted(target=target, run=run):
            return Beginning(f"run {target}", {"toolkit.run.target": target, "toolkit.run.id": run})
    return None


def _operation(name: str, target: str, attributes: Mapping[str, Any]) -> Beginning:
    return Beginning(f"{name} {target}", {"gen_ai.operation.name": name, **attributes})


def _of_model(name: str) -> dict[str, Any]:
    """Return the attributes of a model named `provider:model`."""
    provider, _, model = name.rpartition(":")
    provider = provider.partition("/")[0] or "_OTHER"
    return {"gen_ai.provider.name": _PROVIDERS.get(provider, provider), "gen_ai.request.model": model}


def text_of(value: Any) -> str:
    """Return a value as the text of an attribute: strings unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=as_plain)
