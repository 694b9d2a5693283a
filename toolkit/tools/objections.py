"""Objections: why a parameter cannot be one of a tool, and the fix, in the words of the caller that finds it.

Building finds it in the objects, and lint in the source alone.
"""

from collections.abc import Sequence


def variadic_objection(names: Sequence[str]) -> tuple[str, str]:
    """Return why `*args` and `**kwargs` cannot be parameters of a tool, and the fix."""
    hint = "name each parameter, or take one 'list' or 'dict'"
    if len(names) == 1:
        return f"parameter '{names[0]}' has no fixed form, so a model cannot fill it", hint
    return f"parameters {' and '.join(map(repr, names))} have no fixed form, so a model cannot fill them", hint


def unfit_objection(name: str, what: str) -> tuple[str, str]:
    """Return why a parameter that is, say, `a callable` cannot be one of a tool, and the fix."""
    return f"parameter {name!r} is {what}, which no model can send", "take plain data instead"
