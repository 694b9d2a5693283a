"""Opening: from the name of a model, as it is written on the command line and in files, to the model."""

from collections.abc import Mapping
from types import MappingProxyType

from toolkit.agents.models.known_names import near_models
from toolkit.agents.models.messages import Model
from toolkit.agents.models.prices import Price, PricedModel
from toolkit.agents.models.script_names import SCRIPTED
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean

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
    """Return the model that a name means.

    Args:
        name: `scripted:FILE` is a script of replies, `chat:NAME` a model of the server at the base URL, `PROVIDER:NAME`
            one of a provider that pydantic-ai knows.
        base_url: Where a server of the chat API is, such as `http://localhost:11434/v1`; only for `chat:NAME`.
        timeout: Seconds that the model may be silent; 300 by default. A script never is.
        prices: The prices of models by name; for others, the prices that pydantic-ai knows.

    Raises:
        ConfigurationError: If the name means none, a package or a key is missing, or with everything that is wrong with
            a script.
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
        raise _refused(f"'{name}' and a base URL: {CHAT}:NAME needs one, and nothing else takes one", _KINDS)
    if kind == SCRIPTED:
        from toolkit.agents.models.scripted import ScriptedModel  # noqa: PLC0415 - reading a script needs YAML

        return ScriptedModel.load(rest)
    if kind == CHAT and base_url is None:
        raise _refused(f"'{name}' needs a base URL: where its server is", _SUCH_AS)
    if base_url is not None and not base_url.lower().startswith(("http://", "https://")):
        raise _refused(f"the base URL of '{name}' does not begin with http:// or https://", _SUCH_AS)
    from toolkit.agents.models.providers import ProvidedModel  # noqa: PLC0415 - only where one is wanted

    return ProvidedModel(name, base_url, timeout=timeout)


def model_problem(name: str) -> Problem | None:
    """Return what is wrong with the name of a model, as far as it can be known without opening the model."""
    kind, _, rest = name.partition(":")
    near = did_you_mean(kind, [SCRIPTED, CHAT]) if kind not in (SCRIPTED, CHAT) else None
    if kind and rest and near is None:
        return None

    return Problem("", f"'{name}' names no model", hint=near or near_models(name) or _KINDS)


def _refused(message: str, hint: str | None) -> ConfigurationError:
    return ConfigurationError(problems=[Problem("", message, hint=hint)])
