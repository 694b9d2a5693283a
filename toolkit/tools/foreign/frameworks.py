"""The table of supported frameworks, packages that add more, and a cheap check whether an object may be theirs."""

import os
import site
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.tools.calls.foreign_values import (
    bases_of_class,
    describe_error,
    members_of_class,
    module_of_class,
    name_of_class,
)

if TYPE_CHECKING:
    from toolkit.tools.foreign.source_marks import SourceMarks

_HEADING: Final = "[toolkit.frameworks]"


@cache
def registered_frameworks() -> Mapping[str, str]:
    """Map the packages that users of each framework import to the plugin module that supports it."""
    found: dict[str, str] = {}
    for text in _entry_points():
        for package, home in _registered_in(text):
            found.setdefault(package, home)
    return found


def _entry_points() -> Iterator[str]:
    """Yield the `entry_points.txt` of each installed plugin; fast, since this runs at the start of many commands."""
    for folder in [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():  # noqa: PTH112, PTH208 - twice as fast
            if not name.endswith(("dist-info", "egg-info")):
                continue
            try:
                with open(f"{folder}/{name}/entry_points.txt", encoding="utf-8") as file:  # noqa: PTH123 - the same
                    text = file.read()
            except (OSError, UnicodeDecodeError):
                continue
            if _HEADING in text:
                yield text


def _registered_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of the package that users import and the module that supports the framework."""
    of_group = text.partition(_HEADING)[2].partition("\n[")[0]
    for line in of_group.splitlines():
        package, equals, home = (one.strip() for one in line.partition("="))
        if equals and all(one.isidentifier() for one in (*package.split("."), *home.split("."))):
            yield package, home


class Framework(NamedTuple):
    """A supported framework, whose module in `toolkit.frameworks` has the name of its row.

    Attributes:
        packages: The packages that its users import; none if its tools are data, which programs send with any package.
        mark: The attribute that it sets on functions; empty if it sets none.
        takes_any_object: Whether it accepts objects of any class with marked methods.
        steps: The class whose subclasses have marked methods that no model calls; empty if there is none.
        variable: The variable by which it recognises a module as a tool; empty if there is none.
        refusals: The names of the exceptions with which its tools refuse a call.
        is_broad: Whether most programs use it for something else, so that importing it does not suggest tools.
        ends_runs: Whether any other exception ends the run of its agents, instead of becoming a message for the model.
    """

    packages: tuple[str, ...]
    mark: str = ""
    takes_any_object: bool = False
    steps: str = ""
    variable: str = ""
    refusals: tuple[str, ...] = ()
    is_broad: bool = False
    ends_runs: bool = False


FRAMEWORKS: Mapping[str, Framework] = {
    "fastmcp": Framework(
        ("fastmcp",), mark="__fastmcp__", refusals=("ToolError", "FastMCPError", "McpError", "MCPError")
    ),
    "mcp_sdk": Framework(("mcp", "mcp_types"), refusals=("ToolError", "McpError", "MCPError")),
    "langchain": Framework(
        ("langchain", "langchain_core", "langchain_community", "langchain_classic", "langgraph", "deepagents"),
        refusals=("ToolException", "GraphBubbleUp"),
        ends_runs=True,
    ),
    "pydantic_ai": Framework(
        ("pydantic_ai",), refusals=("ModelRetry", "ToolFailed", "CallDeferred", "ApprovalRequired"), ends_runs=True
    ),
    "openai_agents": Framework(("agents",)),
    "anthropic_sdk": Framework(("anthropic",), refusals=("ToolError",)),
    "claude_agent_sdk": Framework(("claude_agent_sdk",)),
    "smolagents": Framework(("smolagents",)),
    "llama_index": Framework(("llama_index",)),
    "haystack": Framework(("haystack",)),
    "strands": Framework(("strands",), variable="TOOL_SPEC"),
    "google_adk": Framework(("google.adk",), ends_runs=True),
    "google_genai": Framework(("google.genai", "google.generativeai")),
    "crewai": Framework(("crewai", "crewai_tools")),
    "semantic_kernel": Framework(
        ("semantic_kernel",), mark="__kernel_function__", takes_any_object=True, steps="KernelProcessStep"
    ),
    "autogen": Framework(("autogen_core", "autogen_agentchat", "autogen_ext")),
    "autogen_0": Framework(("autogen",)),
    "ag2": Framework(("ag2",)),
    "agentscope": Framework(("agentscope",)),
    "livekit": Framework(("livekit.agents",), refusals=("ToolError",)),
    "agent_framework": Framework(("agent_framework",), refusals=("ToolException",)),
    "agno": Framework(("agno", "phi")),
    "gradio": Framework(("gradio",), is_broad=True),
    "fastapi_mcp": Framework(("fastapi_mcp",)),
    "azure_ai_agents": Framework(("azure.ai",), is_broad=True),
    "browser_use": Framework(("browser_use",)),
    "swarm": Framework(("swarm",)),
    "camel": Framework(("camel",)),
    "dspy": Framework(("dspy",), is_broad=True),
    "ollama": Framework(("ollama",), is_broad=True),
    "transformers": Framework(("transformers",), is_broad=True),
    "openai_sdk": Framework(("openai",), is_broad=True),
    "openai_api": Framework(()),
    "gemini_api": Framework(()),
    "bedrock_api": Framework(()),
    "others": Framework(()),
}
"""The supported frameworks, by the names of their modules."""

FRAMEWORK_OF_PACKAGE: Mapping[str, str] = {
    package: name for name, framework in FRAMEWORKS.items() for package in framework.packages
}
"""Maps the packages that users import to the framework."""

_FRAMEWORK_OF_MARK = {framework.mark: name for name, framework in FRAMEWORKS.items() if framework.mark}
_FRAMEWORKS_OF_HOLDERS = {name for name, framework in FRAMEWORKS.items() if framework.takes_any_object}
FRAMEWORK_OF_VARIABLE = {framework.variable: name for name, framework in FRAMEWORKS.items() if framework.variable}
"""Maps the variables of modules that are tools to the framework."""


def framework_of(module: str) -> str | None:
    """Return the framework that a module belongs to, by its dotted name: `google_adk` for `google.adk.agents`."""
    first, _, rest = module.partition(".")
    both = f"{first}.{rest.partition('.')[0]}"
    found = FRAMEWORK_OF_PACKAGE.get(first) or FRAMEWORK_OF_PACKAGE.get(both)
    if found is not None or first in _NO_FRAMEWORKS:
        return found
    return registered_frameworks().get(first) or registered_frameworks().get(both)


_NO_FRAMEWORKS = sys.stdlib_module_names | {"", "toolkit"}


def suggests_tools(framework: str) -> bool:
    """Return whether a file that imports a framework probably has something to do with tools."""
    known = FRAMEWORKS.get(framework)
    return known is None or not known.is_broad


def all_packages() -> Mapping[str, str]:
    """Return every framework, including those of plugins, by the packages that its users import."""
    return {**registered_frameworks(), **FRAMEWORK_OF_PACKAGE}


def data_frameworks() -> Sequence[str]:
    """Return the frameworks whose tools are only data, so that no import shows them."""
    return [name for name, framework in FRAMEWORKS.items() if not framework.packages]


def framework_of_mark(function: object) -> str | None:
    """Return the framework that has marked a function, or `None`."""
    if type(function) is not FunctionType:
        return None
    marks = vars(function).keys() & _FRAMEWORK_OF_MARK.keys()
    return _FRAMEWORK_OF_MARK[marks.pop()] if marks else None


def is_mark(attribute: str) -> bool:
    """Return whether a framework marks functions with an attribute of this name."""
    return attribute in _FRAMEWORK_OF_MARK


def framework_of_holder(cls: type) -> str | None:
    """Return the framework that has marked methods of a class, if it accepts objects of any class with such methods."""
    if sys.modules.keys().isdisjoint(_FRAMEWORKS_OF_HOLDERS):
        return None
    members = (member for base in bases_of_class(cls) for member in members_of_class(base).values())
    found = {framework_of_mark(member) for member in members}
    names = {name_of_class(base) for base in bases_of_class(cls)}
    return next((one for one in _FRAMEWORKS_OF_HOLDERS & found if FRAMEWORKS[one].steps not in names), None)


def framework_of_variables(module: ModuleType) -> str | None:
    """Return the framework that recognises a module as a tool by a variable in it, or `None`."""
    found = (FRAMEWORK_OF_VARIABLE[name] for name in FRAMEWORK_OF_VARIABLE.keys() & vars(module).keys())
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


def support_for(framework: str) -> ModuleType:
    """Import and return the module that supports a framework, which has `MARKS`, `CLASSES` or both.

    Raises:
        ConfigurationError: If the plugin that supports the framework is broken.
    """
    if framework in FRAMEWORKS:
        return import_module(f"toolkit.frameworks.{framework}")
    return _plugin(framework)


def is_only_read(framework: str) -> bool:
    """Return whether the tools of a framework are read in the source, and objects of it are not recognised."""
    support = support_for(framework)
    return not (hasattr(support, "CLASSES") or hasattr(support, "MARKED"))


def title_of(framework: str) -> str:
    """Return the display name of a framework."""
    marks: SourceMarks | None = getattr(support_for(framework), "MARKS", None)
    return framework if marks is None else marks.title


def _plugin(name: str) -> ModuleType:
    """Import and return a plugin.

    Raises:
        ConfigurationError: If it cannot be imported, or lacks the expected attributes.
    """
    try:
        module = import_module(name)
    except Exception as error:
        raise _broken(name, f"cannot be imported: {describe_error(error)}") from error
    from toolkit.tools.foreign.source_marks import SourceMarks  # few environments have a plugin

    expected: dict[str, type] = {"MARKS": SourceMarks, "CLASSES": Mapping}
    found = {attribute: getattr(module, attribute) for attribute in expected if hasattr(module, attribute)}
    if not found:
        raise _broken(name, "has neither 'MARKS' nor 'CLASSES'")
    for attribute, value in found.items():
        if not isinstance(value, expected[attribute]):
            raise _broken(name, f"has no '{attribute}' of type '{expected[attribute].__name__}'")
    return module


def _broken(name: str, why: str) -> ConfigurationError:
    message = f"the framework plugin '{name}' {why}"
    hint = "its package declares it as an entry point of 'toolkit.frameworks': upgrade or uninstall the package"
    return ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, hint=hint)])


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
