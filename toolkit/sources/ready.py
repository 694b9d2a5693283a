"""Open ready tools by the names that targets use."""

from dataclasses import replace

from toolkit.builtin.catalog import ALL_READY, ready_tools
from toolkit.codes import BAD_CONFIGURATION, NOT_A_TOOL
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.settings.configuration import Configuration, ReadySettings, place_in_configuration
from toolkit.sources.collected import Collected
from toolkit.tools.base import RedescribedTool, Tool

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
    from toolkit.tools.kinds.function_tools import from_function

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
    has_wrong_options = any(problem.code for problem in error.problems)
    hint = options if has_wrong_options else "; ".join(hints) or None
    return [Problem(NOT_A_TOOL, f"the ready tool '{name}' cannot be used here: {message}", hint=hint)]
