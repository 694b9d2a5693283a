"""Reports what the selected providers reject in a tool, each under the code of its rule.

What each provider accepts is data in `dialects`; here, an objection only gets its location in the source.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from toolkit import dialects
from toolkit.amounts import tokens_of_data
from toolkit.dialects import Export
from toolkit.dialects.conformance import PROVIDERS
from toolkit.dialects.provider_limits import Limit, Objection
from toolkit.dialects.providers import LIMITS, dialect_for
from toolkit.dialects.schema_parts import path_of
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem, Severity
from toolkit.tools.definition.spec import ToolSpec

STRICT = tuple(name for name, limits in LIMITS.items() if limits.closed is not None)
"""The providers whose strict mode requires every object to be closed."""


def limited_in(*names: str) -> tuple[str, ...]:
    """Return the providers and clients that set one of these limits, by the names of the attributes of `Limits`."""
    return tuple(one for one in PROVIDERS if any(getattr(LIMITS[one], name) is not None for name in names))


class ProviderRule(Rule):
    """A rule that reports providers' objections to one tool, under its own code."""

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Report each provider's objections to a tool."""
        for provider in self.settings.providers:
            for objection in objections_to(tool, provider):
                if objection.code == self.code:
                    yield self.objecting(tool, objection)

    def objecting(self, tool: ToolDefinition, objection: Objection) -> Problem:
        """Return an objection as a finding, with its location."""
        message = f"tool {tool.name!r}: {objection.message}"
        place = tool.place(*steps_of(objection.pointer))
        fix = self.fix_for(tool, steps_of(objection.pointer), objection)
        return self.problem(message, place, hint=objection.hint, severity=objection.severity, fix=fix)

    def fix_for(
        self,
        tool: ToolDefinition,
        path: tuple[str | int, ...],
        objection: Objection,
    ) -> Fix | None:
        """Return a fix, if the rule has one; `path` leads into the parameters' schema."""
        return None


class ToolsetRule(Rule):
    """A rule that reports providers' objections to sending all tools of one source together; `advice` is the hint."""

    advice: ClassVar[str]

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        """Report the most severe objection of each provider to the tools of a source."""
        for source in sent_together(tools):
            specs = [tool.spec for tool in source if tool.spec is not None]
            for provider in self.settings.providers:
                objections = dialects.request_objections(specs, provider, shared_exports(source))
                own = [objection for objection in objections if objection.code == self.code]
                for objection in own[:1]:  # the most severe comes first
                    message = f"in '{name_of(source)}' {objection.message}"
                    yield self.problem(message, source[0].location, hint=self.advice, severity=objection.severity)


def by_source(tools: Sequence[ToolDefinition]) -> list[list[ToolDefinition]]:
    """Return the tools of each source that would be offered together: a file, a server, a list."""
    found: dict[str, list[ToolDefinition]] = {}
    for tool in tools:
        if tool.origin != "pipeline":
            found.setdefault(tool.source or "", []).append(tool)
    return list(found.values())


def sent_together(tools: Sequence[ToolDefinition]) -> list[list[ToolDefinition]]:
    """Return the tools of each source that are sent with every request: not those that a model has to search for."""
    return by_source([tool for tool in tools if not tool.is_behind_facade])


def shared_exports(tools: Sequence[ToolDefinition]) -> Callable[[ToolSpec, str], Export]:
    """Return a function that exports the specifications of these tools, each only once per dialect."""
    holders = {id(tool.spec): tool for tool in tools}
    return lambda spec, dialect: holders[id(spec)].exported(dialect)


def name_of(source: Sequence[ToolDefinition]) -> str:
    """Return the display name of a source: its file name, or its own."""
    return Path(source[0].source or source[0].name).name


@lru_cache(maxsize=256)
def objections_to(tool: ToolDefinition, provider: str) -> tuple[Objection, ...]:
    """Return a provider's objections to a tool.

    A definition in JSON is sent as it is, so anything that an export would repair is an objection, too.
    """
    if tool.spec is None:
        return ()
    made = tool.exported(provider) if provider in dialects.DIALECTS else None
    found = [*dialects.objections(tool.spec, provider, made)]
    if made is not None and tool.origin == "json" and provider != "json-schema":
        grave: Severity = "error" if provider in STRICT else "info"
        found += [
            _as_it_stands(
                change.pointer, change.what, code=change.code, provider=provider, severity=grave, limit=change.limit
            )
            for change in made.changes
            if change.code and change.pointer.startswith("/parameters")
        ]
    return tuple(found)


def _as_it_stands(
    pointer: str, what: str, code: str, provider: str, severity: Severity, limit: Limit[Any]
) -> Objection:
    step = steps_of(pointer)[-1] if steps_of(pointer) else "parameters"
    title = LIMITS[provider].title
    message = f"{title} does not accept '{step}' as it is: {limit.says}"
    return Objection(
        code, pointer, message=message, severity=severity, limit=limit, hint=f"as `toolkit schema` writes it: {what}"
    )


def steps_of(pointer: str) -> tuple[str | int, ...]:
    """Return the keys that lead into the parameters' schema; empty for a pointer to anything else."""
    return path_of(pointer)[1:] if pointer.startswith("/parameters") else ()


def tokens_of(tool: ToolDefinition, provider: str) -> int:
    """Return the approximate number of tokens of a tool's definition for a provider.

    Raises:
        ValueError: If only the tool's source was read.
    """
    return tokens_of_data(tool.exported(dialect_for(provider)).definition)
