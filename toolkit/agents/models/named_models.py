"""Opens a model by its name, as written on the command line and in files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from toolkit.agents.models.messages import Message, Model, ModelReply, Tell, Usage, streamed
from toolkit.agents.models.provider_failures import near_models
from toolkit.agents.models.scripted import SCRIPTED, ScriptedModel
from toolkit.errors import ConfigurationError, not_installed
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.definition.spec import ToolSpec

_MILLION = 1_000_000


class Price(NamedTuple):
    """The price of a model, in US dollars per million tokens.

    Attributes:
        input: The price of tokens sent.
        output: The price of tokens received.
    """

    input: float = 0.0
    output: float = 0.0

    def of(self, usage: Usage) -> float:
        """Return the cost of a usage in US dollars."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


class PricedModel:
    """A model with a custom price. It streams if the model does.

    Args:
        model: The model.
        price: Its price.
    """

    def __init__(self, model: Model, price: Price) -> None:
        self._model = model
        self._price = price

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the model's reply with its cost."""
        return self._priced(await self._model.request(messages, tools))

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec], tell: Tell) -> ModelReply:
        """Return the model's reply with its cost, and report it piece by piece if the model streams."""
        return self._priced(await streamed(self._model, messages, tools, tell))

    def _priced(self, reply: ModelReply) -> ModelReply:
        return replace(reply, usage=replace(reply.usage, cost=self._price.of(reply.usage)))


CHAT = "chat"
_KINDS = f"write {SCRIPTED}:FILE (YAML or Python), PROVIDER:NAME (openai-chat:NAME), or {CHAT}:NAME with a base URL"
_SUCH_AS = "such as http://localhost:11434/v1"


def open_model(
    name: str,
    base_url: str | None = None,
    *,
    timeout: float | None = None,
    prices: Mapping[str, Price] = MappingProxyType({}),
) -> Model:
    """Open a model by name.

    Args:
        name: `scripted:FILE` for a script of replies, `chat:NAME` for a model of the server at the base URL, or
            `PROVIDER:NAME` for a model of a provider that pydantic-ai supports.
        base_url: The base URL of a server with the chat API, such as `http://localhost:11434/v1`; only for `chat:NAME`.
        timeout: Maximum time in seconds without data from the model; 300 by default. It does not apply to scripts.
        prices: Prices of models by name. For other models, the prices that pydantic-ai knows are used.

    Raises:
        ConfigurationError: If the name is invalid, a package or a key is missing, or a script has errors. The exception
            lists all errors of a script.
    """
    model = _opened(name, base_url, timeout)
    if name not in prices:
        return model

    return PricedModel(model, prices[name])


def _opened(name: str, base_url: str | None, timeout: float | None) -> Model:
    if problem := model_problem(name):
        raise ConfigurationError(problems=[problem])
    kind, _, rest = name.partition(":")
    if kind != CHAT and base_url is not None:
        raise _refused(f"'{name}' cannot be used with a base URL, only {CHAT}:NAME can", _KINDS)
    if kind == SCRIPTED:
        return ScriptedModel.load(rest)
    if kind == CHAT and base_url is None:
        raise _refused(f"'{name}' needs the base URL of its server", _SUCH_AS)
    if base_url is not None and not base_url.lower().startswith(("http://", "https://")):
        raise _refused(f"the base URL of '{name}' does not begin with http:// or https://", _SUCH_AS)
    try:
        from toolkit.agents.models.provider_models import ProvidedModel  # only providers need pydantic-ai
    except ImportError as error:
        raise not_installed(f"'{name}' needs", "toolkit-cli[agent]") from error
    return ProvidedModel(name, base_url, timeout=timeout)


def model_problem(name: str) -> Problem | None:
    """Return the problem with the name of a model that can be found without opening it, if any."""
    kind, _, rest = name.partition(":")
    near = did_you_mean(kind, [SCRIPTED, CHAT]) if kind not in (SCRIPTED, CHAT) else None
    if kind and rest and near is None:
        return None

    return Problem("", f"'{name}' is not the name of a model", hint=near or near_models(name) or _KINDS)


def _refused(message: str, hint: str | None) -> ConfigurationError:
    return ConfigurationError(problems=[Problem("", message, hint=hint)])
