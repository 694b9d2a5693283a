"""Open a named or configured model with the project's settings."""

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
    """Return a model with its settings from the configuration.

    Args:
        configuration: Contains the default model, and the URL, timeout and prices of models.
        name: The name of the model; the configured one by default.
        base_url: The URL of its server; by default the configured one, which is only used for `chat:NAME`.
        timeout: Maximum time in seconds for which the model can send nothing; the configured one by default.

    Raises:
        ConfigurationError: If no model is configured, or it cannot be used.
    """
    wanted = name or configuration.model
    if wanted is None:
        hint = "name one with --model, TOOLKIT_MODEL, or `defaults = { model = '…' }` in the configuration"
        raise ConfigurationError(problems=[Problem("", "no model is named", hint=hint)])
    if base_url is None and wanted.startswith(_CHAT):
        base_url = configuration.model_url
    silence = configuration.model_timeout if timeout is None else timeout
    return open_model(wanted, base_url, timeout=silence, prices=configuration.prices)
