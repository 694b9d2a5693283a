"""Loads and checks the modules of a plugin that supports a framework."""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Final

from toolkit.codes import BAD_CONFIGURATION
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.tools.foreign_values import describe_error
from toolkit.tools.source_marks import SourceMarks

_NEEDED: Final = {"marks": ("MARKS", SourceMarks), "objects": ("CLASSES", Mapping), "exports": ("exported", object)}


def part_of_plugin(home: str, part: str) -> ModuleType | None:
    """Import and return a part of a plugin's support for a framework, or `None` if there is no such part.

    Raises:
        ConfigurationError: If the module cannot be imported, or lacks the expected attribute.
    """
    name = f"{home}.{part}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return None
        raise _broken(name, f"cannot be imported: {describe_error(error)}") from error
    except Exception as error:
        raise _broken(name, f"cannot be imported: {describe_error(error)}") from error
    attribute, kind = _NEEDED[part]
    if not isinstance(getattr(module, attribute, None), kind):
        raise _broken(name, f"has no '{attribute}' of type '{kind.__name__}'")
    return module


def _broken(name: str, why: str) -> ConfigurationError:
    message = f"the framework plugin '{name}' {why}"
    hint = "its package declares it as an entry point of 'toolkit.frameworks': upgrade or uninstall the package"
    return ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)])
