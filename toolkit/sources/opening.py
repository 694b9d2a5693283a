"""Open the targets that a user names; every problem is reported, and a broken target does not hide others."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.codes import CIRCLE_OF_PIPELINES, NO_TOOLS, NOT_A_TOOL, NOT_FOUND
from toolkit.errors import InvalidPipeline, InvalidTools, raise_errors
from toolkit.problems import Location, Problem, did_you_mean, errors_among, seen_from
from toolkit.settings.configuration import Configuration
from toolkit.settings.configuration_search import find_configuration
from toolkit.source_code.module_files import PYTHON
from toolkit.sources.collected import Collected, note_ways, table_of
from toolkit.sources.import_permissions import Chooser, FileCounts, ImportPermission
from toolkit.sources.targets import (
    FilesTarget,
    NameTarget,
    Target,
    functions_named,
    is_module_name,
    nearby_names,
    parse_target,
)
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from types import ModuleType

    from toolkit.approvals.consents import Consents
    from toolkit.approvals.gates import Gate
    from toolkit.pipelines.pipeline import Pipeline
    from toolkit.sources.apis import ConfiguredApis
    from toolkit.sources.configured_sources import ConfiguredGroups, ConfiguredSources
    from toolkit.sources.module_tools import Collector
    from toolkit.sources.ready import ReadyTools
    from toolkit.sources.servers import ConfiguredServers


def disable_plugins() -> None:
    """Prevent pydantic from loading plugins in this process."""
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"


_MOST_DEEP = 20


class Opened(NamedTuple):
    """The tools and problems of opened targets.

    Attributes:
        tools: The tools by name.
        problems: All problems; those with the code `TK001` are targets that were not found.
        files: How many Python files were read and imported.
    """

    tools: dict[str, Tool]
    problems: list[Problem]
    files: FileCounts = FileCounts()


def open_targets(
    targets: Sequence[str], configuration: Configuration, gate: "Gate | None" = None, *, looks: bool = False
) -> Opened:
    """Open targets relative to the working directory; without targets, open the configured sources.

    A broken source does not hide others. Of two different tools with the same name, the first one is used, and the
    other is a problem (`TK103`).

    Args:
        targets: The targets.
        configuration: The settings of the project.
        gate: Asks for the user's consent to MCP servers of the project and to settings that widen access; without it,
            consent is not given.
        looks: Whether tools are only inspected. Then files whose source defines no tools are not imported, and creating
            a tool needs no consent, since nothing is called.
    """
    return SourceOpener(configuration, gate=gate, looks=looks).open_all(targets)


def load_tools(*targets: str) -> dict[str, Tool]:
    """Open local sources and return their tools by name: `load_tools("tools.py", "package.module:name", "builtin")`.

    A target is a Python file, `file.py:name`, a pipeline or agent file, a folder, a glob, the name of a configured or
    ready tool, a module or `module:name`. Paths are relative to the working directory. Without targets, the configured
    sources are opened.

    Raises:
        InvalidTools: If a target or the project's configuration has errors. It contains all problems.
    """
    configuration, problems = find_configuration()
    opened = SourceOpener(configuration).open_all(targets)
    here = Path.cwd()
    raise_errors(InvalidTools, [seen_from(here, problem) for problem in [*problems, *opened.problems]])
    return opened.tools


def load_pipeline(path: "str | os.PathLike[str]") -> "Pipeline":
    """Load a pipeline, with its tools, from a YAML file. A pipeline is a `Tool` itself.

    Args:
        path: The file. Paths in it are relative to its folder; configured and ready tools are known by name.

    Raises:
        InvalidPipeline: If the file, its tools or the project's configuration have errors. It contains all problems.
    """
    configuration, problems = find_configuration()
    found = SourceOpener(configuration).open_yaml(Path(path))
    here = Path.cwd()
    raise_errors(InvalidPipeline, [seen_from(here, problem) for problem in [*problems, *found.problems]])
    from toolkit.pipelines.pipeline import Pipeline  # not needed to load tools

    [tool] = found.tools
    if isinstance(tool, Pipeline):
        return tool
    problem = Problem(
        NOT_A_TOOL, f"'{path}' is an agent, not a pipeline", tool.spec.location, hint="use load_tools instead"
    )
    raise InvalidPipeline(problems=[seen_from(here, problem)])


class SourceOpener:
    """Opens targets, and caches them, so that the same tool is never opened twice."""

    def __init__(
        self,
        configuration: Configuration,
        refused: Mapping[str, Problem] | None = None,
        *,
        gate: "Gate | None" = None,
        looks: bool = False,
    ) -> None:
        """Create an opener; nothing is opened yet.

        Args:
            configuration: The settings of the project.
            refused: The real paths of Python files that must not be imported, with the reasons.
            gate: Asks for the user's consent to MCP servers of the project and to settings that widen access.
            looks: Whether tools are only inspected, and nothing is run.
        """
        self.looks = looks
        self.configuration = configuration
        self.permission = ImportPermission(configuration, looks=looks)
        if looks:
            disable_plugins()
        self._gate = gate
        self._yaml: dict[str, Collected] = {}
        self._open_files_stack: list[str] = []
        self._refused = refused or {}

    @cached_property
    def ready(self) -> "ReadyTools":
        """The ready tools."""
        from toolkit.sources.ready import ReadyTools  # files of tools need none

        return ReadyTools(self.configuration, self._refusal_of_settings)

    @cached_property
    def configured(self) -> "ConfiguredSources":
        """The configured sources."""
        from toolkit.sources.configured_sources import ConfiguredSources  # many projects have none

        return ConfiguredSources(self)

    @cached_property
    def groups(self) -> "ConfiguredGroups":
        """The configured groups."""
        from toolkit.sources.configured_sources import ConfiguredGroups  # many projects have none

        return ConfiguredGroups(self)

    @cached_property
    def servers(self) -> "ConfiguredServers":
        """The configured MCP servers."""
        from toolkit.sources.servers import ConfiguredServers  # few projects have servers

        return ConfiguredServers(self.configuration, self.consents)

    @cached_property
    def apis(self) -> "ConfiguredApis":
        """The APIs that OpenAPI documents describe."""
        from toolkit.sources.apis import ConfiguredApis  # few projects have APIs

        return ConfiguredApis(self.configuration, self.consents, looks=self.looks)

    def refused_operation(self, name: str) -> Collected | None:
        """Return the problem that an operation of a document may not be used, or `None`; no document is opened."""
        return self.apis.refused(name) if "apis" in vars(self) else None

    @cached_property
    def consents(self) -> "Consents":
        """The user's consents to settings in the project's files."""
        from toolkit.settings.setting_consents import consents_for  # few projects need consent

        return consents_for(self.configuration, self._gate)

    def open_all(self, targets: Sequence[str]) -> Opened:
        """Open several targets; without targets, open the configured sources."""
        found = Collected.nothing()
        for text in targets:
            found.add(self.open(text, Path()))
        if not targets:
            found.add(self.configured.open_all())
        tools, clashes = table_of(found.tools)
        here = Path.cwd()
        problems = [seen_from(here, problem) for problem in [*found.problems, *clashes]]
        return Opened(tools, list(dict.fromkeys(problems)), self.permission.counts)

    def open(self, text: str, base: Path, chooser: Chooser = "user") -> Collected:
        """Open a target, relative to the folder `base`."""
        return self.open_parsed(parse_target(text, base), base, chooser)

    def open_parsed(
        self, target: Target | Problem, base: Path, chooser: Chooser = "user", *, is_configured: bool = False
    ) -> Collected:
        """Open a parsed target.

        Args:
            target: The target.
            base: The folder that it is relative to.
            chooser: Who chose it.
            is_configured: Whether it is itself a configured source.
        """
        if chooser != "user" and self._is_named_by_user(target):
            chooser = "user"
        match target:
            case Problem():
                return Collected.nothing(target)
            case FilesTarget():
                return self._open_files(target, chooser)
            case NameTarget(name=None):
                found = self.find(target.module, in_configured=not is_configured)
                return self._open_module(target, base, chooser) if found is None else found
            case NameTarget():
                return self._open_module(target, base, chooser)

    def _is_named_by_user(self, target: Target | Problem) -> bool:
        """Whether the user named the same target with an option or a variable."""
        return not isinstance(target, Problem) and any(
            _is_same(target, parse_target(text, self.configuration.directory))
            for text in self.configuration.user_sources
        )

    def find(self, name: str, *, in_configured: bool = True) -> Collected | None:
        """Return the configured tool, ready tool, group or server with a name, or `None`."""
        tool = self._find_tool(name, in_configured=in_configured)
        has_group = in_configured and name in self.configuration.groups
        if tool is not None:
            return Collected(tool.tools, [*tool.problems, self.groups.hidden(name)]) if has_group else tool
        found = self.groups.find(name) if in_configured and self.configuration.groups else None
        if found is None and self.configuration.openapi:
            found = self.apis.find(name)
        if found is None and self.configuration.mcp:
            found = self.servers.find(name)
        return self.ready.find_for_agents(name) if found is None else found

    def _find_tool(self, name: str, *, in_configured: bool) -> Collected | None:
        is_ready = name in self.ready.names
        configured = self.configured if in_configured and self.configuration.sources else None
        if configured and (found := configured.find(name, only_likely=is_ready)) is not None:
            return found
        return self.ready.find(name) if is_ready else None

    def may_define(self, target: Target | Problem, name: str, base: Path) -> bool:
        """Return whether the Python files of a target may define a tool with a name, judging by their source."""
        files = [os.path.realpath(path) for path in target.python] if isinstance(target, FilesTarget) else []
        if isinstance(target, NameTarget) and is_module_name(target.module):
            from toolkit.sources.modules import source_of  # few sources are modules

            files += filter(None, [source_of(target.module, base)])
        return any(self.permission.recogniser.may_define(file, name) for file in files)

    def known_names(self) -> list[str]:
        """Return all names that `find` can find."""
        configured = self.configured.names if self.configuration.sources else []
        servers = self.servers.names if self.configuration.mcp else []
        apis = self.apis.names if self.configuration.openapi else []
        return [*configured, *self.ready.names, *self.configuration.groups, *servers, *apis, *self.ready.for_agents]

    def open_yaml(self, path: Path) -> Collected:
        """Open a pipeline or agent file as a tool."""
        key = os.path.realpath(path)
        if key in self._open_files_stack:
            chain = " → ".join(Path(one).name for one in [*self._open_files_stack, key])
            return Collected.nothing(Problem(CIRCLE_OF_PIPELINES, f"the file '{path}' uses itself: {chain}"))
        if len(self._open_files_stack) >= _MOST_DEEP:
            return Collected.nothing(
                Problem(CIRCLE_OF_PIPELINES, f"files are nested more than {_MOST_DEEP} levels deep")
            )
        if key not in self._yaml:
            from toolkit.sources.scopes import read_yaml  # it reads documents, and loads the models of agents

            self._open_files_stack.append(key)
            try:
                tool, problems = read_yaml(path, self)
            finally:
                self._open_files_stack.pop()
            self._yaml[key] = Collected([tool] if tool else [], problems)
        return self._yaml[key]

    def open_class(self, text: str, base: Path) -> type | list[Problem]:
        """Return the class that `file.py:Class` or `package.module:Class` refers to, or the problems."""
        from toolkit.sources.modules import find_class  # few files refer to classes

        return find_class(text, base, self._refused, self.permission)

    def _refusal_of_settings(self, name: str) -> Problem | None:
        """Return why a ready tool cannot be used with the project's settings, or `None` if it can."""
        if self.looks:
            return None
        from toolkit.settings.setting_consents import access_of_ready  # few tools are configured

        access = access_of_ready(name, self.configuration)
        return None if access is None else self.consents.refusal(access)

    def _open_files(self, target: FilesTarget, chooser: Chooser) -> Collected:
        if target.is_api:
            return self.apis.open_file(target.paths[0], target.name, is_users=chooser == "user")
        if target.is_single:
            found = self._open_file(target.paths[0], target.name, chooser)
        else:
            found = Collected.nothing()
            for path in target.paths:
                found.add(self._open_file(path, None, chooser, is_walked=True))
            if target.name is not None:
                return found.pick(target.name, target.spelled)
        if not found.tools and not errors_among(found.problems):
            found.problems.append(_no_tools(target))
        return found

    def _open_file(self, path: Path, name: str | None, chooser: Chooser, *, is_walked: bool = False) -> Collected:
        if path.suffix != PYTHON:
            found = self.open_yaml(path)
            return found.pick(name, str(path)) if name is not None and found.tools else found
        if reason := self._refused.get(os.path.realpath(path)):
            return Collected.nothing(reason)
        objections = self.permission.objections_to_file(path, name, chooser, is_walked=is_walked)
        if objections is not None:
            return Collected.nothing(*objections)
        from toolkit.sources.modules import import_file  # not needed for ready tools

        return self._collect(import_file(path), name, str(path), chooser)

    def _open_module(self, target: NameTarget, base: Path, chooser: Chooser) -> Collected:
        from toolkit.sources.modules import import_named, source_of  # not needed for files and ready tools

        if is_module_name(target.module):
            file = source_of(target.module, base)
            objections = self._objections_to_module(target, file, chooser)
            if objections is not None:
                return Collected.nothing(*objections)
            is_permitted = file is not None or self.permission.is_unconditional(target.name, chooser)
            module = import_named(target.module, base, is_permitted=is_permitted)
        else:
            module = None
        if module is not None:
            return self._collect(module, target.name, target.module, chooser)
        return Collected.nothing(self._not_found(target, base))

    def _not_found(self, target: NameTarget, base: Path) -> Problem:
        known = self.known_names()
        if target.name is not None and (target.module in known or self._is_address(target.module)):
            return self._not_a_module(target.module, target.name, known)
        names = [*known, *self._addresses_like(target.module), *nearby_names(base)]
        begun = [name for name in names if name.startswith(target.module)][:1]
        otherwise = f"did you mean {begun[0]!r}?" if begun else "name a file, a folder, a tool or a module"
        exact = functions_named(target.module, base)
        near = f"did you mean {exact[0]!r}?" if exact else did_you_mean(target.module, names, otherwise=otherwise)
        kind = "there is no module" if target.name or "." in target.module else "nothing is named"
        if target.module.endswith(".py"):
            kind = "there is no file"
        return Problem(NOT_FOUND, f"{kind} '{target.module}'", hint=near)

    def _not_a_module(self, module: str, name: str, known: Sequence[str]) -> Problem:
        is_server = module in self.configuration.mcp or module in self.configuration.openapi
        meant = f"{module}.{name}" if is_server else name if name in known else module
        return Problem(NOT_FOUND, f"'{module}' is not a module, so ':{name}' cannot follow it", hint=f"write '{meant}'")

    def _is_address(self, name: str) -> bool:
        server, dot, _ = name.partition(".")
        return bool(dot) and (server in self.configuration.mcp or server in self.configuration.openapi)

    def _objections_to_module(self, target: NameTarget, file: str | None, chooser: Chooser) -> Sequence[Problem] | None:
        if file is None:
            return None
        if reason := self._refused.get(file):
            return [reason]
        if target.name is not None and target.module in sys.modules:
            return None  # its code has already run
        return self.permission.objections_to_module(target.module, file, target.name, chooser)

    def _addresses_like(self, name: str) -> list[str]:
        """Return the names of tools to suggest for a name with a mistyped server."""
        _, dot, tool = name.partition(".")
        return [f"{one}.{tool}" for one in (*self.configuration.mcp, *self.configuration.openapi)] if dot else []

    def _collect(
        self, module: "ModuleType | list[Problem]", name: str | None, source: str, chooser: Chooser
    ) -> Collected:
        if isinstance(module, list):
            return Collected([], module)
        if name is None:
            found = self._collector.collect_module(module, source)
        else:
            from toolkit.sources.module_names import ModuleName  # few targets have a name within

            found = ModuleName(self._collector, module, name, source).tools(only_declared=chooser != "user")
            found.problems[:] = [_with_maker(problem, module) for problem in found.problems]
        note_ways(found.tools, module, source)
        return found

    @cached_property
    def _collector(self) -> "Collector":
        from toolkit.sources.module_tools import Collector  # slow to import

        return Collector(self.configuration.granted, looks=self.looks)


def _is_same(target: Target, other: Target | Problem) -> bool:
    match target, other:
        case FilesTarget(paths=(path,), is_single=True), FilesTarget(paths=(named,), is_single=True):
            return os.path.realpath(path) == os.path.realpath(named) and target.name == other.name
        case NameTarget(), NameTarget():
            return (target.module, target.name) == (other.module, other.name)
    return False


def _with_maker(problem: Problem, module: "ModuleType") -> Problem:
    """Add to the problem that a module has no tool with a name which function of the module would make it."""
    file = getattr(module, "__file__", None)
    if problem.code != NOT_FOUND or problem.hint is not None or not file:
        return problem
    from toolkit.sources.written_lists import unmade_tools  # only needed to report the problem

    return replace(problem, hint=unmade_tools([Path(file)]))


def _no_tools(target: FilesTarget) -> Problem:
    place = Location(str(target.paths[0])) if target.is_single else None
    hint = "mark a function with `@tool`" if target.paths else "it contains no Python files, pipelines or agents"
    if target.python:
        from toolkit.sources.written_lists import unmade_tools  # only needed to report the problem

        hint = unmade_tools(target.python) or hint
    return Problem(NO_TOOLS, f"no tools were found in '{target.spelled}'", place, hint=hint)
