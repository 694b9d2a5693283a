"""Models of providers, through pydantic-ai; needs the extra `agent`.

Keys come only from the environment: for a provider from its own variable, such as `OPENAI_API_KEY`, and for a custom
base URL from `TOOLKIT_MODEL_KEY`, so that a provider's key is never sent to another server. A request is retried at
most twice if the connection fails or the server is overloaded, the default of the providers' client libraries.
"""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from pydantic_ai.direct import model_request, model_request_stream
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
from pydantic_ai.models import ModelRequestParameters, infer_model
from pydantic_ai.tools import ToolDefinition

from toolkit.agents.models.messages import (
    Message,
    ModelError,
    ModelReply,
    Piece,
    SystemMessage,
    Tell,
    ToolMessage,
    Usage,
    UserMessage,
    tell_all,
)
from toolkit.agents.models.provider_failures import KEY, near_models, readable_errors, without_secrets, words_of
from toolkit.errors import ConfigurationError, not_installed
from toolkit.json_texts import json_text
from toolkit.problems import Problem
from toolkit.tools.calls.results import ToolCall
from toolkit.tools.definition.spec import ToolSpec

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponseStreamEvent
    from pydantic_ai.models import Model as ProviderModel


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


SILENCE = 300.0
"""Default timeout in seconds: the maximum time without data from the model."""


class ProvidedModel:
    """A model of a provider, or of a server with the chat API.

    It opens a new connection for each request, so it can be used from any event loop.
    """

    def __init__(self, name: str, base_url: str | None = None, *, timeout: float | None = None) -> None:
        """Check that the model can be used, without sending a request.

        Args:
            name: `provider:name`, or `chat:name` with a `base_url`.
            base_url: The base URL of a server with the chat API, such as `http://localhost:11434/v1`.
            timeout: Maximum time in seconds until the whole reply or, if it is streamed, until its next piece; 300 by
                default.

        Raises:
            ConfigurationError: If the extra is missing, the name is invalid, or a key is missing.
        """
        self.name = name
        self._base_url = base_url
        self._silence = SILENCE if timeout is None else timeout
        try:
            self._make()
        except ImportError as error:
            extra = re.search(r"pydantic-ai-slim\[([\w-]+)\]", str(error))
            package = f"pydantic-ai-slim[{extra[1]}]" if extra else "toolkit-cli[agent]"
            raise not_installed(f"'{name}' needs", package) from error
        except Exception as error:
            raise _unusable(name, error) from error

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the model's reply.

        Raises:
            ModelError: If the provider cannot be reached, refuses the request, times out, or sends no complete reply.
        """
        with self._readable_errors():
            async with asyncio.timeout(self._silence), self._make() as model:
                response = await model_request(model, history_of(messages), model_request_parameters=offered(tools))
            return self._reply(response)

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the model's reply, and report it piece by piece, or as a whole if the provider cannot stream.

        Raises:
            ModelError: If the provider cannot be reached, refuses the request or times out, or the stream is cut off.
        """
        with self._readable_errors():
            try:
                return self._reply(await self._streamed(messages, tools, tell))
            except NotImplementedError:  # some providers cannot stream
                reply = await self.request(messages, tools)
        tell_all(reply, tell)
        return reply

    async def _streamed(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> "ModelResponse":
        now = asyncio.get_running_loop().time
        async with asyncio.timeout(self._silence) as clock, self._make() as model:
            asking = model_request_stream(model, history_of(messages), model_request_parameters=offered(tools))
            async with asking as stream:
                async for event in stream:
                    clock.reschedule(now() + self._silence)
                    if (piece := piece_of(event)) is not None:
                        tell(piece)
                response = stream.get()
            self._refuse_cut_stream(model, response)
            return response

    def _refuse_cut_stream(self, model: "ProviderModel", response: "ModelResponse") -> None:
        """Refuse a stream whose connection was closed early: it looks complete, but has no finish reason.

        Raises:
            ModelError: If the stream was cut off.
        """
        from pydantic_ai.models.openai import OpenAIChatModel

        is_chat = isinstance(model, OpenAIChatModel)  # it replaces a missing reason with `stop`
        is_whole = "finish_reason" in (response.provider_details or {}) or not is_chat
        if response.finish_reason is None or (not is_whole and response.finish_reason == "stop"):
            raise ModelError(f"the reply of '{self.name}' was cut: its stream ended without a reason to finish")

    def _reply(self, response: "ModelResponse") -> ModelReply:
        """Convert a response.

        Raises:
            ModelError: If the reply was cut off within its calls, or withheld by a content filter.
        """
        reply = reply_of(response, cost=self._cost(response))
        if reply.cut and reply.calls:
            message = f"the reply of '{self.name}' was cut in the middle of its calls: the model's limit was reached"
            raise ModelError(f"{message} ({reply.usage.output_tokens} tokens)")
        if response.finish_reason == "content_filter" and not reply.text and not reply.calls:
            because = (response.provider_details or {}).get("refusal") or "its content filter"
            raise ModelError(f"the provider of '{self.name}' withheld the reply: {because}")
        return reply

    def _cost(self, response: "ModelResponse") -> float | None:
        """Return the cost of a request in US dollars, or `None` if it is unknown, as for custom servers."""
        if response.usage.cost is not None:  # the provider reports it
            return float(response.usage.cost)
        if self._base_url is not None:
            return None
        try:
            return float(response.cost().total_price)
        except (AssertionError, LookupError, ValueError):
            return None

    def _readable_errors(self) -> AbstractContextManager[None]:
        return readable_errors(self.name, self._base_url, self._silence)

    def _make(self) -> "ProviderModel":
        if self._base_url is None:
            return infer_model(self.name)
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        provider = OpenAIProvider(base_url=self._base_url, api_key=os.environ.get(KEY) or "none")
        return OpenAIChatModel(self.name.partition(":")[2], provider=provider)


def _unusable(name: str, error: Exception) -> ConfigurationError:
    """Return the error for a model that cannot be used, for example because a key is missing or its name is unknown."""
    words = without_secrets(words_of(error))
    if variable := re.match(r"Set the `(\w+)` environment variable", words):
        return _refused(f"'{name}' needs {variable[1]} in the environment, and it is not set", None)
    nearest = near_models(name)
    if nearest is not None:  # our hint is more precise
        words = words.partition(". Did you mean")[0]
    return _refused(f"'{name}' cannot be used: {words}", nearest)


def _refused(message: str, hint: str | None) -> ConfigurationError:
    return ConfigurationError(problems=[Problem("", message, hint=hint)])
