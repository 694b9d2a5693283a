"""Messages about parameters that a tool cannot have.

They are shared by the code that builds tools from objects, and by lint, which reads only the source.
"""

from collections.abc import Sequence


def variadic_objection(names: Sequence[str]) -> tuple[str, str]:
    """Return the message and the hint about `*args` and `**kwargs`."""
    hint = "name each parameter, or take one 'list' or 'dict'"
    if len(names) == 1:
        return f"parameter '{names[0]}' has no fixed form, so a model cannot fill it", hint
    return f"parameters {' and '.join(map(repr, names))} have no fixed form, so a model cannot fill them", hint


def unfit_objection(name: str, what: str) -> tuple[str, str]:
    """Return the message and the hint about a parameter of an unsupported kind, such as `a callable`."""
    return f"parameter {name!r} is {what}, which no model can send", "take plain data instead"
