"""Checks cheaply whether an object may be a tool of a framework, before the code that recognises it is loaded."""

import sys
from importlib import import_module
from types import ModuleType

from toolkit.tools.foreign_values import bases_of_class, module_of_class
from toolkit.tools.framework_plugins import registered_frameworks
from toolkit.tools.frameworks import FRAMEWORK_OF_PACKAGE, framework_of, framework_of_holder, framework_of_mark


def may_be_foreign(thing: object) -> bool:
    """Return whether an object may be, or contain, tools of a framework; a marked function is such a tool."""
    return is_any_imported() and (framework_of_mark(thing) is not None or _belongs_to_one(type(thing)))


def may_be_foreign_class(cls: type) -> bool:
    """Return whether a class belongs to a framework: by its own module, a base class or marked methods."""
    return is_any_imported() and _belongs_to_one(cls)


def is_any_imported() -> bool:
    """Return whether any framework has been imported; otherwise none of its objects can exist."""
    return not sys.modules.keys().isdisjoint(FRAMEWORK_OF_PACKAGE) or any(
        package in sys.modules for package in registered_frameworks()
    )


def _belongs_to_one(cls: type) -> bool:
    is_theirs = any(framework_of(module_of_class(base)) is not None for base in bases_of_class(cls))
    return is_theirs or framework_of_holder(cls) is not None


def recogniser() -> ModuleType:
    """Import and return the module that recognises objects of frameworks."""
    return import_module("toolkit.frameworks.recognised")
