"""Converts conversations, tools and replies between our types and those of pydantic-ai."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from toolkit.agents.models.messages import Message, ModelReply, Piece, SystemMessage, ToolMessage, Usage, UserMessage
from toolkit.json_texts import json_text
from toolkit.tools.results import ToolCall
from toolkit.tools.spec import ToolSpec

if TYPE_CHECKING:
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequestPart,
        ModelResponseStreamEvent,
    )


def offered(tools: Sequence[ToolSpec]) -> "ModelRequestParameters":
    """Return tools as request parameters of pydantic-ai."""
    definitions = [
        ToolDefinition(
            name=spec.name,
            parameters_json_schema=dict(spec.parameters),
            description=spec.description,
            strict=bool(spec.strict),
        )
        for spec in tools
    ]
    return ModelRequestParameters(function_tools=definitions)


def history_of(messages: Sequence[Message]) -> "list[ModelMessage]":
    """Return a conversation as messages of pydantic-ai. A call without an id gets one, which its result has too."""
    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        match message:
            case SystemMessage():
                parts.append(SystemPromptPart(_sendable(message.text)))
            case UserMessage():
                parts.append(UserPromptPart(_sendable(message.text)))
            case ToolMessage():
                identity = open_calls.pop(0) if open_calls else message.call.id or f"call_{number}"
                parts.append(ToolReturnPart(message.call.name, _sendable(message.text), identity))
            case ModelReply():
                if parts:
                    history.append(ModelRequest(parts))
                parts = []
                open_calls = [call.id or f"call_{number}_{index}" for index, call in enumerate(message.calls)]
                history.append(_describe(message, open_calls))
    return [*history, ModelRequest(parts)] if parts else history


def _sendable(text: str) -> str:
    """Replace lone surrogates, as in file names that are not UTF-8, with `?`, so that the text can be sent."""
    return text.encode(errors="replace").decode()


def _describe(reply: ModelReply, identities: Sequence[str]) -> "ModelResponse":
    """Return a reply as pydantic-ai's response: the original one with all provider data, or else a new one."""
    if isinstance(reply.native, ModelResponse):
        return reply.native
    calls = [
        ToolCallPart(_sendable(call.name), _sendable(call.arguments), identity)
        for call, identity in zip(reply.calls, identities, strict=True)
    ]
    return ModelResponse([*([TextPart(_sendable(reply.text))] if reply.text else []), *calls])


def reply_of(response: "ModelResponse", *, cost: float | None = None) -> ModelReply:
    """Convert a response. The reply is `cut` if the provider ended it because of its length."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = tuple(call_of(part) for part in response.parts if isinstance(part, ToolCallPart))
    usage = Usage(response.usage.input_tokens, response.usage.output_tokens, cost)
    return ModelReply(text, calls, usage, cut=response.finish_reason == "length", native=response)


def piece_of(event: "ModelResponseStreamEvent") -> Piece | None:
    """Return the piece that an event of a stream contains, if it contains text or completes a call."""
    match event:
        case PartStartEvent(part=TextPart(content=str(text))) if text:
            return text
        case PartDeltaEvent(delta=TextPartDelta(content_delta=str(text))) if text:
            return text
        case PartEndEvent(part=ToolCallPart() as part):
            return call_of(part)
    return None


def call_of(part: "ToolCallPart") -> ToolCall:
    """Convert a tool call."""
    return ToolCall(part.tool_name, _arguments(part.args), part.tool_call_id)


def _arguments(arguments: str | Mapping[str, Any] | None) -> str:
    """Return the arguments as the model wrote them, even if they are not valid JSON."""
    if isinstance(arguments, str):
        return arguments or "{}"
    return json_text(arguments or {})
