"""Open the groups in the configuration, if their permissions are granted."""

from typing import TYPE_CHECKING

from toolkit.codes import BAD_CONFIGURATION, CIRCLE_OF_PIPELINES, NO_TOOLS, NOT_FOUND
from toolkit.disclosure.groups import ToolGroup, chosen, is_plain, ungranted
from toolkit.problems import Location, Problem, did_you_mean, errors_among, set_missing_locations
from toolkit.sources.collected import Collected, named_tool, table_of
from toolkit.sources.configuration import GroupSettings
from toolkit.sources.ready import ALL_READY
from toolkit.sources.toml_files import place_in_configuration

if TYPE_CHECKING:
    from toolkit.sources.opening import SourceOpener


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
        found = own or self._opener.find_ready(wanted) or self.find(wanted)
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
            ready = self._opener.find_ready(ALL_READY) or Collected.nothing()
            pool.add(Collected(ready.tools, [one for one in ready.problems if one.severity != "info"]))
        return pool

    def _place(self, name: str) -> Location | None:
        return place_in_configuration(self._configuration, ["groups", name])
