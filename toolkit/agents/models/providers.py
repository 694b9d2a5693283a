"""Providers: models behind an API, through pydantic-ai; needs the extra `agent`.

Keys come from the environment alone: for a provider from its own variable, such as `OPENAI_API_KEY`; for a
server of one's own from `TOOLKIT_MODEL_KEY`, so that no provider's key goes anywhere else. A request that fails on the
way, or that the server is too busy for, is repeated twice at most, as the libraries of the providers do it.
"""

import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from toolkit.agents.models.conversions import history_of, offered, piece_of, reply_of
from toolkit.agents.models.failures import KEY, failures_in_words, without_secrets, words_of
from toolkit.agents.models.known_names import near_models
from toolkit.agents.models.messages import Message, ModelError, ModelReply
from toolkit.agents.models.streaming import Tell, tell_all
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, how_to_install
from toolkit.tools.spec import ToolSpec

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as ProviderModel

SILENCE = 300.0
"""Seconds that a model may be silent, by default."""


class ProvidedModel:
    """A model of a provider, or of a server that speaks the chat API.

    It connects for each request, so that it can be used from any event loop.
    """

    def __init__(self, name: str, base_url: str | None = None, *, timeout: float | None = None) -> None:
        """Keep where the model is.

        Args:
            name: `provider:name`; with a `base_url` it is `chat:name`.
            base_url: Where a server of the chat API is, such as `http://localhost:11434/v1`.
            timeout: Seconds that it may be silent: until its whole reply, or, where it streams, until the next piece;
                300 by default.

        Raises:
            ConfigurationError: If the extra is missing, the name means no model, or a key is missing.
        """
        self.name = name
        self._base_url = base_url
        self._silence = SILENCE if timeout is None else timeout
        try:
            self._make()
        except ImportError as error:
            extra = re.search(r"pydantic-ai-slim\[([\w-]+)\]", str(error))
            package = f"pydantic-ai-slim[{extra[1]}]" if extra else "toolkit-cli[agent]"
            raise _refused(f"'{name}' needs a package that is not installed", how_to_install(package)) from error
        except Exception as error:
            raise _unusable(name, error) from error

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the model's reply.

        Raises:
            ModelError: If the provider cannot be reached, refuses, is silent too long, or sends no whole reply.
        """
        import asyncio

        from pydantic_ai.direct import model_request

        with self._failures_in_words():
            async with asyncio.timeout(self._silence), self._make() as model:
                response = await model_request(model, history_of(messages), model_request_parameters=offered(tools))
            return self._reply(response)

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the model's reply, after telling it piece by piece; all at once where the provider cannot stream.

        Raises:
            ModelError: If the provider cannot be reached, refuses, is silent too long, or its stream is cut.
        """
        with self._failures_in_words():
            try:
                return self._reply(await self._streamed(messages, tools, tell))
            except NotImplementedError:  # some providers cannot
                reply = await self.request(messages, tools)
        tell_all(reply, tell)
        return reply

    async def _streamed(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> "ModelResponse":
        import asyncio

        from pydantic_ai.direct import model_request_stream

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
        """Refuse a stream that closed the connection: it looks finished, but has no reason for the end.

        Raises:
            ModelError: If it did.
        """
        from pydantic_ai.models.openai import OpenAIChatModel

        is_chat = isinstance(model, OpenAIChatModel)  # which calls the missing reason `stop`
        is_whole = "finish_reason" in (response.provider_details or {}) or not is_chat
        if response.finish_reason is None or (not is_whole and response.finish_reason == "stop"):
            raise ModelError(f"the reply of '{self.name}' was cut: its stream ended without a reason to finish")

    def _reply(self, response: "ModelResponse") -> ModelReply:
        """Return the reply in our terms.

        Raises:
            ModelError: If it is cut in the middle of its calls, or withheld.
        """
        reply = reply_of(response, cost=self._cost(response))
        if reply.cut and reply.calls:
            message = f"the reply of '{self.name}' was cut in the middle of its calls: the model's limit was reached"
            raise ModelError(f"{message} ({reply.usage.output_tokens} tokens)")
        if response.finish_reason == "content_filter" and not reply.text and not reply.calls:
            because = (response.provider_details or {}).get("refusal") or "its content filter"
            raise ModelError(f"the provider of '{self.name}' withholds the reply: {because}")
        return reply

    def _cost(self, response: "ModelResponse") -> float | None:
        """Return what a request cost in US dollars, or `None` where nobody knows, as for servers of one's own."""
        if response.usage.cost is not None:  # the provider reports it
            return float(response.usage.cost)
        if self._base_url is not None:
            return None
        try:
            return float(response.cost().total_price)
        except (AssertionError, LookupError, ValueError):
            return None

    def _failures_in_words(self) -> AbstractContextManager[None]:
        return failures_in_words(self.name, self._base_url, self._silence)

    def _make(self) -> "ProviderModel":
        from pydantic_ai.models import infer_model

        if self._base_url is None:
            return infer_model(self.name)
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        provider = OpenAIProvider(base_url=self._base_url, api_key=os.environ.get(KEY) or "none")
        return OpenAIChatModel(self.name.partition(":")[2], provider=provider)


def _unusable(name: str, error: Exception) -> ConfigurationError:
    """Return why a model cannot be used: a key is missing, or its name means none; in our words where we have some."""
    words = without_secrets(words_of(error))
    if variable := re.match(r"Set the `(\w+)` environment variable", words):
        return _refused(f"'{name}' needs {variable[1]} in the environment, and it is not set", None)
    nearest = near_models(name)
    if nearest is not None:  # which is about the part that is wrong
        words = words.partition(". Did you mean")[0]
    return _refused(f"'{name}' cannot be used: {words}", nearest)


def _refused(message: str, hint: str | None) -> ConfigurationError:
    return ConfigurationError(problems=[Problem("", message, hint=hint)])
