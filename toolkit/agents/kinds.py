"""Agent kinds decide which of an agent's tools can be called, depending on what has happened so far.

A kind has no state: before each request it receives the history of the loop, so one kind can serve many loops at the
same time. The tools of a playbook become available one after another, each when its lock opens:

    Playbook({"analyze": after("search"), "report": after("analyze") & produced(Document)})

A state machine is always in one state. Every state has its own tools, and some lead to another state:

    StateMachine(Order.DRAFT, {
        Order.DRAFT: {"add_item": None, "confirm": Order.CONFIRMED},
        Order.CONFIRMED: {"ship": Order.SHIPPED},
    }, everywhere=["status"])
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from toolkit.disclosure.offering import leaves_of
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, did_you_mean
from toolkit.runs.run import Entry, Run
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.results import AnsweredEarly, ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.outcomes import plain
from toolkit.wrappers.artifacts import artifacts_of

CLOSED = "closed"
"""The error code for a call of a tool that is not available yet."""


class FinishedCall(NamedTuple):
    """A finished call of an open tool.

    Attributes:
        tool: The tool as it was offered; `None` if the conversation was read from a record.
        name: The name by which it was called.
        result: The result of the call.
    """

    tool: Tool | None
    name: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class LoopHistory:
    """What has happened in a loop so far.

    Attributes:
        run: The run of the loop, with its blackboard.
        turns: Number of requests to the model.
        calls: The finished calls, oldest first, including failed ones but not calls of closed tools.
        origins: For each tool revealed by a facade, the name of the agent's own tool that led to it.
    """

    run: Run
    turns: int = 0
    calls: tuple[FinishedCall, ...] = ()
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def used(self) -> frozenset[str]:
        """The names of the tools that have succeeded at least once."""
        return frozenset(call.name for call in self.calls if call.result.succeeded)

    @property
    def artifacts(self) -> tuple[Any, ...]:
        """The artifacts of the calls, oldest first. The elements of a collection are listed individually."""
        return tuple(artifact for call in self.calls for artifact in artifacts_of(call.result))

    def with_call(self, call: FinishedCall) -> "LoopHistory":
        """Return the history with one more call."""
        return replace(self, calls=(*self.calls, call))


class AgentKind:
    """The simple kind, in which all tools are always open. Subclasses override what is different."""

    one_by_one: ClassVar[bool] = False
    """Whether the calls of one turn run one after another, because each can change which tools are open."""

    def problems(
        self,
        tools: Mapping[str, Tool],
        later: Collection[str] = (),
    ) -> Sequence[Problem]:
        """Return the problems of this kind for an agent with these tools, and with tools of the names in `later`."""
        return ()

    def preface(self, past: LoopHistory) -> str:
        """Return a description of the kind for the model, which is sent before the task."""
        return ""

    def state(self, past: LoopHistory) -> Any:
        """Return the current state, for kinds with states."""
        return None

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:
        """Return the tools as they are offered now. Tools that cannot be called yet are closed tools."""
        return dict(tools)


class ClosedTool(WrappedTool):
    """A visible tool that cannot be called yet. Every call returns the reason.

    Args:
        inner: The tool.
        reason: The error message of every call.
        description: The description; by default, the tool's own followed by the reason.
    """

    def __init__(self, inner: Tool, reason: str, description: str | None = None) -> None:
        super().__init__(inner)
        self.reason = reason
        self._spec = replace(inner.spec, description=description or f"{inner.description}\n\n{reason}")

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The inner tool's specification with the description of the closed tool."""
        return self._spec

    def parse(self, arguments: Arguments) -> Any:
        """Accept any arguments, since the answer does not depend on them."""
        return None

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Answer with the reason, without asking for approval.

        Raises:
            AnsweredEarly: Always.
        """
        raise AnsweredEarly(ToolResult.failure(self.reason, CLOSED))


def names_within(tools: Mapping[str, Tool]) -> set[str]:
    """Return the names of tools, and of the tools known to be behind their facades."""
    return {tool.name for tool in leaves_of(tools.values())}


def unknown_tool(name: str, role: str, names: Collection[str]) -> Problem:
    """Return the problem that something refers to an unknown tool."""
    hint = did_you_mean(name, names, otherwise=f"the tools are {', '.join(sorted(names))}" if names else None)
    return Problem("", f"{role} '{name}', which is not a tool of the agent", hint=hint)


def state_name(state: Any) -> str:
    """Return the name of a state: the member's name for an enumeration."""
    return state.name if isinstance(state, Enum) else str(state)


Thing = TypeVar("Thing")

_PREFACE = (
    "Note: Some tools may require certain prerequisites before they become available. "
    "If a tool indicates it is not yet available, use the required prerequisite tools first."
)


class Lock:
    """A condition for calling a tool. `a & b` requires both conditions, `a | b` one of them."""

    __slots__ = ()

    @property
    def requirement(self) -> str:
        """What must happen first, in words that follow "you must first"."""
        raise NotImplementedError

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that the lock waits for."""
        return frozenset()

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether the lock is open."""
        raise NotImplementedError

    def missing(self, past: LoopHistory) -> str:
        """Return the part of the requirement that is not met yet."""
        return self.requirement

    def can_open(self, usable: Collection[str]) -> bool:
        """Return whether the lock can ever open if only these tools can be used."""
        return True

    def __and__(self, other: "Lock") -> "Lock":
        """Return a lock that is open if both locks are open."""
        return all_of(self, other)

    def __or__(self, other: "Lock") -> "Lock":
        """Return a lock that is open if one of the locks is open."""
        return any_of(self, other)


@dataclass(frozen=True, slots=True)
class After(Lock):
    """Open once all tools, or any of them, have succeeded."""

    names: tuple[str, ...]
    wants_all: bool = True

    @property
    def requirement(self) -> str:
        """The tools that must be used."""
        return self._words(self.names)

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(self.names)

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether enough of the tools have been used."""
        return self.can_open(past.used)

    def missing(self, past: LoopHistory) -> str:
        """Return the tools that have not been used yet."""
        used = past.used
        return self._words([name for name in self.names if name not in used])

    def can_open(self, usable: Collection[str]) -> bool:
        """Return whether enough of the tools are usable."""
        return (all if self.wants_all else any)(name in usable for name in self.names)

    def _words(self, names: Sequence[str]) -> str:
        return f"use {_listed(names, 'and' if self.wants_all else 'or')}"


@dataclass(frozen=True, slots=True)
class Produced(Lock):
    """Open once a tool has produced an object of a type, given as the class, its name or its qualified name."""

    kind: type | str

    @property
    def requirement(self) -> str:
        """The object that must be produced."""
        return f"produce an artifact of type {_name(self.kind)}"

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether such an object has been produced."""
        return any(Entry(artifact).is_a(self.kind) for artifact in past.artifacts)


@dataclass(frozen=True, slots=True)
class Known(Lock):
    """Open while the blackboard has an object of a type or with a name."""

    what: type | str

    @property
    def requirement(self) -> str:
        """The object that must be on the blackboard."""
        return f"have {_name(self.what)} on the blackboard"

    def is_open(self, past: LoopHistory) -> bool:
        board = past.run.blackboard
        return self.what in board or board.count(self.what) > 0


@dataclass(frozen=True, slots=True)
class When(Lock):
    """Open while a function of the loop's history returns true."""

    predicate: Callable[[LoopHistory], bool]
    needs: str

    @property
    def requirement(self) -> str:
        """The condition, in its author's words."""
        return self.needs

    def is_open(self, past: LoopHistory) -> bool:
        """Return the function's result.

        Raises:
            ConfigurationError: If the function is async or raises an exception.
        """
        try:
            return bool(plain(self.predicate(past), "the function of a lock"))
        except ConfigurationError:
            raise
        except Exception as error:
            message = f"the lock that requires a model to '{self.needs}' failed: {type(error).__name__}: {error}"
            raise ConfigurationError(message) from error


@dataclass(frozen=True, slots=True)
class Several(Lock):
    """Open if all of its locks, or any of them, are open."""

    locks: tuple[Lock, ...]
    wants_all: bool = True

    @property
    def requirement(self) -> str:
        """The requirements of all locks."""
        return self._words([_as_part(lock, lock.requirement) for lock in self.locks])

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that any of the locks waits for."""
        return frozenset().union(*(lock.tools for lock in self.locks))

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether enough of the locks are open."""
        return (all if self.wants_all else any)(lock.is_open(past) for lock in self.locks)

    def missing(self, past: LoopHistory) -> str:
        """Return the requirements of the locks that are not open."""
        return self._words([_as_part(lock, lock.missing(past)) for lock in self.locks if not lock.is_open(past)])

    def can_open(self, usable: Collection[str]) -> bool:
        """Return whether enough of the locks can open."""
        return (all if self.wants_all else any)(lock.can_open(usable) for lock in self.locks)

    def _words(self, parts: Sequence[str]) -> str:
        return (" and " if self.wants_all else " or ").join(parts)


def after(*tools: str) -> Lock:
    """Return a lock that opens once all these tools, given by name, have succeeded. Failed calls do not count.

    Raises:
        ValueError: If no tool is given.
    """
    return After(_some(tools, "tool"))


def after_any(*tools: str) -> Lock:
    """Return a lock that opens once one of these tools has succeeded.

    Raises:
        ValueError: If no tool is given.
    """
    return After(_some(tools, "tool"), wants_all=False)


def produced(kind: type | str) -> Lock:
    """Return a lock that opens once a tool has produced an object of a type, alone or as an element of a collection."""
    return Produced(kind)


def known(what: type | str) -> Lock:
    """Return a lock that is open while the run's blackboard has an object of a type or with a name."""
    return Known(what)


def when(predicate: Callable[[LoopHistory], bool], needs: str = "meet the conditions of this tool") -> Lock:
    """Return a lock that is open while a function of the loop's history returns true.

    Args:
        predicate: Called with the history: the run, the finished calls, their artifacts and the number of turns. It is
            called from the start, when the history is still empty. If it raises an exception, the agent ends with a
            ConfigurationError.
        needs: What the model must do first, in words for the model.
    """
    return When(predicate, needs)


def all_of(*locks: Lock) -> Lock:
    """Return a lock that is open while all these locks are open.

    Raises:
        ValueError: If no lock is given.
    """
    return Several(_some(locks, "lock"))


def any_of(*locks: Lock) -> Lock:
    """Return a lock that is open while any of these locks is open.

    Raises:
        ValueError: If no lock is given.
    """
    return Several(_some(locks, "lock"), wants_all=False)


@dataclass(frozen=True, slots=True)
class Playbook(AgentKind):
    """An agent kind in which tools become available one after another.

    Attributes:
        locks: The locks by tool name. Tools without a lock are open from the start. Tools behind a facade can have
            locks too.
    """

    locks: Mapping[str, Lock]

    def problems(self, tools: Mapping[str, Tool], later: Collection[str] = ()) -> Sequence[Problem]:
        """Return the problems with unknown tools, and with tools that could never be called."""
        if unfit := [*filter(None, map(_not_a_lock, self.locks, self.locks.values()))]:
            return unfit
        names = names_within(tools)
        found = [unknown_tool(name, "a lock is for", names) for name in self.locks if name not in names]
        for name, lock in self.locks.items():
            waited = sorted(lock.tools - names - set(later))
            found += [unknown_tool(tool, f"the lock of '{name}' waits for", names) for tool in waited]
        named = {tool for lock in self.locks.values() for tool in lock.tools}  # unknown tools have been reported
        never = self.locks_that_never_open({*names, *later, *named})
        return found + [Problem("", never_opens(name)) for name in never]

    def locks_that_never_open(self, names: Collection[str]) -> Sequence[str]:
        """Return the tools that can never be called if there are no tools except `names`."""
        usable = {name for name in names if name not in self.locks}
        while opened := {name for name, lock in self.locks.items() if name not in usable and lock.can_open(usable)}:
            usable |= opened
        return [name for name in self.locks if name not in usable]

    def preface(self, past: LoopHistory) -> str:
        """Return the notice that some tools may be closed."""
        return _PREFACE if self.locks else ""

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:
        """Return the tools. Tools whose lock is not open are closed tools that say what is missing."""
        return {name: self._as_offered(name, tool, past) for name, tool in tools.items()}

    def _as_offered(self, name: str, tool: Tool, past: LoopHistory) -> Tool:
        lock = self.locks.get(name)
        if lock is None or lock.is_open(past):
            return tool
        return ClosedTool(tool, f"This tool is not yet available. You must first {lock.missing(past)}.")


def never_opens(name: str) -> str:
    """Return the message for a tool that can never be called."""
    return f"the lock of '{name}' can never open: it waits for tools that wait for it"


def _not_a_lock(name: str, lock: object) -> Problem | None:
    if isinstance(lock, Lock):
        return None
    return Problem("", f"the lock of '{name}' is not a lock, but {lock!r}", hint="write after('search'), for example")


def _some(things: tuple[Thing, ...], what: str) -> tuple[Thing, ...]:
    if not things:
        raise ValueError(f"a lock needs at least one {what}")
    return things


def _as_part(lock: Lock, words: str) -> str:
    """Return the requirement of a lock that is part of another one, in parentheses if it has several parts itself."""
    return f"({words})" if isinstance(lock, Several) and len(lock.locks) > 1 else words


def _listed(names: Sequence[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def _name(kind: type | str) -> str:
    return kind if isinstance(kind, str) else kind.__name__


State = Enum | str
"""A state: a member of an enumeration, or a name."""


@dataclass(frozen=True, slots=True)
class StateMachine(AgentKind):
    """An agent kind in which tools belong to states, and some tools lead to another state once they have succeeded.

    A tool can belong to several states and lead to a different state from each. Tools behind a facade belong to the
    same states as the facade. The calls of one turn run one after another, since each may change the state.

    Attributes:
        start: The initial state.
        states: For each state, the names of its tools, each with the state that it leads to, or `None` for no change.
        everywhere: The names of the tools that are available in all states.
    """

    one_by_one: ClassVar[bool] = True

    start: State
    states: Mapping[Any, Mapping[str, State | None]]
    everywhere: Collection[str] = ()

    def starting_in(self, state: State) -> "StateMachine":
        """Return the machine with another initial state, for example to resume earlier work."""
        return replace(self, start=state)

    def problems(self, tools: Mapping[str, Tool], later: Collection[str] = ()) -> Sequence[Problem]:
        """Return the problems with unknown states, unknown tools, and tools that are in no state."""
        names = names_within(tools)
        found = [*self._wrong_states()]
        for state, own in self.states.items():
            role = f"the state '{state_name(state)}' has"
            found += [unknown_tool(name, role, names) for name in own if name not in names and name not in later]
        found += [
            unknown_tool(name, "'everywhere' has", names)
            for name in self.everywhere
            if name not in names and name not in later
        ]
        placed = {*self.everywhere, *(name for own in self.states.values() for name in own)}
        hint = "list it under a state, or in 'everywhere'"
        found += [Problem("", f"the tool '{name}' is in no state", hint=hint) for name in tools if name not in placed]
        return found

    def preface(self, past: LoopHistory) -> str:
        """Return the notice of the current state."""
        return f"Current state: {state_name(self.state(past))}"

    def state(self, past: LoopHistory) -> State:
        """Return the current state, to which the calls so far have led."""
        state = self.start
        for call in past.calls:
            if call.result.succeeded:
                state = self.states.get(state, {}).get(call.name) or state
        return state

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:
        """Return the tools with their states in the description. Tools of other states are closed tools."""
        state = self.state(past)
        return {name: self._as_offered(name, tool, state, past) for name, tool in tools.items()}

    def _as_offered(self, name: str, tool: Tool, state: State, past: LoopHistory) -> Tool:
        placed = name if self._has(name) else past.origins.get(name, name)
        if placed in self.everywhere:
            return _with_note(tool, "[Available in all states]")
        there = {each: own[placed] for each, own in self.states.items() if placed in own}
        needed = f"state{'s' if len(there) > 1 else ''}: {', '.join(map(state_name, there)) or 'none'}"
        noted = _with_note(tool, f"[Available in {needed}]{_transitions(there) if placed == name else ''}")
        if state in there:
            return noted
        current = f"This tool is not available in the current state ({state_name(state)})"
        return ClosedTool(tool, f"{current}. It is only available in {needed}.", noted.description)

    def _has(self, name: str) -> bool:
        return name in self.everywhere or any(name in own for own in self.states.values())

    def _wrong_states(self) -> Iterator[Problem]:
        declared: Sequence[State] = list(type(self.start)) if isinstance(self.start, Enum) else []
        known = {state_name(state): state for state in (*declared, *self.states)}
        named: list[tuple[str, Any]] = [("the machine starts in", self.start)]
        named += [("there are tools in", state) for state in self.states]
        for state, own in self.states.items():
            role = f"in the state '{state_name(state)}' the tool"
            named += [(f"{role} '{name}' leads to", after) for name, after in own.items() if after is not None]
        for role, state in named:
            if type(state) is not type(self.start) or state_name(state) not in known:
                otherwise = f"the states are {', '.join(known)}" if known else None
                hint = did_you_mean(state_name(state), known, otherwise=otherwise)
                yield Problem("", f"{role} '{state_name(state)}', which is not a state", hint=hint)


def _with_note(tool: Tool, note: str) -> Tool:
    return tool.with_description(f"{tool.description}\n\n{note}")


def _transitions(leads: Mapping[State, State | None]) -> str:
    """Return a note on the states that a tool leads to, for each state that it belongs to."""
    names = {state_name(state): state_name(after) for state, after in leads.items() if after is not None}
    if not names:
        return ""
    if len(leads) == 1:
        return f" [Transitions to: {', '.join(names.values())}]"
    return f" [Transitions: {', '.join(f'{state} to {after}' for state, after in names.items())}]"
