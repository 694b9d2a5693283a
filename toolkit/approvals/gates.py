"""Gates: the one place where a call is judged, a question is put, and its answer is trusted or not.

A gate fails closed. No reviewer, a reviewer or a policy that raises or returns nothing, and a time that runs out never
approve.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, final

from toolkit.approvals.answers import answer_of
from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject
from toolkit.approvals.flows import CallHistory
from toolkit.approvals.permissions import REVIEWER, Granted, NoWitness, Refused, Settled, Witness, denied, rejected
from toolkit.approvals.policies import NO_QUESTION, ByRisk, DescribedCall, Policy, Verdict
from toolkit.approvals.requests import DEFAULT_TIMEOUT, OnTimeout, ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.approvals.turns import turn_of
from toolkit.errors import ConfigurationError, Signal
from toolkit.running import drive_or_run

if TYPE_CHECKING:
    from toolkit.approvals.audit_log import Audit

Question = Callable[[str], ReviewRequest]
"""Makes the request that a reviewer sees; it is given what wants the question, such as `the tool is destructive`."""


@dataclass(frozen=True, slots=True)
class Demand:
    """A question that a caller wants before one call, whatever the marks of the tool.

    Attributes:
        asked_by: Who wants it, such as `step 'publish'`.
        message: What to ask; without one the call itself is the question.
        show: More to show with the question, as plain data.
        editable: Whether the reviewer may change the arguments.
        on_refusal: Called when this very question was answered with a refusal.
    """

    asked_by: str
    message: str | None = None
    show: Any = None
    editable: bool = True
    on_refusal: Callable[[Refused], object] = lambda _: None


class Gate:
    """Judges calls by a policy and puts the questions to a reviewer.

    A kind of gate may judge calls itself, with a `judge` of its own; what a question and its answer mean is fixed.
    """

    judges_itself = False
    """Whether a kind of gate has a `judge` of its own."""

    def __init__(
        self,
        reviewer: Reviewer | None = None,
        policy: Policy | None = None,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        on_timeout: OnTimeout = "reject",
        audit: "Audit | None" = None,
        history: CallHistory | None = None,
    ) -> None:
        """Keep who is asked and when.

        Args:
            reviewer: Who answers; without one a question is a configuration error.
            policy: Who must be asked; `ByRisk` unless one is given.
            timeout: Seconds to wait for an answer; `None` waits forever.
            on_timeout: What an unanswered question does: `reject`, `exit_early` or `raise`.
            audit: Keeps a record of every question and every decision.
            history: The tools that were called before, for rules about what a run has read; a new one unless it is
                given.

        Raises:
            ConfigurationError: If an unanswered question were to let a call run.
        """
        if on_timeout == "continue":
            raise ConfigurationError("a gate never continues on a timeout; use 'reject', 'exit_early' or 'raise'")
        self.reviewer = reviewer
        self.policy = policy or ByRisk()
        self.timeout = timeout
        self.on_timeout = on_timeout
        self.audit = audit
        self.history = history or CallHistory()
        self._same_again: set[tuple[str, str, str]] = set()
        self._whole_steps: set[str] = set()
        self._endings: list[ExitEarly] = []

    def __init_subclass__(cls) -> None:
        """Find out whether a subclass judges calls itself: then its verdict counts, and not its policy's."""
        super().__init_subclass__()
        cls.judges_itself = cls.judge is not Gate.judge

    def with_history(self, history: CallHistory) -> "Gate":
        """Return the same gate for calls that share nothing with the others, such as those for one item of a batch."""
        other = copy(self)
        other.history = history
        return other

    def with_reviewer(self, reviewer: Reviewer) -> "Gate":
        """Return the same gate with somebody else to ask."""
        other = copy(self)
        other.reviewer = reviewer
        return other

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self.reviewer is not None and getattr(self.reviewer, "available", True)

    @property
    def needs_arguments(self) -> bool:
        """Whether calls are judged by their arguments too."""
        return self.judges_itself or self.policy.needs_arguments

    @property
    def asks_by_risk_alone(self) -> bool:
        """Whether calls are judged by the default policy, and nothing is kept of those that it allows."""
        return type(self.policy) is ByRisk and self.audit is None and not self.judges_itself

    def judge(self, call: DescribedCall) -> Verdict:
        """Return the policy's verdict on a call. Others ask for `verdict_on`, which trusts nothing."""
        return self.policy.judge(call)

    @final
    def verdict_on(self, call: DescribedCall) -> Verdict:
        """Return whether a call may run, must be asked about, or must not run; a policy that fails allows nothing."""
        judging = self if self.judges_itself else self.policy
        try:
            verdict: object = judging.judge(call)
        except Signal:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a policy raises, it has not allowed the call
            return _deny(judging, f"which failed: {type(error).__name__}: {error}")
        if verdict is NO_QUESTION:
            return NO_QUESTION if self.audit is None else Verdict("allow")  # what is recorded takes the long way
        if isinstance(verdict, Verdict) and verdict.action in {"allow", "ask", "deny"}:
            return verdict
        return _deny(judging, f"which returned {verdict!r} instead of a verdict of 'allow', 'ask' or 'deny'")

    @final
    async def decide(
        self,
        call: DescribedCall | None,
        question: Question,
        *,
        witness: Witness = NoWitness(),  # noqa: B008 - it has no state
        verdict: Verdict | None = None,
    ) -> Granted | Refused:
        """Decide whether a call may run; nothing else reads the answer of a reviewer or a policy.

        Args:
            call: The call. `None` where nothing runs and an answer of the reviewer's own is wanted, which no policy
                can give.
            question: Makes the request, if somebody has to be asked.
            witness: Watches.
            verdict: The result of `verdict_on` for this very call, so that the policy judges it once.

        Raises:
            ConfigurationError: If somebody has to be asked and there is no reviewer, or it is not one.
            ExitEarlyError: If the reviewer ends the run.
            ApprovalPending: If the answer is to come later.
            ApprovalTimeoutError: If the time is over and the request asks for this error.
        """
        if call is not None:
            verdict = self.verdict_on(call) if verdict is None else verdict
            if verdict.action != "ask":
                witness.settled(Settled(call, verdict))
            if verdict.action == "deny":
                return denied(verdict.because)
            if verdict.action == "allow":
                if verdict.because:
                    witness.decided(call.risk.tool, Continue(), verdict.because, 0.0)
                return Granted(by=verdict.because)
        request = question(verdict.because if verdict is not None else "")
        if verdict is not None and verdict.exact:
            request = replace(request, step_digest="", may_be_remembered=False, may_be_alike=False)
        with witness.asking(request):
            asked = perf_counter()
            decision = await self.ask(request)
            seconds = perf_counter() - asked
        witness.settled(Settled(call, verdict, request, decision))
        witness.decided(request.risk.tool, decision, REVIEWER, seconds)
        return _read(decision, request)

    @final
    async def ask(self, request: ReviewRequest) -> Decision:
        """Put a question and return a decision that can be trusted: nothing but a plain yes is one.

        Raises:
            ConfigurationError: If there is no reviewer, or it is not one.
            ApprovalTimeoutError: If the time is over and the request asks for this error.
        """
        if self.reviewer is None:
            message = f"tool {request.risk.tool!r} requires approval, but there is no reviewer"
            raise ConfigurationError(f"{message}; give the context one: ToolContext(reviewer=…)")
        if self._is_answered(request):
            return Continue()
        return await drive_or_run(self._take_turn(self.reviewer, request))

    def _is_answered(self, request: ReviewRequest) -> bool:
        """Return whether this very question, or every question of its step, was answered for the whole run."""
        if request.answer_is_text:
            return False
        return request.step_digest in self._whole_steps or request.question in self._same_again

    async def _take_turn(self, reviewer: Reviewer, request: ReviewRequest) -> Decision:
        endings = len(self._endings)
        async with turn_of(reviewer):
            if self._is_answered(request):  # while this one waited for its turn
                return Continue()
            if len(self._endings) > endings:  # likewise: nobody wants to be asked about a run that is over
                return self._endings[-1]
            decision = await answer_of(reviewer, request)
            if isinstance(decision, Continue) and decision.same_again is True and request.digest:
                self._same_again.add(request.question)
            if isinstance(decision, Continue) and decision.whole_step is True and request.step_digest:
                self._whole_steps.add(request.step_digest)
            if isinstance(decision, ExitEarly):
                self._endings.append(decision)
            return decision


def _deny(judging: object, why: str) -> Verdict:
    return Verdict("deny", f"the policy '{type(judging).__name__}', {why}")


def _read(decision: Decision, request: ReviewRequest) -> Granted | Refused:
    """Return what a decision means for what was asked about.

    Raises:
        ExitEarlyError: If it ends the run.
    """
    match decision:
        case Continue():
            return Granted(decision, REVIEWER)
        case Edit() if request.editable or request.answer_is_text:
            return Granted(decision, REVIEWER)
        case Edit(edited):
            return rejected(Reject(request.objection(edited) or "these arguments may not be edited"))
        case Reject():
            return rejected(decision)
        case ExitEarly():
            raise decision.signal()
