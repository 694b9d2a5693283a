"""The exceptions of the library.

    ToolkitError
    ├── ToolArgumentsError        the arguments of a call do not fit the tool
    ├── ToolExecutionError        the tool reports, in its own words, why it failed
    └── Signal                    passes through every call untouched and is counted in no metric
        ├── ExitEarlyError        a reviewer ended the run; what was done so far stands
        ├── ApprovalPending       a call waits for an answer that comes later; what was done so far is kept
        ├── ApprovalTimeoutError  nobody answered in time, and the gate is set to raise
        ├── ReplanRequested       what a tool found out asks for another plan; the loop ends, the run goes on
        ├── TerminationRequested  a tool, or its caller, ends the agent's loop, or the whole run
        ├── BudgetExceeded        a run has spent what it may
        └── ConfigurationError    the program is set up wrongly; no model can mend it
            ├── InvalidTools      tools that cannot be built, each with its Problem
            └── InvalidPipeline   a pipeline that cannot be planned, with every Problem

Whatever else is raised while a tool runs becomes a failed `ToolResult`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from toolkit.amounts import money
from toolkit.problems import Problem, errors_among

__all__ = [
    "ApprovalPending",
    "ApprovalTimeoutError",
    "BudgetExceeded",
    "ConfigurationError",
    "ExitEarlyError",
    "InvalidPipeline",
    "InvalidTools",
    "ReplanRequested",
    "Signal",
    "TerminationRequested",
    "ToolArgumentsError",
    "ToolExecutionError",
    "ToolkitError",
]


_NAMED = 3
"""How many questions a message names."""


class ToolkitError(Exception):
    """The root of everything the library raises on purpose."""


MISSING = "is missing"
"""The reason for a member that is not there."""


class ToolArgumentsError(ToolkitError):
    """The arguments of a tool call are malformed, missing or of the wrong type.

    A tool may raise it too, when only it can find that an argument is wrong.
    """

    def __init__(
        self,
        message: str,
        code: str | int | None = "invalid_arguments",
        *,
        faults: Mapping[str, str] | None = None,
    ) -> None:
        """Keep the message that the caller, often a model, is sent, and an optional error code.

        Args:
            message: What is wrong, with every member that is.
            code: What kind of failure it is.
            faults: The reason for each wrong or missing member, by its path (`orders[0].price`).
        """
        super().__init__(message)
        self.code = code
        self.faults = dict(faults or {})

    @property
    def wrong(self) -> dict[str, str]:
        """The reason for each member that is there but wrong, by its path."""
        return {path: reason for path, reason in self.faults.items() if reason != MISSING}


class ToolExecutionError(ToolkitError):
    """A tool could not do its work; the message says why, for its caller."""

    def __init__(self, message: str, code: str | int | None = None) -> None:
        """Keep the message that the caller, often a model, is sent, and an optional error code."""
        super().__init__(message)
        self.code = code


class Signal(ToolkitError):  # noqa: N818 - not an error: it steers the run
    """Something that ends more than one call: it passes through tools, retries and pipelines untouched."""


class ExitEarlyError(Signal):
    """A reviewer ended the whole run; what was done so far stands."""

    def __init__(
        self, reason: str = "The reviewer ended the run", *, timed_out: bool = False, interrupted: bool = False
    ) -> None:
        """Keep the reason, and whether it was the clock, or an interruption, and no answer that ended the run."""
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out
        self.interrupted = interrupted
        self.outputs: dict[str, Any] = {}
        """What the steps of a pipeline gave before it was ended, by their paths."""


class ApprovalTimeoutError(Signal):
    """Nobody answered a question in time, and the gate is set to raise rather than to reject."""


class ApprovalPending(Signal):
    """Calls wait for answers that come later, also after the program has ended: what was done so far is kept.

    Attributes:
        ids: The ids of their questions; if there are very many, the first.
        count: How many there are.
    """

    def __init__(self, ids: Sequence[str], count: int | None = None) -> None:
        """Keep which questions they are, and how many, where these are not all of them."""
        self.ids = tuple(ids)
        self.count = len(self.ids) if count is None else count
        named = ", ".join(self.ids[:_NAMED]) + (", …" if self.count > min(len(self.ids), _NAMED) else "")
        super().__init__(f"{self.count:,} call{' waits' if self.count == 1 else 's wait'} for approval: {named}")

    @classmethod
    def all_of(cls, pending: "Sequence[ApprovalPending]") -> "ApprovalPending":
        """Return several of them as one."""
        return cls([question for one in pending for question in one.ids], sum(one.count for one in pending))


class ReplanRequested(Signal):
    """A tool has done its work, and what it found out asks for another plan: the loop ends, not what planned it.

    Attributes:
        reason: Why, in words.
        artifacts: What the tool made, for the blackboard.
        bindings: More for the blackboard, by name.
    """

    def __init__(
        self, reason: str, *, artifacts: Sequence[Any] = (), bindings: Mapping[str, Any] | None = None
    ) -> None:
        """Keep the reason, and what the next plan should know."""
        super().__init__(reason)
        self.reason = reason
        self.artifacts = tuple(artifacts)
        self.bindings = dict(bindings or {})


class TerminationRequested(Signal):
    """A tool, or its caller, wants the agent's loop (`loop`) or the whole run (`run`) to end."""

    def __init__(self, reason: str, scope: Literal["run", "loop"] = "run") -> None:
        """Keep the reason, and what is to end."""
        super().__init__(reason)
        self.reason = reason
        self.scope = scope


class BudgetExceeded(Signal):
    """A run has used up its budget."""

    def __init__(self, what: str, limit: float, spent: float, *, run: object = None) -> None:
        """Keep what is used up (`cost`, `tokens` or `actions`), the limit, what was spent, and whose budget it is."""
        if what == "cost":
            used = f"{money(spent)} of {money(limit)}"
        else:
            used = f"{spent:.0f} of {limit:.0f} {'calls' if what == 'actions' else what}"
        super().__init__(f"the budget is used up: {used}")
        self.what = what
        self.limit = limit
        self.spent = spent
        self.run = run


class ConfigurationError(Signal):
    """The program is set up wrongly, for example a tool that needs approval has no reviewer."""

    def __init__(self, message: str = "", *, problems: Sequence[Problem] = ()) -> None:
        """Keep the problems found; without a message, they are the message."""
        super().__init__(message or "\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class InvalidTools(ConfigurationError):  # noqa: N818 - named for what happened: these tools are invalid
    """Tools that cannot be built or used together; `problems` has every reason."""


class InvalidPipeline(ConfigurationError):  # noqa: N818 - named for what happened
    """A pipeline that cannot be planned; `problems` has every reason."""


def raise_errors(kind: type[ConfigurationError], problems: Sequence[Problem]) -> None:
    """Raise one exception with all problems if any of them is an error.

    Raises:
        ConfigurationError: Of the given kind, when there is an error among the problems.
    """
    if errors_among(problems):
        raise kind(problems=problems)
