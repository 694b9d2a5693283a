"""Chaining: objects that tools return provide further tools, which are their marked methods.

The model sees the tools of registered types from the start and can call them as soon as a tool has returned an object
of the type. If there are several objects, the tools belong to the newest. Objects inside a list do not count, because
the model would have to choose one first.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from toolkit.agents.kinds import ClosedTool, FinishedCall
from toolkit.errors import ConfigurationError, InvalidTools
from toolkit.problems import Problem
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.definition_places import place_of
from toolkit.tools.described_tools import DescribedTool
from toolkit.tools.marking import marked_methods
from toolkit.tools.outcomes import plain
from toolkit.tools.resolution import build_tools
from toolkit.tools.spec import ToolSpec

Where = Callable[[Any, Run], bool]


@dataclass(frozen=True, slots=True)
class Chaining:
    """Which objects provide tools.

    Attributes:
        kind: The type of the objects, whose tools are announced from the start; `None` for any object with tools.
        where: A condition that objects must meet, called with the object and the run; `None` for all objects.
    """

    kind: type | None = None
    where: Where | None = None

    def accepts(self, thing: Any, run: Run) -> bool:
        """Return whether an object of the type provides tools.

        Raises:
            ConfigurationError: If the function `where` is async or fails.
        """
        try:
            return self.where is None or bool(plain(self.where(thing, run), "the condition of chaining_from"))
        except ConfigurationError:
            raise
        except Exception as error:
            kind = type(thing).__name__
            message = f"the check whether a {kind} provides tools failed: {type(error).__name__}: {error}"
            raise ConfigurationError(message) from error


def chaining_from(kind: type, where: Where | None = None) -> Chaining:
    """Offer the tools of the newest object of a type that a tool has returned.

    Args:
        kind: The type. Its methods marked `@tool` are the tools.
        where: Called with an object and the run. If it returns false, the object provides no tools.
    """
    return Chaining(kind, where)


def chaining_from_any() -> Chaining:
    """Offer the marked methods of any returned object as tools. They replace the tools of earlier objects."""
    return Chaining()


def chaining_problems(chaining: Iterable[Chaining]) -> list[Problem]:
    """Return the problems with the types that provide tools."""
    problems: list[Problem] = []
    for kind in filter(None, (each.kind for each in chaining)):
        try:
            ToolSpec.from_class(kind)
        except InvalidTools as error:
            problems += error.problems
        if not marked_methods(kind):
            message, hint = f"objects of '{kind.__qualname__}' provide no tools", "mark its methods with @tool"
            problems.append(Problem("", message, place_of(kind), hint=hint))
    return problems


def chained_names(chaining: Iterable[Chaining]) -> set[str]:
    """Return the names of the tools that are announced from the start."""
    return {spec.name for each in chaining if each.kind is not None for spec in ToolSpec.from_class(each.kind)}


class _AnnouncedTool(DescribedTool):
    """A method of a registered type of which there is no object yet."""

    def __init__(self, spec: ToolSpec, kind: type) -> None:
        super().__init__(spec)
        self._kind = kind

    def closed(self, named: Tool) -> Tool:
        """Return the tool, under the name by which it is offered, as a tool that cannot be called yet."""
        name = self._kind.__name__
        note = f"Note: This tool requires a {name} instance to be retrieved first."
        reason = f"This tool is not yet available. You must first retrieve a single {name} instance."
        return ClosedTool(named, reason, f"{self.description}\n\n{note}".strip())


class Owned(NamedTuple):
    """The tools of objects of a type, and the prefix that is added to their names if these are already used."""

    owner: str
    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class ChainedTools:
    """The tools that objects provide in one loop.

    Attributes:
        chaining: Which objects provide tools.
        provided: The tools of returned objects, by the index of their entry in `chaining`.
        announced: The tools announced from the start, by the index of their entry in `chaining`.
    """

    chaining: Sequence[Chaining] = ()
    provided: Mapping[int, Owned] = field(default_factory=dict)
    announced: Mapping[int, Owned] = field(default_factory=dict)

    @classmethod
    def begin(cls, chaining: Iterable[Chaining]) -> "ChainedTools":
        """Return the initial value, before any object was returned."""
        listed = tuple(chaining)
        kinds = {place: each.kind for place, each in enumerate(listed) if each.kind is not None}
        return cls(listed, announced={place: _announced(kind) for place, kind in kinds.items()})

    def after(self, call: FinishedCall, run: Run) -> "ChainedTools":
        """Return the value after a call, with the tools of the object that the call returned, if it provides any."""
        thing = call.result.artifact if self.chaining and call.result.succeeded else None
        if thing is None or not marked_methods(type(thing)):
            return self
        for place, each in enumerate(self.chaining):
            if each.kind is None or isinstance(thing, each.kind):
                if not each.accepts(thing, run):
                    return self
                others = self.provided if each.kind is not None else {}
                owned = Owned(_owner(each.kind or type(thing)), build_tools(thing)[0])
                return replace(self, provided={**others, place: owned})
        return self

    def alone(self) -> "ChainedTools":
        """Return the value without any tools of objects, for when a facade has replaced all tools."""
        return replace(self, provided={}, announced={})

    def combined_with(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Return tools together with those of objects. If a name is already used, the type's name becomes a prefix."""
        table = dict(tools)
        for place in range(len(self.chaining)):
            owned = self.provided.get(place) or self.announced.get(place) or Owned("", ())
            for tool in owned.tools:
                name = tool.name
                while name in table:
                    name = f"{owned.owner}_{name}"
                named = tool if name == tool.name else tool.with_name(name)
                table[name] = tool.closed(named) if isinstance(tool, _AnnouncedTool) else named
        return table


def _owner(kind: type) -> str:
    return re.sub(r"\W", "_", kind.__name__).casefold()


def _announced(kind: type) -> Owned:
    return Owned(_owner(kind), [_AnnouncedTool(spec, kind) for spec in ToolSpec.from_class(kind)])
