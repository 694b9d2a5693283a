"""Foreign objects: whether something may be a tool of a framework, before what recognises such objects is loaded."""

import sys
from importlib import import_module
from types import ModuleType

from toolkit.tools.foreign_values import bases_of_class, module_of_class
from toolkit.tools.framework_plugins import registered_frameworks
from toolkit.tools.frameworks import FRAMEWORK_OF_PACKAGE, framework_of, framework_of_holder, framework_of_mark


def may_be_foreign(thing: object) -> bool:
    """Return whether an object may be a tool of a framework, or hold some; a marked function is one."""
    return is_any_imported() and (framework_of_mark(thing) is not None or _belongs_to_one(type(thing)))


def may_be_foreign_class(cls: type) -> bool:
    """Return whether a class belongs to a framework: itself, through what it is derived from, or by marked methods."""
    return is_any_imported() and _belongs_to_one(cls)


def is_any_imported() -> bool:
    """Return whether any framework was imported; where none was, no object of one can exist."""
    return not sys.modules.keys().isdisjoint(FRAMEWORK_OF_PACKAGE) or any(
        package in sys.modules for package in registered_frameworks()
    )


def _belongs_to_one(cls: type) -> bool:
    is_theirs = any(framework_of(module_of_class(base)) is not None for base in bases_of_class(cls))
    return is_theirs or framework_of_holder(cls) is not None


def recogniser() -> ModuleType:
    """Return the module that recognises the objects of frameworks; it is loaded for such an object only."""
    return import_module("toolkit.frameworks.recognised")
