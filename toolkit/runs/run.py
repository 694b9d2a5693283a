"""The run: one execution of a tool, a pipeline or an agent, with its calls, costs and limits, and its blackboard."""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Final, Literal, NamedTuple

from toolkit.amounts import money
from toolkit.errors import BudgetExceeded, TerminationRequested
from toolkit.runs.records import Budget, CallRecord, Journal, Message, ModelUse


class Entry(NamedTuple):
    """One object on a blackboard, with the name it is bound to, if any."""

    thing: Any
    name: str | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """The names of its type and of all base types except `object`, both with and without the module."""
        kinds = [kind for kind in type(self.thing).__mro__ if kind is not object] or [object]
        names = [name for kind in kinds for name in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}")]
        return tuple(dict.fromkeys(names))

    def is_a(self, kind: type | str) -> bool:
        """Return whether the object is an instance of a type, given as the class or by name."""
        return isinstance(self.thing, kind) if isinstance(kind, type) else kind in self.types


class Blackboard:
    """Objects in the order in which they were added, optionally bound to names. It is thread-safe.

    If a name is bound again, it refers to the newer object; the older one stays on the blackboard without a name.
    Hidden objects stay on the blackboard but are no longer returned.
    """

    def __init__(self, around: "Blackboard | None" = None) -> None:
        """Create an empty blackboard.

        Args:
            around: An outer blackboard, whose objects are visible from this one.
        """
        self._around = around
        self._own: list[Entry] = []
        self._hidden: list[Any] = []
        self._lock = threading.Lock()

    def add(self, thing: Any, *, name: str | None = None) -> None:
        """Add an object and optionally bind it to a name."""
        with self._lock:
            if name is not None:
                self._own = [Entry(one.thing) if one.name == name else one for one in self._own]
            self._own.append(Entry(thing, name))

    def hide(self, thing: Any) -> None:
        """Hide an object, which is then no longer returned."""
        with self._lock:
            self._hidden.append(thing)

    def entries(self) -> list[Entry]:
        """Return the visible entries, oldest first."""
        with self._lock:
            own, hidden = list(self._own), list(self._hidden)
        bound = {one.name for one in own if one.name is not None}
        around = self._around.entries() if self._around is not None else []
        seen = [Entry(one.thing) if one.name in bound else one for one in around] + own
        return [one for one in seen if not any(one.thing is thing for thing in hidden)]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the object that a name is bound to, or the default."""
        return next((one.thing for one in self.entries() if one.name == name), default)

    def __contains__(self, name: object) -> bool:
        """Return whether a name is bound."""
        return any(one.name == name for one in self.entries() if one.name is not None)

    def __iter__(self) -> Iterator[Any]:
        """Return the visible objects, oldest first."""
        return iter([one.thing for one in self.entries()])

    def __len__(self) -> int:
        """Return the number of visible objects."""
        return len(self.entries())

    def all(self, kind: type | str) -> list[Any]:
        """Return all objects of a type, given as the class or by its name, with or without the module."""
        return [one.thing for one in self.entries() if one.is_a(kind)]

    def last(self, kind: type | str, default: Any = None) -> Any:
        """Return the newest object of a type, or the default."""
        found = self.all(kind)
        return found[-1] if found else default

    def count(self, kind: type | str) -> int:
        """Return the number of objects of a type."""
        return len(self.all(kind))

    def spawn(self) -> "Blackboard":
        """Return an inner blackboard. Objects of this one are visible there, but its additions are not visible here."""
        return Blackboard(self)

    def absorb(self, inner: "Blackboard") -> None:
        """Move the objects of an inner blackboard to this one, with their names and in order."""
        with inner._lock:  # noqa: SLF001 - the same class
            added, hidden = inner._own, inner._hidden  # noqa: SLF001
            inner._own, inner._hidden = [], []  # noqa: SLF001
        for one in added:
            self.add(one.thing, name=one.name)
        for thing in hidden:
            self.hide(thing)


_LOGGER = logging.getLogger("toolkit.runs")

Status = Literal["running", "completed", "failed", "terminated"]
OutputChannel = Callable[[Message], None]
"""A function that receives the messages that a run's tools send to the user."""

KEPT_CALLS = 10_000
"""Maximum number of calls, and of model requests, that a run keeps individually. Older ones are only counted."""


_NO_LIMITS: Final = Budget()
_NOTHING: Final = Budget(0.0, 0, 0)


class Run:
    """A run with its id, blackboard, calls, costs, budget and output channel.

    Calls and costs of an inner run also count for the outer runs. Budgets and termination of outer runs also apply to
    the inner run. A run is thread-safe.

    Attributes:
        id: The unique id.
        goal: The purpose of the run in words, if set.
        around: The outer run that this one is part of.
        performer: The agent or tool that does the work of the run, if set.
        journal: The journal that records the run's steps, if any.
        blackboard: The objects that the run's tools share.
        budget: The limits on what the run may spend.
        status: `running`, or how the run ended.
    """

    def __init__(
        self,
        *,
        id: str | None = None,
        goal: str | None = None,
        budget: Budget | None = None,
        channel: OutputChannel | None = None,
        blackboard: Blackboard | None = None,
        around: "Run | None" = None,
        performer: Any = None,
        journal: Journal | None = None,
    ) -> None:
        """Start a run.

        Args:
            id: The unique id; generated by default.
            goal: The purpose of the run in words.
            budget: What the run may spend. Without a budget, only those of outer runs apply.
            channel: Receives the messages that tools send to the user; by default the channel of the outer run.
            blackboard: Objects that the tools share from the start.
            around: The outer run that this one is part of.
            performer: The agent or tool that does the work of the run.
            journal: Records the run's steps; by default the journal of the outer run.
        """
        self.id = id or os.urandom(16).hex()
        self.goal = goal
        self.budget = budget or _NO_LIMITS
        self.around = around
        self.performer = performer
        self.journal: Journal | None = journal if journal is not None or around is None else around.journal
        self.blackboard = blackboard if blackboard is not None else Blackboard()
        self.status: Status = "running"
        self._channel = channel
        self._ending: str | None = None
        self._began = perf_counter()
        self._took: float | None = None
        self._calls: deque[CallRecord] = deque(maxlen=KEPT_CALLS)
        self._counts: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._uses: deque[ModelUse] = deque(maxlen=KEPT_CALLS)
        self._unlimited: set[str] = set()
        self._spent = _NOTHING
        self._under_way = 0
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """The duration of the run in seconds, so far or in total."""
        return perf_counter() - self._began if self._took is None else self._took

    @property
    def ending(self) -> str | None:
        """The reason why this run was asked to end, if it was. It does not include the reasons of outer runs."""
        return self._ending

    @property
    def lineage(self) -> "tuple[Run, ...]":
        """This run and all outer runs, from the innermost to the outermost."""
        return (self,) if self.around is None else (self, *self.around.lineage)

    @property
    def outermost(self) -> "Run":
        """The run around all others, which is this one if there is none around it."""
        run = self
        while run.around is not None:
            run = run.around
        return run

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The finished calls of this run and its inner runs, oldest first."""
        with self._lock:
            return tuple(self._calls)

    @property
    def counts(self) -> dict[str, int]:
        """The number of calls of each tool."""
        with self._lock:
            return dict(self._counts)

    @property
    def failures(self) -> dict[str, int]:
        """The number of failures of each tool."""
        with self._lock:
            return dict(self._failures)

    @property
    def uses(self) -> tuple[ModelUse, ...]:
        """The model requests of this run and its inner runs, oldest first."""
        with self._lock:
            return tuple(self._uses)

    @property
    def spent(self) -> Budget:
        """What has been spent so far. Unknown costs count as 0."""
        with self._lock:
            return self._spent

    @property
    def left(self) -> Budget:
        """What this run may still spend according to its own budget."""
        spent = self.spent
        limits = self.budget
        return Budget(
            None if limits.cost is None else max(limits.cost - (spent.cost or 0.0), 0.0),
            None if limits.tokens is None else max(limits.tokens - (spent.tokens or 0), 0),
            None if limits.actions is None else max(limits.actions - (spent.actions or 0), 0),
        )

    @property
    def remaining(self) -> Budget:
        """What this run may still spend according to its own budget and those of all outer runs."""
        lefts = [run.left for run in self.lineage]
        return Budget(
            min((left.cost for left in lefts if left.cost is not None), default=None),
            min((left.tokens for left in lefts if left.tokens is not None), default=None),
            min((left.actions for left in lefts if left.actions is not None), default=None),
        )

    def record_call(self, call: CallRecord) -> None:
        """Record a finished call in this run and all outer runs."""
        with self._lock:
            self._calls.append(call)
            self._counts[call.tool] = self._counts.get(call.tool, 0) + 1
            self._add_up(actions=1)
            if call.outcome in {"failure", "error"}:
                self._failures[call.tool] = self._failures.get(call.tool, 0) + 1
        if self.around is not None:
            self.around.record_call(call)

    def record_use(self, use: ModelUse) -> None:
        """Record a model request in this run and all outer runs."""
        with self._lock:
            self._uses.append(use)
            self._add_up(use.cost or 0.0, use.tokens)
            is_unlimited = self._is_unlimited(use)
            self._unlimited |= {use.model} if is_unlimited else set()
        if is_unlimited:
            self._warn_unlimited(use.model)
        if self.around is not None:
            self.around.record_use(use)

    def _is_unlimited(self, use: ModelUse) -> bool:
        """Return whether this is the first request to a model of unknown price in a run with a limit on the cost."""
        is_unpriced = self.budget.cost is not None and use.cost is None and use.tokens > 0
        return is_unpriced and use.model not in self._unlimited

    def _warn_unlimited(self, model: str) -> None:
        """Warn the user, or write to the log if there is no channel, that the cost of a model is not limited."""
        limit = money(self.budget.cost or 0.0)
        warning = (
            f"warning: the budget of {limit} does not limit '{model}', because its price is unknown; "
            f"add it under [prices] in toolkit.toml, or limit the tokens: '20k tokens'"
        )
        if not self.send(Message(warning, run=self.id)):
            _LOGGER.warning("%s", warning.removeprefix("warning: "))

    def _add_up(self, cost: float = 0.0, tokens: int = 0, actions: int = 0) -> None:
        """Add to what was spent. The caller must hold the lock."""
        spent = self._spent
        self._spent = Budget((spent.cost or 0.0) + cost, (spent.tokens or 0) + tokens, (spent.actions or 0) + actions)

    def send(self, message: Message) -> bool:
        """Send a message to the user, and return whether there was a channel for it."""
        if self._channel is not None:
            self._channel(message)
            return True
        return self.around is not None and self.around.send(message)

    def check(self) -> None:
        """Check before an expensive action that the run may continue.

        Limits on the number of calls are not checked: after the last call, the model can still process its result.

        Raises:
            TerminationRequested: If this run or an outer run was asked to end.
            BudgetExceeded: If the cost or the tokens in the budget of this run or an outer run are used up.
        """
        for run in self.lineage:
            run._check_own()  # noqa: SLF001 - the same class

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Check before a tool call that the run may continue, and reserve the call in the budgets until it is recorded.

        Without the reservation, parallel calls could all start before the first one is counted.

        Raises:
            TerminationRequested: If this run or an outer run was asked to end.
            BudgetExceeded: If a budget of this run or an outer run is used up. Running calls count too.
        """
        runs = self.lineage
        for run in runs:
            run._reserve(1)  # noqa: SLF001 - the same class
        try:
            for run in runs:
                run._check_own()  # noqa: SLF001
                run._check_calls()  # noqa: SLF001
            yield
        finally:
            for run in runs:
                run._reserve(-1)  # noqa: SLF001

    def _reserve(self, calls: int) -> None:
        with self._lock:
            self._under_way += calls

    def _check_own(self) -> None:
        """Check the termination, cost and tokens of this run alone."""
        if self._ending is not None:
            raise TerminationRequested(self._ending)
        spent = self.spent
        for what, limit, used in (
            ("cost", self.budget.cost, spent.cost or 0.0),
            ("tokens", self.budget.tokens, spent.tokens or 0),
        ):
            if limit is not None and used >= limit:
                raise BudgetExceeded(what, limit, used, run=self)

    def _check_calls(self) -> None:
        """Check the number of calls of this run alone, including other running calls."""
        limit, used = self.budget.actions, (self.spent.actions or 0) + self._under_way - 1
        if limit is not None and used >= limit:
            raise BudgetExceeded("actions", limit, used, run=self)

    def ends_alone(self, signal: BudgetExceeded | TerminationRequested) -> bool:
        """Return whether outer runs can continue after a signal that ended this run.

        They can if the budget that is used up, or the request to end, is this run's own.
        """
        if self.around is not None and self.around.is_ended_by(signal):
            return False
        return isinstance(signal, BudgetExceeded) or self.ending is not None

    def is_ended_by(self, signal: BudgetExceeded | TerminationRequested) -> bool:
        """Return whether a signal that ended an inner run also ends this run or an outer one."""
        try:
            self.check()
        except (BudgetExceeded, TerminationRequested):
            return True
        return isinstance(signal, BudgetExceeded) and signal.run in self.lineage

    def terminate(self, reason: str) -> None:
        """Ask the run and all its inner runs to end before their next expensive action."""
        self._ending = reason

    def finish(self, status: Status = "completed") -> None:
        """Record how the run ended. Only the first call has an effect."""
        if self.status == "running":
            self.status = status
            self._took = perf_counter() - self._began

    def spawn(self, *, goal: str | None = None, budget: Budget | None = None, performer: Any = None) -> "Run":
        """Return an inner run. It can read this run's blackboard; call `absorb` to keep the objects that it adds."""
        board = self.blackboard.spawn()
        return Run(goal=goal, budget=budget, blackboard=board, around=self, performer=performer)

    @classmethod
    def within(
        cls, around: "Run | None", *, goal: str | None = None, budget: Budget | None = None, performer: Any = None
    ) -> "Run":
        """Return an inner run of `around`, or a new outermost run if `around` is `None`."""
        if around is None:
            return cls(goal=goal, budget=budget, performer=performer)
        return around.spawn(goal=goal, budget=budget, performer=performer)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Mark the run as failed if its work raises. In any case, add its objects to the outer run's blackboard."""
        try:
            yield
        except BaseException:
            self.finish("failed")
            raise
        finally:
            if self.around is not None:
                self.around.absorb(self)

    def absorb(self, inner: "Run") -> None:
        """Move the objects that an inner run added to its blackboard to the blackboard of this run."""
        self.blackboard.absorb(inner.blackboard)

    def as_record(self) -> dict[str, Any]:
        """Return the run as plain data: its id, goal, status, duration, calls and model requests."""
        return {
            "id": self.id,
            "goal": self.goal,
            "status": self.status,
            "seconds": self.seconds,
            "calls": [call.as_record() for call in self.calls],
            "uses": [use.as_record() for use in self.uses],
        }

    def __repr__(self) -> str:
        """Return the id and status only, since other attributes may contain secrets."""
        return f"Run(id={self.id!r}, status={self.status!r})"
