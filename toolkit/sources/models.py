"""Models of a project: the one that was named, or the configured one, with what the settings say of it."""

from toolkit.agents.models.messages import Model
from toolkit.agents.models.opening import open_model
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.sources.configuration import Configuration

_CHAT = "chat:"


def configured_model(
    configuration: Configuration,
    name: str | None = None,
    *,
    base_url: str | None = None,
    timeout: float | None = None,
) -> Model:
    """Return a model with the settings that hold for it.

    Args:
        configuration: Has the model, where its server is, how long it may be silent, and its prices.
        name: A model instead of the configured one.
        base_url: Where its server is, instead of the configured place, which is for `chat:NAME` alone.
        timeout: Seconds that it may be silent, instead of the configured ones.

    Raises:
        ConfigurationError: If there is no model, or it cannot be used.
    """
    wanted = name or configuration.model
    if wanted is None:
        hint = "name one with --model, TOOLKIT_MODEL, or `defaults = { model = '…' }` in the configuration"
        raise ConfigurationError(problems=[Problem("", "no model is named", hint=hint)])
    if base_url is None and wanted.startswith(_CHAT):
        base_url = configuration.model_url
    silence = configuration.model_timeout if timeout is None else timeout
    return open_model(wanted, base_url, timeout=silence, prices=configuration.prices)
