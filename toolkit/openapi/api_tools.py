"""The tools of an API: the operations that its settings choose, under names that do not collide."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from shlex import quote
from typing import Final

from toolkit.amounts import tokens_of_data
from toolkit.codes import BAD_CONFIGURATION, DUPLICATE_TOOL_NAME, LONG_TOOL_NAME, NOT_FOUND, TOO_MANY_TOOLS
from toolkit.errors import ConfigurationError, InvalidTools
from toolkit.openapi.access import ServerAccess, base_of
from toolkit.openapi.api_settings import MOST_TOOLS, ApiSettings, chosen, is_chosen
from toolkit.openapi.credentials import Credentials
from toolkit.openapi.documents import ApiDocument
from toolkit.openapi.operation_names import LONGEST, tool_name, whole_name
from toolkit.openapi.operation_reader import OperationReader, Outline, outlines_of
from toolkit.openapi.operation_tools import OperationTool
from toolkit.openapi.operations import Operation, SecurityScheme
from toolkit.openapi.tool_specs import parameters_of, spec_of
from toolkit.problems import Location, Problem, Severity, did_you_mean

_UNTAGGED: Final = "operations without a tag"
_NO_SERVER: Final = ""


class Api:
    """The operations of a document as tools, each made when it is needed.

    Attributes:
        choice_problems: The problems of the settings that choose and name operations.
        server_problems: The problems of servers that tools cannot reach.
    """

    def __init__(self, document: ApiDocument, settings: ApiSettings) -> None:
        """Create it from a document that has been read.

        Args:
            document: The document.
            settings: What chooses and names its operations.
        """
        self._document = document
        self._settings = settings
        self._reader = OperationReader(document)
        self.choice_problems: list[Problem] = []
        self.server_problems: list[Problem] = []
        self._left_out: list[Problem] = []
        self._accesses: dict[tuple[str, ...], ServerAccess] = {}
        self._made: dict[str, OperationTool] = {}
        self._endpoints: frozenset[str] = frozenset()

    @property
    def problems(self) -> list[Problem]:
        """Everything that is wrong with the document, its choice and its servers, as far as it has been needed."""
        own = [*self._left_out, *self.choice_problems, *self.server_problems]
        return list(dict.fromkeys([*self._document.problems, *own]))

    @property
    def accesses(self) -> list[ServerAccess]:
        """How the servers of the tools so far are reached."""
        return [*self._accesses.values()]

    @property
    def names(self) -> list[str]:
        """The ids of the chosen operations, and the names of their tools."""
        return [*self._outlines, *(outline.name for outline in self._outlines.values())]

    @property
    def title(self) -> str:
        """The title of the document."""
        return self._document.root.at("info", dict).text("title")

    @property
    def schemes(self) -> Mapping[str, SecurityScheme]:
        """The ways to sign in, by their names in the document."""
        return self._reader.schemes()

    def outline(self, operation: Operation) -> Outline:
        """Return where a chosen operation is written."""
        return self._outlines[operation.id]

    def tool(self, name: str) -> OperationTool | None:
        """Return the tool of an operation by its id, its method and path, or the name of the tool."""
        for outline in self._outlines.values():
            if name in {outline.id, outline.name, outline.endpoint, tool_name(outline.id)}:
                return self._tool(outline)
        return None

    def tools(self) -> list[OperationTool]:
        """Return all tools; none, after noting why, if there are more than the settings allow."""
        most = self._settings.max_tools or (None if self._settings.include else MOST_TOOLS)
        if most is not None and len(self._outlines) > most and not self._settings.facade:
            self.choice_problems.append(self._too_many(most))
            return []
        return self.every_tool()

    def every_tool(self) -> list[OperationTool]:
        """Return all tools, however many they are."""
        return [tool for outline in self._outlines.values() if (tool := self._tool(outline)) is not None]

    @cached_property
    def _outlines(self) -> dict[str, Outline]:
        """The chosen operations by id, with the names of their tools."""
        everything = outlines_of(self._document)
        self.choice_problems += self._unmatched(everything)
        self._endpoints = frozenset(one.endpoint for one in everything)
        names, prefix = self._settings.names, self._settings.offered_prefix
        found: dict[str, Outline] = {}
        holders: dict[str, Outline] = {}
        for one in chosen(everything, self._settings):
            named = one._replace(name=names.get(one.id) or tool_name(one.id, prefix))
            first = holders.setdefault(named.name, named)
            if first is named:
                found[named.id] = named
            else:
                self._left_out.append(_collision(first, named))
        return found

    @property
    def notes(self) -> list[Problem]:
        """One note on the names that are shortened, since they are too long for some providers; none without any."""
        settings = self._settings
        wholes = {one.id: whole_name(one.id, settings.offered_prefix) for one in self._outlines.values()}
        cut = [one for one in self._outlines.values() if one.id not in settings.names and len(wholes[one.id]) > LONGEST]
        if not cut:
            return []
        first, others = cut[0], len(cut) - 1
        more = f", and {others} more" if others else ""
        return [
            Problem(
                LONG_TOOL_NAME,
                f"'{wholes[first.id]}' has more than {LONGEST} characters: the tool is '{first.name}'{more}",
                first.part.location,
                "info",
                f"choose a shorter name in [tool.toolkit.openapi.NAME]: names = {{ '{first.id}' = '…' }}",
                related=tuple((one.part.location, f"'{wholes[one.id]}' is '{one.name}'") for one in cut[1:]),
            )
        ]

    def _unmatched(self, outlines: Sequence[Outline]) -> Iterator[Problem]:
        """Yield a problem for each choice or name that means no operation; one that leaves nothing out is an error."""
        settings = self._settings
        known = [outline.id for outline in outlines]
        for key, choices in (("include", settings.include), ("exclude", settings.exclude), ("names", settings.names)):
            for wanted in choices:
                if wanted in known or (key != "names" and any(is_chosen(one, wanted) for one in outlines)):
                    continue
                message = f"no operation of '{settings.name}' matches '{wanted}', which '{key}' names"
                hint = did_you_mean(wanted, known, otherwise="write an id, 'tag:NAME', a path, or a method")
                severity: Severity = "warning" if key == "include" else "error"
                yield Problem(BAD_CONFIGURATION, message, settings.place, severity, hint)

    def _tool(self, outline: Outline) -> OperationTool | None:
        if outline.id not in self._made:
            operation = self._reader.read(outline)
            if operation is None:
                return None
            try:
                self._made[outline.id] = self._made_of(operation, outline.part.location)
            except InvalidTools as error:
                self._left_out += [replace(one, location=outline.part.location) for one in error.problems]
        return self._made.get(outline.id)

    def _made_of(self, operation: Operation, place: Location) -> OperationTool:
        settings = self._settings
        spec = spec_of(operation, source=settings.document, location=place, group=settings.group)
        return OperationTool(spec, operation, self._access(operation.servers))

    def _access(self, servers: tuple[str, ...]) -> ServerAccess:
        """Return how the servers of an operation are reached; what is wrong with them is noted."""
        settings = self._settings
        key = (settings.server,) if settings.server is not None else servers
        if key not in self._accesses:
            try:
                base = base_of(key, settings.url)
            except ConfigurationError as error:
                base = _NO_SERVER
                place = settings.place if settings.server is not None else self._document.root.at("servers").location
                self.server_problems.append(Problem(BAD_CONFIGURATION, str(error), place, hint=self._where_to_write()))
            self._accesses[key] = ServerAccess(
                name=settings.name,
                base=base,
                headers=settings.headers,
                credentials=Credentials(settings.name, self.schemes, settings.auth),
                allow_private=settings.allow_private,
                endpoints=self._endpoints,
            )
        return self._accesses[key]

    def _where_to_write(self) -> str | None:
        """Return the hint where the settings of a document are written that was named as a file."""
        if self._settings.group:
            return None
        document = self._settings.document
        return f"in [tool.toolkit.openapi.{self._settings.name}]: document = '{document}', server = 'https://…'"

    def _too_many(self, most: int) -> Problem:
        """Return the problem that there are too many tools, with the tags and what their definitions cost."""
        tags: dict[str, list[Outline]] = {}
        for outline in self._outlines.values():
            for tag in outline.tags or (_UNTAGGED,):
                tags.setdefault(tag, []).append(outline)
        whole = Location(self._document.root.location.file)
        notes = [
            (whole, f"{tag}: {len(each):,}, about {sum(map(self._tokens, each)):,} tokens")
            for tag, each in sorted(tags.items(), key=lambda pair: -len(pair[1]))
        ]
        document = self._settings.document
        first = next((f"'tag:{tag}'" for tag in tags if tag != _UNTAGGED), "'GET'")
        message = f"'{document}' has {len(self._outlines):,} operations, and at most {most} become tools at once"
        hint = (
            f"name one, as in '{document}:{next(iter(self._outlines))}', or choose some in [tool.toolkit.openapi.NAME]:"
            f" document = '{document}', include = [{first}], or facade = true"
        )
        return Problem(
            TOO_MANY_TOOLS, message, self._document.root.at("paths").location, hint=hint, related=tuple(notes)
        )

    def _tokens(self, outline: Outline) -> int:
        operation = self._reader.read(outline)
        if operation is None:
            return 0
        words = [operation.name, operation.summary, operation.description]
        return tokens_of_data([*words, parameters_of(operation)])

    def unknown(self, name: str) -> Problem:
        """Return the problem for a name that no operation has, with the closest one."""
        within = self._settings.group or self._settings.document
        hint = did_you_mean(name, self.names, otherwise=f"`toolkit list {quote(within)}` lists them")
        return Problem(NOT_FOUND, f"no operation is named '{name}' in '{within}'", hint=hint)


def _collision(first: Outline, second: Outline) -> Problem:
    return Problem(
        DUPLICATE_TOOL_NAME,
        f"the operations '{first.id}' and '{second.id}' would both be the tool '{first.name}'; the second is left out",
        second.part.location,
        hint=f"name one of them in [tool.toolkit.openapi.NAME]: names = {{ '{second.id}' = '…' }}",
        related=((first.part.location, "first named here"),),
    )
