"""Exported calls: what every Tool of ours shares that works inside an agent of another framework."""

from functools import partial
from importlib import import_module
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_values import answer

_MARK = "__toolkit_tool__"


def imported(module: str, name: str, *, package: str, wanted_by: str) -> Any:
    """Return a module of a framework, which is installed where tools are exported to it.

    Args:
        module: The module.
        name: What the framework's own module has: a folder of the user's may have the same name.
        package: What to install.
        wanted_by: The function that needs it.

    Raises:
        ConfigurationError: If it is not installed, or if something else is imported by its name.
    """
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        raise _missing(package, wanted_by) from error
    if hasattr(found, name):
        return found
    if not (file := getattr(found, "__file__", None)):  # a folder: an installed package would win
        raise _missing(package, wanted_by)
    raise ConfigurationError(f"{wanted_by} needs '{package}', but '{module}' is {file}: give that another name")


def _missing(package: str, wanted_by: str) -> ConfigurationError:
    return ConfigurationError(f"{wanted_by} needs '{package}': pip install {package}")


def context_of_agent(context: ToolContext) -> ToolContext:
    """Return the context of calls that the model of an agent chooses."""
    return context.replace(chosen_by="model")


def stands_for(thing: Any, tool: Tool) -> None:
    """Note on a function, a class or an object of a framework that it stands for a Tool of ours."""
    setattr(thing, _MARK, tool)


def exported_tool(*things: Any) -> Tool | None:
    """Return the Tool of ours that the first of some things stands for; None if they are the framework's own."""
    nothing: Any = None
    found = (answer(partial(getattr, thing, _MARK, None), nothing) for thing in things)
    return next((one for one in found if isinstance(one, Tool)), None)
