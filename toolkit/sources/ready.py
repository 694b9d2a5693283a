"""Open ready tools by the names that targets use."""

from collections.abc import Callable
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


class ReadyTools:
    """The ready tools with their configuration, each opened when it is first needed.

    Attributes:
        for_agents: The names of the tools for agents only, which are not among the others.
    """

    for_agents = FOR_AGENTS

    def __init__(self, configuration: Configuration, refusal: Callable[[str], Problem | None]) -> None:
        """Prepare them, without importing any.

        Args:
            configuration: The settings of the project.
            refusal: Returns why a configured tool cannot be used with the project's settings, or `None` if it can.
        """
        self._configuration, self._refusal = configuration, refusal
        self._opened: dict[str, Collected] = {}

    @property
    def names(self) -> list[str]:
        """The names of all ready tools, and the name of all together."""
        return [ALL_READY, *ready_names(self._configuration)]

    def find(self, name: str) -> Collected | None:
        """Return the ready tool with a name, or all of them, or `None`."""
        if name == ALL_READY:
            everything = Collected.nothing()
            for each in ready_names(self._configuration):
                everything.add(self._as_one_of_all(each, self.find(each) or Collected.nothing()))
            return everything
        if name not in self._opened:
            if name in self._configuration.builtin and (refused := self._refusal(name)) is not None:
                return Collected.nothing(refused)
            if (ready := open_ready(name, self._configuration)) is not None:
                self._opened[name] = ready
        return self._opened.get(name)

    def _as_one_of_all(self, name: str, found: Collected) -> Collected:
        """Return a tool that is opened with all others; if it is not configured, its problems are only remarks."""
        if name in self._configuration.builtin:
            return found
        return Collected(found.tools, [replace(problem, severity="info") for problem in found.problems])

    def find_for_agents(self, name: str) -> Collected | None:
        """Return a tool for agents, or a tool behind one (`blackboard.blackboard_list`), or `None`."""
        name, _, inner = name.partition(".")
        if name not in FOR_AGENTS:
            return None
        found = Collected([_for_agents(name)], [])
        return found.pick(inner, name) if inner else found


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
