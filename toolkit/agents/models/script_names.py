"""The names of scripted models, and which of them run code."""

SCRIPTED = "scripted"
"""The prefix in `scripted:FILE`."""


def runs_code(model: str) -> bool:
    """Return whether opening a model runs code, as scripts in Python do. Only the user may choose such a model."""
    kind, _, file = model.partition(":")
    return kind == SCRIPTED and file.strip().lower().endswith(".py")
