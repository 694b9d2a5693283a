"""The tools that the model of one loop is offered, turn by turn, and chaining, which adds to them.

Chaining: objects that tools return provide further tools, which are their marked methods. The model sees the tools of
registered types from the start and can call them as soon as a tool has returned an object of the type. If there are
several objects, the tools belong to the newest. Objects inside a list do not count, because the model would have to
choose one first.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from toolkit.agents.kinds import AgentKind, ClosedTool, FinishedCall, LoopHistory, state_name
from toolkit.disclosure.offering import facade_of, offer, paths_of, unfolded_by
from toolkit.errors import ConfigurationError, InvalidTools
from toolkit.problems import Problem, did_you_mean
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import marked_methods
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.kinds.function_tools import DescribedTool
from toolkit.tools.kinds.resolution import build_tools
from toolkit.tools.outcomes import plain

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
    """A method of a registered type, before an object of that type exists."""

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


class Table:
    """The tools of one loop: the agent's own and those revealed by facades, open or closed according to its kind.

    It also includes the tools of returned objects, which are not affected by the kind.

    Attributes:
        past: What has happened so far.
        tools: The tools that are currently offered, by name.
        one_by_one: Whether the calls of one turn must run one after another.
    """

    def __init__(self, tools: Mapping[str, Tool], kind: AgentKind, past: LoopHistory, chain: ChainedTools) -> None:
        """Create the table of a new task, including tools that facades and objects provided earlier if still valid."""
        self.past = replace(past, calls=())
        self._standing = dict(tools)
        self._kind = kind
        self._chain = chain
        for call in past.calls:
            if not _is_over(call, self._standing):
                self._reveal(call)
            self._record(call)
        self.one_by_one = kind.one_by_one
        self.tools = self._current_tools()

    def turn(self) -> dict[str, Tool]:
        """Begin a turn, and return the tools that the model is offered in it."""
        self.past = replace(self.past, turns=self.past.turns + 1)
        self.tools = self._current_tools()
        return self.tools

    @property
    def known(self) -> list[Tool]:
        """All tools that the model can call now or later, or has called: what it knows may come from any of them."""
        called = (call.tool for call in self.past.calls if call.tool is not None)
        return [*self._standing.values(), *self.tools.values(), *called]

    def note(self, tool: Tool, name: str, result: ToolResult) -> str:
        """Record the result of a call, and return a note for the model on what has changed, or an empty string."""
        if isinstance(tool, ClosedTool):
            return ""
        call = FinishedCall(tool, name, result)
        remarks = [self._reveal(call)]
        before, state = self.tools, self._kind.state(self.past)
        self._record(call)
        self.tools = self._current_tools()
        if (now := self._kind.state(self.past)) != state:
            remarks.append(f"The state is now {state_name(now)}.")
        remarks.append(_opened(before, self.tools))
        return "\n".join(filter(None, remarks))

    def why_unknown(self, name: str) -> str:
        """Return the answer to a call of an unknown tool: the facade that it is behind, or the known tools."""
        way = next((path for path, _ in paths_of(self._standing.values()) if path[1:] and path[-1] == name), ())
        if way and way[0] in self.tools:
            first, *others = (f"'{facade}'" for facade in way[:-1])
            then = "".join(f", then {facade}" for facade in others)
            return f"the tool '{name}' is behind {first}: call {first} first{then}."
        known = sorted(self.tools)
        meant = did_you_mean(name, known)
        hint = f" {meant[0].upper()}{meant[1:]}" if meant else ""
        if not known:
            return f"the tool '{name}' does not exist. No tools are available."
        return (
            f"the tool '{name}' does not exist.{hint} Available tools: {', '.join(known)}. Use the exact name of one."
        )

    def _record(self, call: FinishedCall) -> None:
        self.past, self._chain = self.past.with_call(call), self._chain.after(call, self.past.run)

    def _reveal(self, call: FinishedCall) -> str:
        """Offer the tools that a facade has revealed, under the conditions of the agent's own tool that led there."""
        unfolded = unfolded_by(call.result)
        if unfolded is None:
            return ""
        before = self._standing
        self._standing, remark = offer(before, call.name, unfolded)
        if unfolded.exclusive:
            self._chain = self._chain.alone()
        origin = self.past.origins.get(call.name, call.name)
        new = {revealed: origin for revealed in self._standing if revealed not in before}
        self.past = replace(self.past, origins={**self.past.origins, **new})
        self.tools = self._current_tools()
        return remark

    def _current_tools(self) -> dict[str, Tool]:
        return self._chain.combined_with(self._kind.table(self._standing, self.past))


def _is_over(call: FinishedCall, standing: Mapping[str, Tool]) -> bool:
    """Return whether the tools that a call revealed are no longer valid: the facade is gone, or it is exclusive.

    An exclusive facade replaces all tools, which applies only to one task, since there would be no way back.
    """
    unfolded, facade = unfolded_by(call.result), facade_of(call.tool)
    is_gone = call.name not in standing or facade is not facade_of(standing[call.name])
    return unfolded is None or unfolded.exclusive or facade is None or is_gone


def _opened(before: Mapping[str, Tool], now: Mapping[str, Tool]) -> str:
    """Return the notice of newly available tools."""
    names = [
        name
        for name, tool in now.items()
        if not isinstance(tool, ClosedTool) and (name not in before or isinstance(before[name], ClosedTool))
    ]
    return f"Now available: {', '.join(names)}." if names else ""
