"""Exported calls: what every Tool of ours shares that works inside an agent of another framework."""

from importlib import import_module
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.tools.context import ToolContext


def imported(module: str, *, package: str, wanted_by: str) -> Any:
    """Return a module of a framework, which whoever exports a tool to it has installed.

    Raises:
        ConfigurationError: If it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"{wanted_by} needs '{package}': pip install {package}") from error


def context_of_agent(context: ToolContext) -> ToolContext:
    """Return the context of calls that the model of an agent chooses."""
    return context.replace(chosen_by="model")
