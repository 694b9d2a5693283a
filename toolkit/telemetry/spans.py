"""The spans of events: name, kind and attributes at the start, the outcome at the end, and what happens in between."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from opentelemetry.trace import SpanKind

from toolkit.events import (
    AgentFinished,
    AgentStarted,
    ApprovalDecided,
    BatchItemFinished,
    BatchItemStarted,
    Event,
    ItemFinished,
    ModelFinished,
    ModelStarted,
    PipelineFinished,
    PipelineStarted,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    ToolFinished,
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


_WELL: Final = {"success", "ok", "skipped"}


class Ending(NamedTuple):
    """The end of a span.

    Attributes:
        seconds: Duration, excluding the time spent waiting for a person.
        attributes: Attributes to add to the span.
        error_type: Type of the error, or `None` on success.
        message: The error message; only with content.
    """

    seconds: float
    attributes: dict[str, Any]
    error_type: str | None = None
    message: str | None = None


def ending_of(event: Event, *, content: bool) -> Ending | None:
    """Return the end of the span that an event ends, or `None` if it ends none.

    Args:
        event: The event, with secrets already masked.
        content: Whether to include results, messages and error messages.
    """
    match event:
        case ToolFinished(outcome=outcome, error_code=code, output=output, error=error, seconds=seconds):
            more = {"gen_ai.tool.call.result": output} if content and error is None else {}
            return _ended(seconds, more, outcome, code, error if content else None)
        case BatchItemFinished(outcome=outcome, error_code=code, error=error, seconds=seconds):
            return _ended(seconds, {}, outcome, code, error if content else None)
        case StepFinished(status=status, error_code=code, attempts=attempts, error=error, seconds=seconds):
            known = {"toolkit.step.status": status, "toolkit.step.attempts": attempts}
            return _ended(seconds, known, status, code, error if content else None)
        case ModelFinished():
            return _end_of_model(event, content=content)
        case PipelineFinished() | AgentFinished() | RunFinished():
            return _ended(event.seconds, {}, event.outcome, None, event.error if content else None)
    return None


def _end_of_model(event: ModelFinished, *, content: bool) -> Ending:
    known: dict[str, Any] = {}
    if event.input_tokens or event.output_tokens:
        known = {
            "gen_ai.usage.input_tokens": event.input_tokens,
            "gen_ai.usage.output_tokens": event.output_tokens,
        }
    if event.cost is not None:
        known["toolkit.usage.cost"] = event.cost
    if content and event.text:
        known["gen_ai.output.messages"] = text_of([_message(event)])
    return _ended(event.seconds, known, event.outcome, None, event.error if content else None)


def _message(event: ModelFinished) -> dict[str, Any]:
    """Return a model's reply in the message format of the semantic conventions."""
    reason = "length" if event.cut else "tool_call" if event.calls else "stop"
    return {"role": "assistant", "parts": [{"type": "text", "content": event.text}], "finish_reason": reason}


def _ended(
    seconds: float, attributes: dict[str, Any], outcome: str, code: str | int | None, message: str | None
) -> Ending:
    if outcome in _WELL:
        return Ending(seconds, attributes)
    return Ending(seconds, attributes, str(outcome if code is None else code), message)


def note_of(event: Event) -> tuple[str, dict[str, Any]] | None:
    """Return the name and attributes of the span event for an event, or `None`; they contain no content."""
    match event:
        case StepRetried(attempt=attempt, delay=delay):
            return "retry", {"toolkit.step.attempt": attempt, "toolkit.step.delay": delay}
        case ItemFinished(index=index, status=status):
            return "item", {"toolkit.item.index": index, "toolkit.item.status": status}
        case ApprovalDecided(tool=tool, decision=decision, seconds=seconds):
            return "approval", {
                "gen_ai.tool.name": tool,
                "toolkit.approval.decision": decision,
                "toolkit.approval.seconds": seconds,
            }
    return None
