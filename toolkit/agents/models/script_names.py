"""Script names: what calls a model a script of replies, and which script runs as code."""

SCRIPTED = "scripted"
"""The kind of model in `scripted:FILE`."""


def runs_code(model: str) -> bool:
    """Return whether opening a model runs code: a script in Python does, so only its user may name it, and no file."""
    kind, _, file = model.partition(":")
    return kind == SCRIPTED and file.strip().lower().endswith(".py")
