"""Instances: the tools of a class need one, and it is made where the class can be made without arguments."""

import inspect
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.problems import Problem, Severity
from toolkit.tools.foreign_values import answer, name_of_class, words_of
from toolkit.tools.places import place_of


class Instance(NamedTuple):
    """An object made from a class."""

    made: Any


def make_instance(cls: type, *, severity: Severity = "error") -> Instance | Problem:
    """Return an instance of a class, or the Problem (`TK003`) that it cannot be made without arguments."""
    name = name_of_class(cls)
    if inspect.isabstract(cls):
        missing = ", ".join(f"'{method}'" for method in sorted(getattr(cls, "__abstractmethods__", ())))
        abstract = f"class '{name}' is abstract: it lacks {missing}"
        return Problem(NOT_A_TOOL, abstract, place_of(cls), severity, hint="name a class that has it all")
    if needed := _needed_arguments(cls):
        names = ", ".join(f"'{argument}'" for argument in needed)
        return Problem(
            NOT_A_TOOL,
            f"class '{name}' holds tools but cannot be made without {names}",
            place_of(cls),
            severity,
            hint=f"make an instance in the module: {name.lower()} = {name}({needed[0]}=…)",
        )
    try:
        return Instance(cls())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - users' constructors may raise anything, SystemExit too
        return Problem(
            NOT_A_TOOL,
            f"class '{name}' cannot be made: {words_of(error)}",
            place_of(cls),
            hint="make an instance in the module, with what it needs",
        )


def _needed_arguments(cls: type) -> list[str]:
    # A class that is made in C has no signature, and one of a user's own may raise; making an object shows it.
    nothing: list[inspect.Parameter] = []
    parameters = answer(lambda: list(inspect.signature(cls).parameters.values()), nothing)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in variadic]
