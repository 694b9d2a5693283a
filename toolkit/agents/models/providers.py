"""Providers: models behind an API, through pydantic-ai; needs the extra `agent`.

Keys come from the environment alone: for a provider from the variable that it says, such as `OPENAI_API_KEY`; for a
server of one's own from `TOOLKIT_MODEL_KEY`, so that no provider's key goes anywhere else.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.agents.models.messages import (
    Message,
    ModelError,
    ModelReply,
    SystemMessage,
    ToolMessage,
    Usage,
    UserMessage,
)
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.tools.calls import ToolCall
from toolkit.tools.spec import ToolSpec

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse
    from pydantic_ai.models import Model as ProviderModel

KEY = "TOOLKIT_MODEL_KEY"


class ProvidedModel:
    """A model of a provider, or of a server that speaks the chat API.

    It connects for each request, so that it can be used from any event loop.
    """

    def __init__(self, name: str, base_url: str | None = None) -> None:
        """Keep where the model is.

        Args:
            name: `provider:name`; with a `base_url` it is `chat:name`.
            base_url: Where a server of the chat API is, such as `http://localhost:11434/v1`.

        Raises:
            ConfigurationError: If the extra is missing, the name means no model, or a key is missing.
        """
        self.name = name
        self._base_url = base_url
        try:
            self._make()
        except ImportError as error:
            hint = "pip install 'toolkit[agent]', and the provider's own package if it has one"
            raise _refused(f"the model '{name}' needs a package that is not installed: {error.name}", hint) from error
        except Exception as error:
            raise _refused(f"'{name}' cannot be used: {_words(error)}", None) from error

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the model's reply.

        Raises:
            ModelError: If the provider cannot be reached, refuses, or sends no reply.
        """
        from pydantic_ai.exceptions import AgentRunError, ModelConnectionError, ModelHTTPError, UserError
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        offered = [
            ToolDefinition(
                name=spec.name,
                parameters_json_schema=dict(spec.parameters),
                description=spec.description,
                strict=bool(spec.strict),
            )
            for spec in tools
        ]
        try:
            async with self._make() as model:
                parameters = ModelRequestParameters(function_tools=offered)
                return _reply(await model.request(_history(messages), None, parameters))
        except ModelHTTPError as error:
            message = f"the server of '{self.name}' answered with status {error.status_code}: {_body(error)}"
            raise ModelError(message) from error
        except ModelConnectionError as error:
            where = f" at {self._base_url}" if self._base_url is not None else ""
            raise ModelError(f"the server of '{self.name}'{where} cannot be reached: {_words(error)}") from error
        except (AgentRunError, UserError) as error:
            raise ModelError(f"the model '{self.name}' gave no reply: {_words(error)}") from error

    def _make(self) -> "ProviderModel":
        from pydantic_ai.models import infer_model

        if self._base_url is None:
            return infer_model(self.name)
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        provider = OpenAIProvider(base_url=self._base_url, api_key=os.environ.get(KEY) or "none")
        return OpenAIChatModel(self.name.partition(":")[2], provider=provider)


def _refused(message: str, hint: str | None) -> ConfigurationError:
    return ConfigurationError(problems=[Problem("", message, hint=hint)])


def _words(error: BaseException) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__


def _body(error: Any) -> str:
    """Return the words of the server, wherever it has put them."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        return str(inner.get("message", inner) if isinstance(inner, dict) else inner)
    return str(body or "no reason given")


def _history(messages: Sequence[Message]) -> "list[ModelMessage]":
    """Return a conversation in the provider's terms; a call without an id gets one that its result has too."""
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, ToolReturnPart, UserPromptPart

    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        match message:
            case SystemMessage():
                parts.append(SystemPromptPart(message.text))
            case UserMessage():
                parts.append(UserPromptPart(message.text))
            case ToolMessage():
                identity = open_calls.pop(0) if open_calls else message.call.id or f"call_{number}"
                parts.append(ToolReturnPart(message.call.name, message.text, identity))
            case ModelReply():
                if parts:
                    history.append(ModelRequest(parts))
                parts = []
                open_calls = [call.id or f"call_{number}_{index}" for index, call in enumerate(message.calls)]
                history.append(_said(message, open_calls))
    return [*history, ModelRequest(parts)] if parts else history


def _said(reply: ModelReply, identities: Sequence[str]) -> "ModelResponse":
    """Return a reply as the provider gave it, with whatever it wants back; or made anew."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    if isinstance(reply.native, ModelResponse):
        return reply.native
    calls = [
        ToolCallPart(call.name, call.arguments, identity)
        for call, identity in zip(reply.calls, identities, strict=True)
    ]
    return ModelResponse([*([TextPart(reply.text)] if reply.text else []), *calls])


def _reply(response: "ModelResponse") -> ModelReply:
    from pydantic_ai.messages import TextPart, ToolCallPart

    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = tuple(
        ToolCall(part.tool_name, _arguments(part.args), part.tool_call_id)
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    return ModelReply(text, calls, Usage(response.usage.input_tokens, response.usage.output_tokens), native=response)


def _arguments(arguments: str | Mapping[str, Any] | None) -> str:
    """Return the arguments as the model wrote them, also where they are no JSON."""
    if isinstance(arguments, str):
        return arguments or "{}"
    return json.dumps(arguments or {}, ensure_ascii=False)
