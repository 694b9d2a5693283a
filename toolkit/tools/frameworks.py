"""The table of supported frameworks, by the packages that their users import.

Plugins can add to it (`framework_plugins`). The support for a framework is in its folder, `toolkit.frameworks.<name>`
or the package of the plugin, with one module for each part:

- `marks`: `MARKS` describes how source code defines such tools.
- `objects`: `CLASSES` maps the dotted name of a class to a function that converts its objects to tools. `MARKED` and
  `HOLDERS` do so for functions that the framework has marked, and for objects with marked methods.
  `object_of_module(module)` returns the object that a module represents, and `VERSIONS` has the supported versions.
- `exports`: `exported(tool, context)` converts one of our tools to a tool of the framework.

A part is loaded when it is first needed. The framework itself is never imported.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Literal

from toolkit.tools.foreign_values import bases_of_class, members_of_class
from toolkit.tools.framework_plugins import registered_frameworks

Part = Literal["marks", "objects", "exports"]

FRAMEWORK_OF_PACKAGE: Mapping[str, str] = {
    "fastmcp": "fastmcp",
    "mcp": "mcp_sdk",
    "mcp_types": "mcp_sdk",
    "langchain": "langchain",
    "langchain_core": "langchain",
    "langchain_community": "langchain",
    "langgraph": "langchain",
    "pydantic_ai": "pydantic_ai",
    "agents": "openai_agents",
    "anthropic": "anthropic_sdk",
    "claude_agent_sdk": "claude_agent_sdk",
    "smolagents": "smolagents",
    "llama_index": "llama_index",
    "haystack": "haystack",
    "strands": "strands",
    "google.adk": "google_adk",
    "crewai": "crewai",
    "crewai_tools": "crewai",
    "semantic_kernel": "semantic_kernel",
    "autogen_core": "autogen",
    "autogen_agentchat": "autogen",
    "autogen_ext": "autogen",
}
"""Maps the packages that users import to the folder of the framework."""

_OWN = frozenset(FRAMEWORK_OF_PACKAGE.values())

_FRAMEWORK_OF_MARK: Mapping[str, str] = {
    "__fastmcp__": "fastmcp",
    "__kernel_function__": "semantic_kernel",
}
"""Maps the attributes that frameworks set on functions to those frameworks."""

_FRAMEWORKS_OF_HOLDERS = frozenset({"semantic_kernel"})
"""Frameworks that accept objects of any class with marked methods."""

_FRAMEWORK_OF_VARIABLE: Mapping[str, str] = {"TOOL_SPEC": "strands"}
"""Maps the variables by which frameworks recognise a module as a tool to those frameworks."""


def framework_of(module: str) -> str | None:
    """Return the framework that a module belongs to, by its dotted name: `google_adk` for `google.adk.agents`."""
    first, _, rest = module.partition(".")
    both = f"{first}.{rest.partition('.')[0]}"
    found = FRAMEWORK_OF_PACKAGE.get(first) or FRAMEWORK_OF_PACKAGE.get(both)
    if found is not None or first in _NO_FRAMEWORKS:
        return found
    return registered_frameworks().get(first) or registered_frameworks().get(both)


_NO_FRAMEWORKS = sys.stdlib_module_names | {"", "toolkit"}


def all_packages() -> Mapping[str, str]:
    """Return every framework, including those of plugins, by the packages that its users import."""
    return {**registered_frameworks(), **FRAMEWORK_OF_PACKAGE}


def framework_of_mark(function: object) -> str | None:
    """Return the framework that has marked a function, or `None`."""
    if type(function) is not FunctionType:
        return None
    marks = vars(function).keys() & _FRAMEWORK_OF_MARK.keys()
    return _FRAMEWORK_OF_MARK[marks.pop()] if marks else None


def framework_of_holder(cls: type) -> str | None:
    """Return the framework that has marked methods of a class, if it accepts objects of any class with such methods."""
    if sys.modules.keys().isdisjoint(_FRAMEWORKS_OF_HOLDERS):
        return None
    members = (member for base in bases_of_class(cls) for member in members_of_class(base).values())
    found = {framework_of_mark(member) for member in members}
    return next(iter(found & _FRAMEWORKS_OF_HOLDERS), None)


def framework_of_variables(module: ModuleType) -> str | None:
    """Return the framework that recognises a module as a tool by a variable in it, or `None`."""
    found = (_FRAMEWORK_OF_VARIABLE[name] for name in _FRAMEWORK_OF_VARIABLE.keys() & vars(module).keys())
    return next((framework for framework in found if framework in sys.modules), None)


def package_of(module: str) -> str:
    """Return the package of a framework that a module belongs to, such as `google.adk` for `google.adk.agents`."""
    first, _, rest = module.partition(".")
    return first if first in all_packages() else f"{first}.{rest.partition('.')[0]}"


def is_installed(module: str) -> bool:
    """Return whether the framework's package that contains a module is installed."""
    package = package_of(module)
    try:
        return package in sys.modules or find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def part_of(framework: str, part: Part) -> ModuleType | None:
    """Import and return a part of the support for a framework, or `None` if there is no such part.

    Raises:
        ConfigurationError: If the plugin that supports the framework is broken.
    """
    if framework not in _OWN:
        from toolkit.tools.plugin_parts import part_of_plugin  # noqa: PLC0415 - needed only for plugins

        return part_of_plugin(framework, part)
    name = f"toolkit.frameworks.{framework}.{part}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name in (name, name.rpartition(".")[0]):
            return None
        raise


def title_of(framework: str) -> str:
    """Return the display name of a framework."""
    marks = part_of(framework, "marks")
    title: str = framework if marks is None else marks.MARKS.title
    return title
