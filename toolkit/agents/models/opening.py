"""Opening: from the name of a model, as it is written on the command line and in files, to the model."""

from toolkit.agents.models.messages import Model
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean

SCRIPTED = "scripted"
CHAT = "chat"
_KINDS = f"write {SCRIPTED}:FILE, PROVIDER:NAME (openai-chat:NAME), or {CHAT}:NAME with a base URL"


def open_model(name: str, base_url: str | None = None) -> Model:
    """Return the model that a name means.

    Args:
        name: `scripted:FILE` is a script of replies, `chat:NAME` a model of the server at the base URL, `PROVIDER:NAME`
            one of a provider that pydantic-ai knows.
        base_url: Where a server of the chat API is, such as `http://localhost:11434/v1`; only for `chat:NAME`.

    Raises:
        ConfigurationError: If the name means none, a package or a key is missing, or with everything that is wrong with
            a script.
    """
    kind, _, rest = name.partition(":")
    if not kind or not rest:
        hint = did_you_mean(kind, [SCRIPTED, CHAT], otherwise=_KINDS)
        raise _refused(f"'{name}' names no model", hint)
    if (kind == CHAT) != (base_url is not None):
        raise _refused(f"'{name}' and a base URL: {CHAT}:NAME needs one, and nothing else takes one", _KINDS)
    if kind == SCRIPTED:
        from toolkit.agents.models.scripted import ScriptedModel  # noqa: PLC0415 - reading a script needs YAML

        return ScriptedModel.load(rest)
    if did_you_mean(kind, [SCRIPTED, CHAT]) is not None and kind != CHAT:
        raise _refused(f"'{name}' names no model", did_you_mean(kind, [SCRIPTED, CHAT]))
    from toolkit.agents.models.providers import ProvidedModel  # noqa: PLC0415 - only where one is wanted

    return ProvidedModel(name, base_url)


def _refused(message: str, hint: str | None) -> ConfigurationError:
    return ConfigurationError(problems=[Problem("", message, hint=hint)])
