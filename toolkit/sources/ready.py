"""Open ready tools by the names that targets use."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolkit.builtin.catalog import ReadyTool, ready_tools
from toolkit.builtin.options import one_of, read_options
from toolkit.codes import BAD_CONFIGURATION, NOT_A_TOOL
from toolkit.documents.keys import Key, Schema, Spot, schema_of
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean
from toolkit.sources.collected import Collected
from toolkit.sources.configuration import Configuration, ReadySettings
from toolkit.sources.toml_files import place_in_configuration
from toolkit.tools.base import RedescribedTool, Tool
from toolkit.tools.names import name_problem

ALL_READY = "builtin"
"""The name for all ready tools."""

FOR_AGENTS = ("agent_process", "blackboard", "communicate", "progress")
"""Tools for agents only, which are known by name and not included in `builtin`."""


def ready_names(configuration: Configuration | None = None) -> list[str]:
    """Return the names of all ready tools, including those that a configuration adds."""
    return list(dict.fromkeys([*ready_tools(), *(configuration.builtin if configuration else ())]))


def open_ready(name: str, configuration: Configuration) -> Collected | None:
    """Return the ready tool with a name, or `None`; no other ready tool is imported."""
    settings = configuration.builtin.get(name) or ReadySettings(name)
    if (ready := ready_tools().get(settings.kind)) is None:
        return None
    try:
        tool = ready.build(options=settings.options)
    except ConfigurationError as error:
        return Collected([], _problems(name, error, configuration))
    is_of_project = name in configuration.builtin and settings.owner == "project" and configuration.file is not None
    source = str(configuration.file) if is_of_project else None
    if source is None and tool.name == name:
        return Collected([tool], [])
    names = (name, tool.name) if tool.name != name else ()  # a rule that denies one name also denies the other
    return Collected([RedescribedTool(tool, name=name, source=source, names=names)], [])


def open_for_agents(name: str) -> Collected | None:
    """Return a tool for agents, or a tool behind one (`blackboard.blackboard_list`), or `None`."""
    name, _, inner = name.partition(".")
    if name not in FOR_AGENTS:
        return None
    found = Collected([_for_agents(name)], [])
    return found.pick(inner, name) if inner else found


def _for_agents(name: str) -> Tool:
    from toolkit.agents.introspection import AgentProcessTools, BlackboardTools, communicate, progress
    from toolkit.disclosure.facades import UnfoldingTool
    from toolkit.tools.functions import from_function

    match name:
        case "agent_process":
            return UnfoldingTool.from_instance(AgentProcessTools(), source=ALL_READY)
        case "blackboard":
            return UnfoldingTool.from_instance(BlackboardTools(), source=ALL_READY)
    tool = from_function(progress if name == "progress" else communicate)
    tool.spec = replace(tool.spec, source=ALL_READY)
    return tool


def as_one_of_all(name: str, found: Collected, configuration: Configuration) -> Collected:
    """Return a ready tool that is opened with all others; if it is not configured, its problems are only remarks."""
    if name in configuration.builtin:
        return found
    return Collected(found.tools, [replace(problem, severity="info") for problem in found.problems])


def _problems(name: str, error: ConfigurationError, configuration: Configuration) -> list[Problem]:
    message = "; ".join(problem.message for problem in error.problems) or str(error)
    hints = [problem.hint for problem in error.problems if problem.hint]
    if name in configuration.builtin:
        place = place_in_configuration(configuration, ["builtin", name])
        whole = f"the ready tool '{name}' cannot be used with its configuration: {message}"
        return [Problem(BAD_CONFIGURATION, whole, place, hint="; ".join(hints) or None)]
    options = f"set its options in [tool.toolkit.builtin.{name}]; `toolkit show {name}` lists them"
    hint = options if error.problems else None
    return [Problem(NOT_A_TOOL, f"the ready tool '{name}' cannot be used here: {message}", hint=hint)]


DEFINITION = "ready_tool"
"""The name of the shared definition in the JSON Schema of a configuration."""

KIND = "kind"
"""The key with the ready tool that a table with another name configures."""


def read_ready_settings(tables: Mapping[str, Any], spot: Spot) -> dict[str, ReadySettings]:
    """Return the settings in the tables, by the names of the tools, and report all problems.

    Args:
        tables: A table for each tool.
        spot: The location of the tables.
    """
    settings = {}
    for name, table in tables.items():
        here = spot.below(name)
        if not isinstance(table, dict):
            here.wrong("a table", f"write [{here.name}]")
        elif (tool := _tool_of(table, here)) is not None:
            settings[name] = _settings(tool, table, here)
    return settings


def _tool_of(table: Mapping[str, Any], spot: Spot) -> ReadyTool | None:
    name = spot.path[-1]
    ready, kind = ready_tools(), table.get(KIND, name)
    if KIND in table and (problem := name_problem(name)):
        spot.report(problem.message, problem.hint)
    if isinstance(kind, str) and kind in ready:
        return ready[kind]
    if KIND in table:
        names = ", ".join(f"'{name}'" for name in ready)
        hint = did_you_mean(str(kind), ready, otherwise=f"ready tools: {names}")
        spot.below(KIND).wrong("the name of a ready tool", hint)
    else:
        otherwise = f"to use your own name, set the ready tool: kind = '{next(iter(ready))}'"
        spot.report(f"unknown ready tool '{spot.name}'", did_you_mean(name, ready, otherwise=otherwise))
    return None


def _settings(tool: ReadyTool, table: Mapping[str, Any], spot: Spot) -> ReadySettings:
    given = {name: written for name, written in table.items() if name != KIND}
    values = read_options(tool.options, given, spot)
    return ReadySettings(tool.name, {name: _real(value) for name, value in values.items()}, spot.origin.owner)


def _real(value: Any) -> Any:
    """Return a folder with links resolved, so that the folder that was checked is the one that is used."""
    if not isinstance(value, Path):
        return value
    try:
        return value.resolve()
    except (OSError, RuntimeError):  # circular links, which are reported when it is opened
        return value


def ready_schema() -> Schema:
    """Return the JSON Schema of the tables of ready tools; `DEFINITION` stands for `any_ready_schema`."""
    of_another_name: Schema = {"$ref": f"#/$defs/{DEFINITION}"}
    named = {name: {"anyOf": [schema_of(tool.options), of_another_name]} for name, tool in ready_tools().items()}
    return {"type": "object", "properties": named, "additionalProperties": of_another_name}


def any_ready_schema() -> Schema:
    """Return the JSON Schema of a table with the key `kind`."""
    return {"anyOf": [schema_of((_kind_of(tool), *tool.options)) for tool in ready_tools().values()]}


def _kind_of(tool: ReadyTool) -> Key:
    return Key(KIND, one_of(tool.name), "the ready tool that the table configures", required=True)
