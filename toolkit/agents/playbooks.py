"""Playbooks: agents whose tools open one after the other, each when its lock does.

    Playbook({"analyze": after("search"), "report": after("analyze") & produced(Document)})

A lock is a value; whether it is open follows from what has happened in the loop at hand, and from nothing else.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from toolkit.agents.kinds import AgentKind, ClosedTool, LoopHistory, names_within, unknown_tool
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.runs.blackboard import Entry
from toolkit.tools.base import Tool

Thing = TypeVar("Thing")

_PREFACE = (
    "Note: Some tools may require certain prerequisites before they become available. "
    "If a tool indicates it is not yet available, use the required prerequisite tools first."
)


class Lock:
    """What must have happened before a tool may be called; `a & b` wants both, `a | b` one of them."""

    __slots__ = ()

    @property
    def requirement(self) -> str:
        """What must happen, in words that follow "you must first"."""
        raise NotImplementedError

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that it waits for."""
        return frozenset()

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether it has happened."""
        raise NotImplementedError

    def missing(self, past: LoopHistory) -> str:  # noqa: ARG002 - for those that have parts
        """Return what has not happened yet, in the words of `told`."""
        return self.requirement

    def can_open(self, usable: Collection[str]) -> bool:  # noqa: ARG002 - for those that wait for tools
        """Return whether it may ever open where no other tools but these can be used."""
        return True

    def __and__(self, other: "Lock") -> "Lock":
        """Return a lock that is open when both are."""
        return all_of(self, other)

    def __or__(self, other: "Lock") -> "Lock":
        """Return a lock that is open when either is."""
        return any_of(self, other)


@dataclass(frozen=True, slots=True)
class After(Lock):
    """Open once tools have done their work: all of them, or any."""

    names: tuple[str, ...]
    wants_all: bool = True

    @property
    def requirement(self) -> str:
        """Which tools must be used."""
        return self._words(self.names)

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(self.names)

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether they were used."""
        return self.can_open(past.used)

    def missing(self, past: LoopHistory) -> str:
        """Return which of them were not used yet."""
        used = past.used
        return self._words([name for name in self.names if name not in used])

    def can_open(self, usable: Collection[str]) -> bool:
        """Return whether enough of the names are among these."""
        return (all if self.wants_all else any)(name in usable for name in self.names)

    def _words(self, names: Sequence[str]) -> str:
        return f"use {_listed(names, 'and' if self.wants_all else 'or')}"


@dataclass(frozen=True, slots=True)
class Produced(Lock):
    """Open once a tool has made an object of a type, given as the class, by its name, or by its qualified name."""

    kind: type | str

    @property
    def requirement(self) -> str:
        """What object must be made."""
        return f"produce an artifact of type {_name(self.kind)}"

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether one was made."""
        return any(Entry(artifact).is_a(self.kind) for artifact in past.artifacts)


@dataclass(frozen=True, slots=True)
class Known(Lock):
    """Open while the blackboard has an object of a type, or one that is bound to a name."""

    what: type | str

    @property
    def requirement(self) -> str:
        """What must be known."""
        return f"have {_name(self.what)} on the blackboard"

    def is_open(self, past: LoopHistory) -> bool:
        board = past.run.blackboard
        return self.what in board or board.count(self.what) > 0


@dataclass(frozen=True, slots=True)
class When(Lock):
    """Open while a function of the past returns true."""

    predicate: Callable[[LoopHistory], bool]
    needs: str

    @property
    def requirement(self) -> str:
        """The condition, in its author's words."""
        return self.needs

    def is_open(self, past: LoopHistory) -> bool:
        """Return the function's result.

        Raises:
            ConfigurationError: If it fails.
        """
        try:
            return bool(self.predicate(past))
        except Exception as error:
            message = f"the lock that wants a model to '{self.needs}' failed: {type(error).__name__}: {error}"
            raise ConfigurationError(message) from error


@dataclass(frozen=True, slots=True)
class Several(Lock):
    """Open when all of its locks are, or any."""

    locks: tuple[Lock, ...]
    wants_all: bool = True

    @property
    def requirement(self) -> str:
        """The conditions of all parts."""
        return self._words([_as_part(lock, lock.requirement) for lock in self.locks])

    @property
    def tools(self) -> frozenset[str]:
        """The tools that all of them wait for."""
        return frozenset().union(*(lock.tools for lock in self.locks))

    def is_open(self, past: LoopHistory) -> bool:
        """Return whether enough of them are open."""
        return (all if self.wants_all else any)(lock.is_open(past) for lock in self.locks)

    def missing(self, past: LoopHistory) -> str:
        """Return what those wait for that are not open."""
        return self._words([_as_part(lock, lock.missing(past)) for lock in self.locks if not lock.is_open(past)])

    def can_open(self, usable: Collection[str]) -> bool:
        """Return whether enough of them can."""
        return (all if self.wants_all else any)(lock.can_open(usable) for lock in self.locks)

    def _words(self, parts: Sequence[str]) -> str:
        return (" and " if self.wants_all else " or ").join(parts)


def after(*tools: str) -> Lock:
    """Return a lock that opens once all the named tools have done their work; a call that failed has not.

    Raises:
        ValueError: If no tool is named.
    """
    return After(_some(tools, "tool"))


def after_any(*tools: str) -> Lock:
    """Return a lock that opens once one of the named tools has done its work.

    Raises:
        ValueError: If no tool is named.
    """
    return After(_some(tools, "tool"), wants_all=False)


def produced(kind: type | str) -> Lock:
    """Return a lock that opens once a tool has made an object of a type; of a collection each element counts."""
    return Produced(kind)


def known(what: type | str) -> Lock:
    """Return a lock that is open while the run's blackboard has an object of a type, or under a name."""
    return Known(what)


def when(predicate: Callable[[LoopHistory], bool], needs: str = "meet the conditions of this tool") -> Lock:
    """Return a lock that is open while a function of the past returns true.

    Args:
        predicate: Is given the run, what was called and made, and how many turns there were; from the very start, so
            that there may be nothing yet. If it fails the agent ends with a ConfigurationError.
        needs: What the model must do first, in words for the model.
    """
    return When(predicate, needs)


def all_of(*locks: Lock) -> Lock:
    """Return a lock that is open while all the others are.

    Raises:
        ValueError: If there is none.
    """
    return Several(_some(locks, "lock"))


def any_of(*locks: Lock) -> Lock:
    """Return a lock that is open while one of the others is.

    Raises:
        ValueError: If there is none.
    """
    return Several(_some(locks, "lock"), wants_all=False)


@dataclass(frozen=True, slots=True)
class Playbook(AgentKind):
    """An agent's tools open one after the other.

    Attributes:
        locks: The lock of each tool that has one, by the tool's name; all other tools are open from the start. What a
            facade reveals may have one too.
    """

    locks: Mapping[str, Lock]

    def problems(self, tools: Mapping[str, Tool], later: Collection[str] = ()) -> Sequence[Problem]:
        """Return the names that mean no tool, and the tools that could never be called."""
        names = names_within(tools)
        found = [unknown_tool(name, "a lock is for", names) for name in self.locks if name not in names]
        for name, lock in self.locks.items():
            waited = sorted(lock.tools - names - set(later))
            found += [unknown_tool(tool, f"the lock of '{name}' waits for", names) for tool in waited]
        named = {tool for lock in self.locks.values() for tool in lock.tools}  # unknown tools have been reported
        never = self.closed_for_ever({*names, *later, *named})
        return found + [Problem("", never_opens(name)) for name in never]

    def closed_for_ever(self, names: Collection[str]) -> Sequence[str]:
        """Return the tools that can never be called where these are all that there are: open what can be, and again."""
        usable = {name for name in names if name not in self.locks}
        while opened := {name for name, lock in self.locks.items() if name not in usable and lock.can_open(usable)}:
            usable |= opened
        return [name for name in self.locks if name not in usable]

    def preface(self, past: LoopHistory) -> str:  # noqa: ARG002 - the same at all times
        """Return the notice that tools may be closed."""
        return _PREFACE if self.locks else ""

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:
        """Return the tools, those whose lock is not open as closed ones that say what is missing."""
        return {name: self._as_offered(name, tool, past) for name, tool in tools.items()}

    def _as_offered(self, name: str, tool: Tool, past: LoopHistory) -> Tool:
        lock = self.locks.get(name)
        if lock is None or lock.is_open(past):
            return tool
        return ClosedTool(tool, f"This tool is not yet available. You must first {lock.missing(past)}.")


def never_opens(name: str) -> str:
    """Return that a tool can never be called, in words."""
    return f"the lock of '{name}' can never open: it waits for tools that wait for it"


def _some(things: tuple[Thing, ...], what: str) -> tuple[Thing, ...]:
    if not things:
        raise ValueError(f"a lock needs at least one {what}")
    return things


def _as_part(lock: Lock, words: str) -> str:
    """Return the condition of a lock among others, with its own parts in brackets."""
    return f"({words})" if isinstance(lock, Several) and len(lock.locks) > 1 else words


def _listed(names: Sequence[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def _name(kind: type | str) -> str:
    return kind if isinstance(kind, str) else kind.__name__
