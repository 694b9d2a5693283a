"""Opening: from the name of a model, as it is written on the command line and in files, to the model."""

from toolkit.agents.models.messages import Model
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean

SCRIPTED = "scripted"


def open_model(name: str) -> Model:
    """Return the model that a name means: `scripted:FILE` is a script of replies.

    Raises:
        ConfigurationError: If the name means none, or with everything that is wrong with the file.
    """
    kind, colon, rest = name.partition(":")
    if kind == SCRIPTED and rest:
        from toolkit.agents.models.scripted import ScriptedModel  # noqa: PLC0415 - reading a script needs YAML

        return ScriptedModel.load(rest)
    hint = did_you_mean(kind, [SCRIPTED]) if colon and kind != SCRIPTED else None
    raise ConfigurationError(
        problems=[Problem("", f"'{name}' names no model", hint=hint or f"write {SCRIPTED}:FILE, a script of replies")]
    )
