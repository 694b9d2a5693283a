"""Playbooks: agents whose tools become available one after another, each when its lock opens.

    Playbook({"analyze": after("search"), "report": after("analyze") & produced(Document)})

Locks have no state: whether one is open depends only on what has happened in the current loop.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from toolkit.agents.kinds import AgentKind, ClosedTool, LoopHistory, names_within, unknown_tool
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.runs.blackboard import Entry
from toolkit.tools.base import Tool
from toolkit.tools.outcomes import plain

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
