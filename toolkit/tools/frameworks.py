"""Frameworks: the libraries of others whose tools can be used here, by the packages that their users import.

This is the one table. What is known of a framework stands in its folder, `toolkit.frameworks.<name>`, a part a module:

- `marks`: `MARKS`, how source code shows that it defines such tools.
- `objects`: `tools_of(thing)`, the Tools that an object of the framework stands for.
- `exports`: `exported(tool, context)`, a Tool of ours as a tool of the framework.

A part is loaded when something of its framework is met. The framework itself is never imported.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Literal

from toolkit.tools.foreign_values import bases_of_class, module_of_class

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
"""The folder of each framework, by the packages that its users import."""


def framework_of(module: str) -> str | None:
    """Return the framework that a module belongs to, by its dotted name: `google_adk` for `google.adk.agents`."""
    first, _, rest = module.partition(".")
    second = rest.partition(".")[0]
    return FRAMEWORK_OF_PACKAGE.get(first) or FRAMEWORK_OF_PACKAGE.get(f"{first}.{second}")


def part_of(framework: str, part: Part) -> ModuleType | None:
    """Return a part of what is known of a framework; None where it has no such part."""
    name = f"toolkit.frameworks.{framework}.{part}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name in (name, name.rpartition(".")[0]):
            return None
        raise


def may_be_foreign(cls: type) -> bool:
    """Return whether a class belongs to a framework, itself or through what it is derived from.

    Where no framework was imported, no object of one can exist, and only that is looked up.
    """
    if not any(package in sys.modules for package in FRAMEWORK_OF_PACKAGE):
        return False
    return any(framework_of(module_of_class(base)) is not None for base in bases_of_class(cls))


def recogniser() -> ModuleType:
    """Return the module that recognises the objects of frameworks; it is loaded for such an object only."""
    return import_module("toolkit.frameworks.recognised")
