"""The configured sources, whose tools are known by name in commands and pipelines, and the configured groups."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from toolkit.builtin.catalog import ALL_READY
from toolkit.codes import BAD_CONFIGURATION, CIRCLE_OF_PIPELINES, NO_TOOLS, NOT_FOUND
from toolkit.disclosure.groups import ToolGroup, chosen, is_plain, ungranted
from toolkit.problems import Location, Problem, did_you_mean, errors_among, set_missing_locations
from toolkit.regular_files import bounded_text
from toolkit.settings.configuration import GroupSettings, place_in_configuration
from toolkit.sources.collected import Collected, as_warning, inner_names, named_tool, table_of
from toolkit.sources.import_permissions import Chooser
from toolkit.sources.targets import FilesTarget, NameTarget, Target, parse_target
from toolkit.tools.base import Tool
from toolkit.tools.definition.names import legal_name

if TYPE_CHECKING:
    from toolkit.sources.opening import SourceOpener


_NAME = re.compile(r"""^name[ \t]*:[ \t]*["']?([A-Za-z0-9_-]+)""", re.MULTILINE)


class ConfiguredSources:
    """The sources in the configuration. Python files are opened to find their tools, pipelines only when used."""

    def __init__(self, opener: "SourceOpener") -> None:
        self._opener = opener
        self._configuration = opener.configuration
        self._kept: dict[str, Collected] = {}

    @property
    def names(self) -> list[str]:
        """The names of all tools and pipelines."""
        own = [*self._tools, *self._pipelines, *inner_names(self._python.tools)]
        return [*own, *(tool.name for tool in self._groups.tools)]

    @property
    def warnings(self) -> list[Problem]:
        """The problems of the Python sources, as warnings for when another source is used."""
        return [as_warning(problem) for problem in self._python.problems]

    def find(self, name: str, *, only_likely: bool = False) -> Collected | None:
        """Return the tool or pipeline with a name, or `None`.

        Sources whose text contains the name are opened first, and the others only if these do not define it.

        Args:
            name: The name to find.
            only_likely: Whether to leave the others closed, because the name also refers to something else.
        """
        if (found := self._find_likely(name)) is not None:
            return found
        if only_likely and not self._is_likely_in_groups(name):
            return None
        if (found := self.find_own(name)) is not None:
            return found
        tool = named_tool(self._groups.tools, name)
        return None if tool is None else Collected([tool], self.warnings)

    def find_own(self, name: str) -> Collected | None:
        """Return the tool or pipeline with a name, without looking into groups, or `None`."""
        if (found := self._find_likely(name)) is not None:
            return found
        if name in self._tools:
            return Collected([self._tools[name]], self.warnings)
        inner = named_tool(self._python.tools, name)
        return self._opener.refused_operation(name) if inner is None else Collected([inner], self.warnings)

    def _find_likely(self, name: str) -> Collected | None:
        """Return the tool or pipeline with a name, opening only sources whose text contains the name."""
        found = Collected.nothing()
        for text, target in self._own_python():
            if any(self._opener.may_define(target, part, self._configuration.directory) for part in name.split(".")):
                found.add(self._opened(text, target))
        if (tool := named_tool(found.tools, name)) is not None:
            return Collected([tool], [as_warning(problem) for problem in found.problems])
        return self._opener.open_yaml(self._pipelines[name]) if name in self._pipelines else None

    def _is_likely_in_groups(self, name: str) -> bool:
        """Whether a source of a configured group may define a tool with a name."""
        folder = self._configuration.directory
        groups = [target.module.partition(".")[0] for target in self._targets if self._is_group(target)]
        sources = [source for group in groups for source in self._configuration.groups[group].sources]
        return any(self._opener.may_define(parse_target(source, folder), name, folder) for source in sources)

    def open_all(self) -> Collected:
        found = self.open_own()
        found.add(self._groups)
        for text, target in zip(self._configuration.sources, self._targets, strict=True):
            if self._is_remote(target):
                opened = self._opener.open_parsed(target, self._configuration.directory, "configuration")
                found.add(Collected(opened.tools, [self._placed(problem, text) for problem in opened.problems]))
        return found

    def open_own(self) -> Collected:
        """Open all sources except groups and servers."""
        found = Collected(list(self._python.tools), list(self._python.problems))
        for path in self._pipeline_files:
            found.add(self._opener.open_yaml(path))
        return found

    @cached_property
    def _targets(self) -> list[Target | Problem]:
        return [parse_target(text, self._configuration.directory) for text in self._configuration.sources]

    @cached_property
    def _groups(self) -> Collected:
        found = Collected.nothing()
        for text, target in zip(self._configuration.sources, self._targets, strict=True):
            if self._is_group(target) and not self._is_remote(target):
                opened = self._opener.groups.find(target.spelled) or Collected.nothing()
                found.add(Collected(opened.tools, [self._placed(problem, text) for problem in opened.problems]))
        return found

    def _is_group(self, target: Target | Problem) -> TypeGuard[NameTarget]:
        if not isinstance(target, NameTarget) or target.name is not None:
            return False
        return target.module.partition(".")[0] in self._configuration.groups

    def _is_remote(self, target: Target | Problem) -> bool:
        """Whether opening a target would contact an MCP server, which a lookup by name must not do."""
        if (
            not (self._configuration.mcp or self._configuration.openapi)
            or not isinstance(target, NameTarget)
            or target.name is not None
        ):
            return False
        name = target.module.partition(".")[0]
        if name in self._configuration.groups:
            return self._opener.groups.is_remote(name)
        return name in self._configuration.mcp or name in self._configuration.openapi

    @cached_property
    def _python(self) -> Collected:
        found = Collected.nothing()
        for text, target in self._own_python():
            found.add(self._opened(text, target))
        return found

    def _own_python(self) -> Iterator[tuple[str, Target | Problem]]:
        """Yield the sources except groups, servers and pipelines, which are opened later or when used."""
        for text, target in zip(self._configuration.sources, self._targets, strict=True):
            if self._is_group(target) or self._is_remote(target):
                continue
            if not isinstance(target, FilesTarget):
                yield text, target
            elif target.python or not target.pipelines:
                yield text, target.without_pipelines()

    def _opened(self, text: str, target: Target | Problem) -> Collected:
        if text not in self._kept:
            chooser: Chooser = "user" if text in self._configuration.user_sources else "configuration"
            folder = self._configuration.directory
            opened = self._opener.open_parsed(target, folder, chooser, is_configured=True)
            problems = [self._placed(problem, text) for problem in opened.problems]
            self._kept[text] = Collected(opened.tools, problems)
        return self._kept[text]

    @cached_property
    def _tools(self) -> dict[str, Tool]:
        return table_of(self._python.tools)[0]

    @cached_property
    def _pipelines(self) -> dict[str, Path]:
        return {_name_of(path): path for path in reversed(self._pipeline_files)}

    @cached_property
    def _pipeline_files(self) -> list[Path]:
        files = (path for target in self._targets if isinstance(target, FilesTarget) for path in target.pipelines)
        return list(dict.fromkeys(files))

    def _placed(self, problem: Problem, source: str) -> Problem:
        """Return a problem; if it has no location, it becomes a problem of the configuration."""
        if problem.location is not None:
            return problem
        code = BAD_CONFIGURATION if problem.code == NOT_FOUND else problem.code
        return replace(problem, code=code, location=place_in_configuration(self._configuration, ["sources"], source))


def _name_of(path: Path) -> str:
    """Return the likely name of a pipeline, without parsing the file."""
    try:
        text = bounded_text(path)
    except OSError:
        return legal_name(path.stem)
    found = _NAME.search(text)
    return found[1] if found else legal_name(path.stem)


class ConfiguredGroups:
    """The groups in the configuration; each is opened when it is used, if its permissions are granted."""

    def __init__(self, opener: "SourceOpener") -> None:
        self._opener = opener
        self._configuration = opener.configuration
        self._being_opened: list[str] = []

    def find(self, path: str) -> Collected | None:
        """Return the tools of a group, or the tool of `group.tool`; `None` if there is no such group."""
        name, _, inner = path.partition(".")
        if name not in self._configuration.groups:
            return None
        group, problems = self.open(name)
        if group is None or not inner:
            return Collected([*(group or ())], problems)
        tool = named_tool(group.tools, inner)
        if tool is not None:
            return Collected([tool], problems)
        hint = did_you_mean(inner, [each.name for each in group])
        return Collected([], [Problem(NOT_FOUND, f"nothing is named '{inner}' in group '{name}'", hint=hint)])

    def hidden(self, name: str) -> Problem:
        """Return the warning that a tool has the same name as a group and takes precedence."""
        message = f"'{name}' refers to the tool with this name, not to the group"
        return Problem(BAD_CONFIGURATION, message, self._place(name), severity="warning", hint="rename the group")

    def open(self, name: str) -> tuple[ToolGroup | None, list[Problem]]:
        """Return a group, or `None` if it cannot be used, and all problems with it."""
        settings, place = self._configuration.groups[name], self._place(name)
        if refused := ungranted(name, settings.permissions, self._configuration.granted, place):
            return None, refused
        if name in self._being_opened:
            chain = " → ".join([*self._being_opened, name])
            return None, [Problem(CIRCLE_OF_PIPELINES, f"the group '{name}' contains itself: {chain}", place)]
        self._being_opened.append(name)
        try:
            found = self._tools(name, settings)
        finally:
            self._being_opened.pop()
        table, clashes = table_of(found.tools)
        group = ToolGroup(
            name, tuple(table.values()), description=settings.description, provider=settings.provider,
            permissions=frozenset(settings.permissions), required=settings.required, location=place,
        )  # fmt: skip
        problems = [*found.problems, *clashes, *group.problems(self._configuration.granted)]
        if not table and not errors_among(problems):
            problems.append(Problem(NO_TOOLS, f"the group '{name}' has no tools", place))
        problems = set_missing_locations(problems, place)
        return (None if errors_among(problems) else group), problems

    def _tools(self, name: str, settings: GroupSettings) -> Collected:
        pool = self._pool(settings)
        found = Collected([], list(pool.problems))
        for wanted in settings.tools or ("*",):
            matching = chosen(pool.tools, [wanted])
            if not matching and is_plain(wanted) and (meant := self._named(pool, wanted, settings)) is not None:
                matching = meant.tools
                found.problems.extend(meant.problems)
            if not matching:
                hint = did_you_mean(wanted, [tool.name for tool in pool.tools])
                message = f"no tool that group '{name}' can choose is named '{wanted}'"
                found.problems.append(Problem(NOT_FOUND, message, severity="warning", hint=hint))
            found.tools.extend(matching)
        left_out = {id(tool) for tool in chosen(found.tools, settings.exclude)}
        return Collected([tool for tool in found.tools if id(tool) not in left_out], found.problems)

    def _named(self, pool: Collected, wanted: str, settings: GroupSettings) -> Collected | None:
        """Return the tool with a dotted name, or one that is known in the whole project."""
        if (tool := named_tool(pool.tools, wanted)) is not None:
            return Collected([tool], [])
        if settings.sources:
            return None
        own = self._opener.configured.find_own(wanted) if self._configuration.sources else None
        found = own or self._opener.ready.find(wanted) or self.find(wanted)
        if found is None and self._configuration.openapi:
            found = self._opener.apis.find(wanted)
        return self._opener.servers.find(wanted) if found is None and self._configuration.mcp else found

    def is_remote(self, name: str) -> bool:
        """Return whether a group chooses from MCP servers, so that opening it would contact them."""
        settings = self._configuration.groups[name]
        named = {one.partition(".")[0] for one in (*settings.sources, *settings.tools)}
        return not named.isdisjoint(self._configuration.mcp)

    def _pool(self, settings: GroupSettings) -> Collected:
        """Return the tools that a group chooses from: its own sources, or for patterns, all known tools."""
        pool = Collected.nothing()
        for source in settings.sources:
            pool.add(self._opener.open(source, self._configuration.directory, "configuration"))
        if not settings.sources and not all(map(is_plain, settings.tools)):
            if self._configuration.sources:
                pool.add(self._opener.configured.open_own())
            ready = self._opener.ready.find(ALL_READY) or Collected.nothing()
            pool.add(Collected(ready.tools, [one for one in ready.problems if one.severity != "info"]))
        return pool

    def _place(self, name: str) -> Location | None:
        return place_in_configuration(self._configuration, ["groups", name])
