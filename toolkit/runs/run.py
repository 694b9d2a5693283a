"""The run: one execution with everything that belongs to it."""

import logging
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Literal

from toolkit.amounts import money
from toolkit.errors import BudgetExceeded, TerminationRequested
from toolkit.runs.blackboard import Blackboard
from toolkit.runs.journal import Journal
from toolkit.runs.records import Budget, CallRecord, Message, ModelUse

_LOGGER = logging.getLogger("toolkit.runs")

Status = Literal["running", "completed", "failed", "terminated"]
OutputChannel = Callable[[Message], None]
"""A function that receives what the tools of a run tell the user."""

KEPT_CALLS = 10_000
"""How many calls, and requests to models, a run remembers one by one; beyond that the oldest are only counted."""


class Run:
    """One run: its id, its blackboard, what was called and spent, its budget, and whom it speaks to.

    What an inner run calls and spends counts for the runs round it too, and their budgets and their end hold for it.
    It may be used from several threads.

    Attributes:
        id: What tells it apart from all others.
        goal: What it is for, in words, if somebody said.
        around: The run that this one is a part of.
        performer: What does the work of it, an agent or another tool, where that was said.
        journal: Keeps what its steps have done, and knows what was done before, where there is one.
        blackboard: What its tools know in common.
        budget: What it may spend.
        status: How far it is.
    """

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - its name everywhere
        goal: str | None = None,
        budget: Budget | None = None,
        channel: OutputChannel | None = None,
        blackboard: Blackboard | None = None,
        around: "Run | None" = None,
        performer: Any = None,
        journal: Journal | None = None,
    ) -> None:
        """Begin a run.

        Args:
            id: What tells it apart; made up unless it is given.
            goal: What it is for, in words.
            budget: What it may spend; without one there is no limit but those of the runs round it.
            channel: Is told what tools say to the user; that of the run round it unless one is given.
            blackboard: What its tools know already.
            around: The run that this one is a part of.
            performer: What does the work of it.
            journal: Keeps what its steps have done; that of the run round it unless one is given.
        """
        self.id = id or _new_id()
        self.goal = goal
        self.budget = budget or Budget()
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
        self._counts: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._uses: deque[ModelUse] = deque(maxlen=KEPT_CALLS)
        self._unlimited: set[str] = set()
        self._spent = Budget(0.0, 0, 0)
        self._under_way = 0
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return perf_counter() - self._began if self._took is None else self._took

    @property
    def ending(self) -> str | None:
        """Why this very run was told to end, if it was; what those round it were told is theirs."""
        return self._ending

    @property
    def lineage(self) -> "tuple[Run, ...]":
        """This run, then the one round it, and so on to the outermost."""
        return (self,) if self.around is None else (self, *self.around.lineage)

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls that have ended, here and in inner runs, the oldest first."""
        with self._lock:
            return tuple(self._calls)

    @property
    def counts(self) -> dict[str, int]:
        """How often each tool was called."""
        with self._lock:
            return dict(self._counts)

    @property
    def failures(self) -> dict[str, int]:
        """How often each tool failed."""
        with self._lock:
            return dict(self._failures)

    @property
    def uses(self) -> tuple[ModelUse, ...]:
        """The requests to models, here and in inner runs, the oldest first."""
        with self._lock:
            return tuple(self._uses)

    @property
    def spent(self) -> Budget:
        """What has been spent so far; a cost that nobody knows counts as none."""
        with self._lock:
            return self._spent

    @property
    def left(self) -> Budget:
        """What may still be spent, by this run's own budget."""
        spent = self.spent
        limits = self.budget
        return Budget(
            None if limits.cost is None else max(limits.cost - (spent.cost or 0.0), 0.0),
            None if limits.tokens is None else max(limits.tokens - (spent.tokens or 0), 0),
            None if limits.actions is None else max(limits.actions - (spent.actions or 0), 0),
        )

    @property
    def remaining(self) -> Budget:
        """What may still be spent, by the tightest of the budgets of this run and of those round it."""
        lefts = [run.left for run in self.lineage]
        return Budget(
            min((left.cost for left in lefts if left.cost is not None), default=None),
            min((left.tokens for left in lefts if left.tokens is not None), default=None),
            min((left.actions for left in lefts if left.actions is not None), default=None),
        )

    def record_call(self, call: CallRecord) -> None:
        """Remember a call that has ended, here and in the runs round this one."""
        with self._lock:
            self._calls.append(call)
            self._counts[call.tool] += 1
            self._add_up(actions=1)
            if call.outcome in {"failure", "error"}:
                self._failures[call.tool] += 1
        if self.around is not None:
            self.around.record_call(call)

    def record_use(self, use: ModelUse) -> None:
        """Remember a request to a model, here and in the runs round this one."""
        with self._lock:
            self._uses.append(use)
            self._add_up(use.cost or 0.0, use.tokens)
            is_unlimited = self._is_unlimited(use)
            self._unlimited |= {use.model} if is_unlimited else set()
        if is_unlimited:
            self._warn_of(use.model)
        if self.around is not None:
            self.around.record_use(use)

    def _is_unlimited(self, use: ModelUse) -> bool:
        """Return whether a model is the first time asked at a price that nobody knows, under a budget of dollars."""
        is_unpriced = self.budget.cost is not None and use.cost is None and use.tokens > 0
        return is_unpriced and use.model not in self._unlimited

    def _warn_of(self, model: str) -> None:
        """Warn the user, or the log where no user hears it, that the budget of dollars does not limit a model."""
        limit = money(self.budget.cost or 0.0)
        warning = (
            f"warning: the budget of {limit} does not limit '{model}', because its price is unknown; "
            f"add it under [prices] in toolkit.toml, or limit the tokens: '20k tokens'"
        )
        if not self.tell(Message(warning, run=self.id)):
            _LOGGER.warning("%s", warning.removeprefix("warning: "))

    def _add_up(self, cost: float = 0.0, tokens: int = 0, actions: int = 0) -> None:
        """Add to what was spent; whoever does it holds the lock."""
        spent = self._spent
        self._spent = Budget((spent.cost or 0.0) + cost, (spent.tokens or 0) + tokens, (spent.actions or 0) + actions)

    def tell(self, message: Message) -> bool:
        """Say something to the user; return whether there is anybody who hears it."""
        if self._channel is not None:
            self._channel(message)
            return True
        return self.around is not None and self.around.tell(message)

    def check(self) -> None:
        """Stop what goes on if it must not: whoever does the next expensive thing asks first.

        A budget of calls is no matter here: when the last one is made, its result may still be thought about.

        Raises:
            TerminationRequested: If this run, or one round it, was told to end.
            BudgetExceeded: If the cost or the tokens of a budget, of this run or of one round it, are used up.
        """
        for run in self.lineage:
            run._check_own()  # noqa: SLF001 - one of its own kind

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Check before a call of a tool, and hold its place in the budgets until it has ended and is recorded.

        So calls side by side do not all begin because none of them has ended yet.

        Raises:
            TerminationRequested: As `check` does.
            BudgetExceeded: As `check` does; calls that are under way count too.
        """
        runs = self.lineage
        for run in runs:
            run._enter(1)  # noqa: SLF001 - one of its own kind
        try:
            for run in runs:
                run._check_own()  # noqa: SLF001
                run._check_calls()  # noqa: SLF001
            yield
        finally:
            for run in runs:
                run._enter(-1)  # noqa: SLF001

    def _enter(self, calls: int) -> None:
        with self._lock:
            self._under_way += calls

    def _check_own(self) -> None:
        """Check this very run, but for its calls."""
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
        """Check the calls of this very run, those that are under way beside the one at hand among them."""
        limit, used = self.budget.actions, (self.spent.actions or 0) + self._under_way - 1
        if limit is not None and used >= limit:
            raise BudgetExceeded("actions", limit, used, run=self)

    def ends_alone(self, signal: BudgetExceeded | TerminationRequested) -> bool:
        """Return whether what has ended this run leaves those round it as they are.

        It does where the budget that is used up, or the order to end, is this run's own.
        """
        if self.around is not None and self.around.is_ended_by(signal):
            return False
        return isinstance(signal, BudgetExceeded) or self.ending is not None

    def is_ended_by(self, signal: BudgetExceeded | TerminationRequested) -> bool:
        """Return whether what has ended an inner run ends this one, or one round it, as well."""
        try:
            self.check()
        except (BudgetExceeded, TerminationRequested):
            return True
        return isinstance(signal, BudgetExceeded) and signal.run in self.lineage

    def terminate(self, reason: str) -> None:
        """Ask the run to end, with all inner ones, before the next expensive thing that it does."""
        self._ending = reason

    def finish(self, status: Status = "completed") -> None:
        """Say that it is over, and how it ended; what is said later changes nothing."""
        if self.status == "running":
            self.status = status
            self._took = perf_counter() - self._began

    def spawn(self, *, goal: str | None = None, budget: Budget | None = None, performer: Any = None) -> "Run":
        """Return an inner run: it sees this one's blackboard, and what it adds is taken over by `absorb`."""
        board = self.blackboard.spawn()
        return Run(goal=goal, budget=budget, blackboard=board, around=self, performer=performer)

    @classmethod
    def within(
        cls, around: "Run | None", *, goal: str | None = None, budget: Budget | None = None, performer: Any = None
    ) -> "Run":
        """Return an inner run, or one that stands alone where there is none round it."""
        if around is None:
            return cls(goal=goal, budget=budget, performer=performer)
        return around.spawn(goal=goal, budget=budget, performer=performer)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Fail the run if its work raises; in any case, pass what is on its blackboard to the run around it."""
        try:
            yield
        except BaseException:
            self.finish("failed")
            raise
        finally:
            if self.around is not None:
                self.around.absorb(self)

    def absorb(self, inner: "Run") -> None:
        """Take over what an inner run has added to its blackboard."""
        self.blackboard.absorb(inner.blackboard)

    def as_record(self) -> dict[str, Any]:
        """Return it as plain data: who it is, how it ended, what was called and used."""
        return {
            "id": self.id,
            "goal": self.goal,
            "status": self.status,
            "seconds": self.seconds,
            "calls": [call.as_record() for call in self.calls],
            "uses": [use.as_record() for use in self.uses],
        }

    def __repr__(self) -> str:
        """Return the id and the status, not what it knows: that may be secret."""
        return f"Run(id={self.id!r}, status={self.status!r})"


def _new_id() -> str:
    return os.urandom(16).hex()
