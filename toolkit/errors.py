"""The exceptions of the library.

    ToolkitError
    ├── ToolArgumentsError        the arguments of a call do not fit the tool
    ├── ToolExecutionError        the tool failed, and its message explains why
    └── Signal                    passes through every call unchanged and is not counted in metrics
        ├── ExitEarlyError        a reviewer ended the run; completed work is not undone
        ├── ApprovalPending       a call waits for an answer that comes later; completed work is kept
        ├── ApprovalTimeoutError  nobody answered in time, and the gate is set to raise
        ├── ReplanRequested       a tool found a reason to plan again; the loop ends, the run continues
        ├── TerminationRequested  a tool or its caller ends the agent's loop or the whole run
        ├── BudgetExceeded        a run has used up its budget
        └── ConfigurationError    the program is set up incorrectly, which a model cannot fix
            ├── InvalidTools      tools that cannot be built, with a Problem for each
            └── InvalidPipeline   a pipeline that cannot be planned, with every Problem

Any other exception that is raised while a tool runs becomes a failed `ToolResult`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from toolkit.amounts import money
from toolkit.problems import Problem, errors_among, how_to_install

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


_LISTED_IDS = 3
"""Maximum number of ids in a message."""


class ToolkitError(Exception):
    """Base class of all exceptions that the library raises deliberately."""


MISSING = "is missing"
"""The reason given for a missing member."""


class ToolArgumentsError(ToolkitError):
    """The arguments of a tool call are malformed, missing or of the wrong type.

    A tool can also raise it, for errors that only the tool itself can detect.
    """

    def __init__(
        self,
        message: str,
        code: str | int | None = "invalid_arguments",
        *,
        faults: Mapping[str, str] | None = None,
    ) -> None:
        """Create the error.

        Args:
            message: The message for the caller, often a model; it lists everything that is wrong.
            code: An identifier for the kind of failure.
            faults: Maps the path of each wrong or missing member (`orders[0].price`) to the reason.
        """
        super().__init__(message)
        self.code = code
        self.faults = dict(faults or {})

    @property
    def wrong(self) -> dict[str, str]:
        """The members that are present but wrong: maps each path to the reason."""
        return {path: reason for path, reason in self.faults.items() if reason != MISSING}


class ToolExecutionError(ToolkitError):
    """A tool failed; the message explains why to its caller."""

    def __init__(self, message: str, code: str | int | None = None) -> None:
        """Create the error.

        Args:
            message: The message for the caller, often a model.
            code: An identifier for the kind of failure.
        """
        super().__init__(message)
        self.code = code


class Signal(ToolkitError):  # not an error: it controls the run
    """Ends more than one call: passes through tools, retries and pipelines unchanged."""


class ExitEarlyError(Signal):
    """A reviewer ended the whole run; completed work is not undone."""

    def __init__(
        self, reason: str = "The reviewer ended the run", *, timed_out: bool = False, interrupted: bool = False
    ) -> None:
        """Create the signal.

        Args:
            reason: Why the run ends.
            timed_out: Whether the run ends because nobody answered in time.
            interrupted: Whether the run ends because of an interruption, such as Ctrl-C.
        """
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out
        self.interrupted = interrupted
        self.outputs: dict[str, Any] = {}
        """Maps the paths of the pipeline's completed steps to their outputs."""


class ApprovalTimeoutError(Signal):
    """Nobody answered a question in time, and the gate is set to raise instead of rejecting the call."""


class ApprovalPending(Signal):
    """Calls wait for approval, which can come after the program has ended; completed work is kept.

    Attributes:
        ids: The ids of the questions; only the first ones if there are very many.
        count: The number of waiting calls.
    """

    def __init__(self, ids: Sequence[str], count: int | None = None) -> None:
        """Create the signal.

        Args:
            ids: The ids of the questions.
            count: The number of waiting calls, if `ids` does not list them all.
        """
        self.ids = tuple(ids)
        self.count = len(self.ids) if count is None else count
        listed = ", ".join(self.ids[:_LISTED_IDS]) + (", …" if self.count > min(len(self.ids), _LISTED_IDS) else "")
        super().__init__(f"{self.count:,} call{' waits' if self.count == 1 else 's wait'} for approval: {listed}")

    @classmethod
    def all_of(cls, pending: "Sequence[ApprovalPending]") -> "ApprovalPending":
        """Combine several signals into one."""
        return cls([question for one in pending for question in one.ids], sum(one.count for one in pending))


class ReplanRequested(Signal):
    """A tool found a reason to plan again: the agent's loop ends, and the planner that started it continues.

    Attributes:
        reason: Why a new plan is needed.
        artifacts: Objects that the tool adds to the blackboard.
        bindings: Named values that the tool adds to the blackboard.
    """

    def __init__(
        self, reason: str, *, artifacts: Sequence[Any] = (), bindings: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.artifacts = tuple(artifacts)
        self.bindings = dict(bindings or {})


class TerminationRequested(Signal):
    """A tool or its caller ends the agent's loop (scope `loop`) or the whole run (scope `run`)."""

    def __init__(self, reason: str, scope: Literal["run", "loop"] = "run") -> None:
        super().__init__(reason)
        self.reason = reason
        self.scope = scope


class BudgetExceeded(Signal):
    """A run has used up its budget."""

    def __init__(self, what: str, limit: float, spent: float, *, run: object = None) -> None:
        """Create the signal.

        Args:
            what: What is used up: `cost`, `tokens` or `actions`.
            limit: The limit of the budget.
            spent: The amount used so far.
            run: The run that the budget belongs to.
        """
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
    """The program is set up incorrectly; for example, a tool requires approval but there is no reviewer."""

    def __init__(self, message: str = "", *, problems: Sequence[Problem] = ()) -> None:
        """Create the error; without a message, the problems become the message."""
        super().__init__(message or "\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class InvalidTools(ConfigurationError):
    """Tools that cannot be built or used together; `problems` lists all reasons."""


class InvalidPipeline(ConfigurationError):
    """A pipeline that cannot be planned; `problems` lists all reasons."""


def not_installed(what_needs: str, requirement: str) -> ConfigurationError:
    """Return the error that a package or an extra is not installed, with the command that installs it.

    Args:
        what_needs: The beginning of the message, such as `a store needs`.
        requirement: What to install, such as `toolkit-cli[durable]`.
    """
    message, hint = f"{what_needs} '{requirement}', which is not installed", how_to_install(requirement)
    return ConfigurationError(f"{message}: {hint}", problems=[Problem("", message, hint=hint)])


def raise_errors(kind: type[ConfigurationError], problems: Sequence[Problem]) -> None:
    """Raise one exception with all problems if any of them is an error.

    Raises:
        ConfigurationError: As the subclass `kind`, if any problem is an error.
    """
    if errors_among(problems):
        raise kind(problems=problems)
