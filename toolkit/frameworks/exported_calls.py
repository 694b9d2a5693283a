"""Exported calls: what every Tool of ours shares that works inside an agent of another framework."""

from importlib import import_module
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.tools.context import ToolContext


def imported(module: str, name: str, *, package: str, wanted_by: str) -> Any:
    """Return a module of a framework, which whoever exports a tool to it has installed.

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
