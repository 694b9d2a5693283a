"""Chaining: objects that tools return bring tools of their own, their marked methods, once they are there.

Of an object of a registered type the model sees the tools from the start, and may call them as soon as a tool has
returned one. The newest object counts. Only an object that stands alone does: a list is something to choose from.
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
from toolkit.tools.marked_methods import marked_methods
from toolkit.tools.places import place_of
from toolkit.tools.resolution import build_tools
from toolkit.tools.spec import ToolSpec

Where = Callable[[Any, Run], bool]


@dataclass(frozen=True, slots=True)
class Chaining:
    """Which objects bring tools.

    Attributes:
        kind: Objects of this type, whose tools are announced beforehand; None for any object that has some.
        where: Only objects of which this is true, with the run; None for all.
    """

    kind: type | None = None
    where: Where | None = None

    def lets_in(self, thing: Any, run: Run) -> bool:
        """Return whether an object of the type brings tools.

        Raises:
            ConfigurationError: If the function `where` fails.
        """
        try:
            return self.where is None or bool(self.where(thing, run))
        except Exception as error:
            kind = type(thing).__name__
            message = f"the check whether a {kind} brings tools failed: {type(error).__name__}: {error}"
            raise ConfigurationError(message) from error


def chaining_from(kind: type, where: Where | None = None) -> Chaining:
    """Let objects of a type bring their tools: the newest object that a tool has returned.

    Args:
        kind: The type; its methods marked `@tool` are the tools.
        where: Called with an object and the run; if it returns false, the object brings no tools.
    """
    return Chaining(kind, where)


def chaining_from_any() -> Chaining:
    """Let any returned object bring its marked methods as tools, in place of those that earlier objects brought."""
    return Chaining()


def chaining_problems(chaining: Iterable[Chaining]) -> list[Problem]:
    """Return what is wrong with the types that bring tools."""
    problems: list[Problem] = []
    for kind in filter(None, (each.kind for each in chaining)):
        try:
            ToolSpec.from_class(kind)
        except InvalidTools as error:
            problems += error.problems
        if not marked_methods(kind):
            hint = "mark its methods with @tool"
            problems.append(Problem("", f"objects of '{kind.__qualname__}' bring no tools", place_of(kind), hint=hint))
    return problems


def chained_names(chaining: Iterable[Chaining]) -> set[str]:
    """Return the names of the tools that are known beforehand."""
    return {spec.name for each in chaining if each.kind is not None for spec in ToolSpec.from_class(each.kind)}


class _AwaitedTool(Tool):
    """A method of an object that is not there yet."""

    def __init__(self, spec: ToolSpec, kind: type) -> None:
        self.spec = spec
        self._kind = kind

    def closed(self, named: Tool) -> Tool:
        """Return it, under the name that it is offered by, as a tool that may not be called yet."""
        name = self._kind.__name__
        note = f"Note: This tool requires a {name} instance to be retrieved first."
        reason = f"This tool is not yet available. You must first retrieve a single {name} instance."
        return ClosedTool(named, reason, f"{self.description}\n\n{note}".strip())


class Owned(NamedTuple):
    """Tools that belong to objects of a type, and what stands in front of their names where these are taken."""

    owner: str
    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class ChainedTools:
    """What objects have brought in one loop so far.

    Attributes:
        chaining: Which objects bring tools.
        brought: The tools that are there, by the place in `chaining` of what has let them in.
        awaited: The tools that are announced beforehand, in the same way.
    """

    chaining: Sequence[Chaining] = ()
    brought: Mapping[int, Owned] = field(default_factory=dict)
    awaited: Mapping[int, Owned] = field(default_factory=dict)

    @classmethod
    def begin(cls, chaining: Iterable[Chaining]) -> "ChainedTools":
        """Return the beginning, where no object is there yet."""
        listed = tuple(chaining)
        kinds = {place: each.kind for place, each in enumerate(listed) if each.kind is not None}
        return cls(listed, awaited={place: _awaited(kind) for place, kind in kinds.items()})

    def after(self, call: FinishedCall, run: Run) -> "ChainedTools":
        """Return it after a call: with the tools of the object that the call has returned, if it brings some."""
        thing = call.result.artifact if self.chaining and call.result.succeeded else None
        if thing is None or not marked_methods(type(thing)):
            return self
        for place, each in enumerate(self.chaining):
            if each.kind is None or isinstance(thing, each.kind):
                if not each.lets_in(thing, run):
                    return self
                others = self.brought if each.kind is not None else {}
                owned = Owned(_owner(each.kind or type(thing)), build_tools(thing)[0])
                return replace(self, brought={**others, place: owned})
        return self

    def alone(self) -> "ChainedTools":
        """Return it without brought or announced tools, once other tools have replaced all of them."""
        return replace(self, brought={}, awaited={})

    def laid_over(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Return tools with those that objects bring; where a name is taken, the type's stands in front of it."""
        table = dict(tools)
        for place in range(len(self.chaining)):
            owned = self.brought.get(place) or self.awaited.get(place) or Owned("", ())
            for tool in owned.tools:
                name = tool.name
                while name in table:
                    name = f"{owned.owner}_{name}"
                named = tool if name == tool.name else tool.with_name(name)
                table[name] = tool.closed(named) if isinstance(tool, _AwaitedTool) else named
        return table


def _owner(kind: type) -> str:
    return re.sub(r"\W", "_", kind.__name__).casefold()


def _awaited(kind: type) -> Owned:
    return Owned(_owner(kind), [_AwaitedTool(spec, kind) for spec in ToolSpec.from_class(kind)])
