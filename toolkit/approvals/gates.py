"""Gates judge calls, ask the reviewer, and are the only place that interprets the answer.

A gate fails closed: a missing reviewer, a reviewer or policy that raises or returns nothing, and a timeout never
approve a call.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, final

from toolkit.approvals.decisions import (
    DEFAULT_TIMEOUT,
    REVIEWER,
    Continue,
    Decision,
    Edit,
    EditedCall,
    ExitEarly,
    Granted,
    NoWitness,
    OnTimeout,
    Refused,
    Reject,
    ReviewRequest,
    Settled,
    Witness,
    denied,
    rejected,
)
from toolkit.approvals.policies import NO_QUESTION, ByRisk, CallHistory, DescribedCall, Policy, Verdict
from toolkit.approvals.reviewers import Reviewer, answer_of, turn_of
from toolkit.errors import ConfigurationError, Signal, ToolArgumentsError
from toolkit.running import await_or_run

if TYPE_CHECKING:
    from toolkit.approvals.audit_log import Audit

Question = Callable[[str], ReviewRequest]
"""Creates the request for the reviewer from the reason for the question, such as `the tool is destructive`."""

_MOST_QUESTIONS = 10
"""How often one call can be asked about, since each edit can need approval for another reason."""


class Demand(NamedTuple):
    """Requires a question before one call, regardless of the tool's marks.

    Attributes:
        asked_by: Who requires the question, such as `step 'publish'`.
        message: The text of the question; by default, it asks whether the call may run.
        show: Additional plain data to show with the question.
        editable: Whether the reviewer may change the arguments.
        on_refusal: Called if this question is answered with a refusal.
    """

    asked_by: str
    message: str | None = None
    show: Any = None
    editable: bool = True
    on_refusal: Callable[[Refused], object] = lambda _: None


class Gate:
    """Judges calls by a policy and asks a reviewer where the policy requires it.

    A subclass can override `judge` to judge calls itself. How questions are asked and answers are interpreted cannot be
    overridden.
    """

    judges_itself = False
    """Whether this class overrides `judge`."""

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
        """Create the gate.

        Args:
            reviewer: Answers questions. Without a reviewer, a question is a configuration error.
            policy: Decides which calls need approval; by default, `ByRisk`.
            timeout: How long to wait for an answer, in seconds; `None` waits forever.
            on_timeout: What happens if a question is not answered in time: `reject`, `exit_early` or `raise`.
            audit: Records every question and every decision.
            history: The tools that were called before, for rules that depend on what a run has read; by default, an
                empty history.

        Raises:
            ConfigurationError: If `on_timeout` is `continue`, which would let a call run without an answer, or if
                `timeout` is not a number of seconds.
        """
        if on_timeout == "continue":
            raise ConfigurationError("a gate never continues on a timeout; use 'reject', 'exit_early' or 'raise'")
        _check_timeout(timeout)
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
        """Record whether a subclass overrides `judge`, whose verdict then replaces that of the policy."""
        super().__init_subclass__()
        cls.judges_itself = cls.judge is not Gate.judge

    def with_history(self, history: CallHistory) -> "Gate":
        """Return a copy of this gate for calls that share no data with others, such as those for one batch item."""
        other = copy(self)
        other.history = history
        return other

    def with_reviewer(self, reviewer: Reviewer) -> "Gate":
        """Return a copy of this gate that asks another reviewer."""
        other = copy(self)
        other.reviewer = reviewer
        return other

    @property
    def can_ask(self) -> bool:
        """Whether a reviewer is available."""
        return self.reviewer is not None and getattr(self.reviewer, "available", True)

    @property
    def needs_arguments(self) -> bool:
        """Whether a verdict can depend on the arguments of a call."""
        return self.judges_itself or self.policy.needs_arguments

    @property
    def asks_by_risk_alone(self) -> bool:
        """Whether calls are judged by the default policy, and the calls that it allows are not recorded."""
        return type(self.policy) is ByRisk and self.audit is None and not self.judges_itself

    def judge(self, call: DescribedCall) -> Verdict:
        """Return the policy's verdict on a call. Callers use `verdict_on`, which also checks the verdict."""
        return self.policy.judge(call)

    @final
    def verdict_on(self, call: DescribedCall) -> Verdict:
        """Return whether a call may run, needs approval or is denied; a policy that fails denies the call."""
        judging = self if self.judges_itself else self.policy
        try:
            verdict: object = judging.judge(call)
        except Signal:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a policy raises, it has not allowed the call
            return _deny(judging, f"which failed: {type(error).__name__}: {error}")
        if verdict is NO_QUESTION:
            return NO_QUESTION if self.audit is None else Verdict("allow")  # the shortcut would skip the audit log
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
        """Decide whether a call may run. Only this method interprets the answers of policies and reviewers.

        A call that a reviewer has edited is judged again: it can be denied, and is asked about again if that is for
        another reason than those that the reviewer has seen.

        Args:
            call: The call, or `None` for a question that is not about a call, which only the reviewer can answer.
            question: Creates the request, if the reviewer has to be asked.
            witness: Observes the decision.
            verdict: The result of `verdict_on` for this call, so that the policy does not judge it twice.

        Raises:
            ConfigurationError: If the reviewer has to be asked, but there is none or it is not a valid reviewer.
            ToolArgumentsError: If the reviewer's edit is invalid.
            ExitEarlyError: If the reviewer ends the run.
            ApprovalPending: If the answer will come later.
            ApprovalTimeoutError: If there is no answer in time and `on_timeout` is `raise`.
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
        seen: set[tuple[str, object]] = set()
        while len(seen) < _MOST_QUESTIONS:
            request, decision = await self._reviewed(call, question, witness, verdict)
            if call is None or verdict is None or not (isinstance(decision, Edit) and request.editable):
                return decision.outcome(request)
            seen.add((verdict.because, verdict.ground))
            edited = _edited(decision, request, call, question)
            again = self.verdict_on(edited.call)
            if again.action == "deny":
                shown = replace(request, arguments=edited.call.arguments or {})
                witness.settled(Settled(edited.call, again, shown))
                return denied(again.because, "The reviewer's edit")
            if again.action == "allow" or (again.because, again.ground) in seen:
                return Granted(decision, REVIEWER)
            call, question, verdict = edited.call, edited.question, again
        return rejected(Reject("the call was edited again and again, so nobody has approved it"))

    async def _reviewed(
        self, call: DescribedCall | None, question: Question, witness: Witness, verdict: Verdict | None
    ) -> tuple[ReviewRequest, Decision]:
        """Ask the reviewer, let the witness observe it, and return the question and the answer."""
        request = question(verdict.because if verdict is not None else "")
        if verdict is not None and verdict.exact:
            request = replace(request, step_digest="", may_be_remembered=False, may_be_alike=False)
        with witness.asking(request):
            asked = perf_counter()
            decision = await self.ask(request)
            seconds = perf_counter() - asked
        witness.settled(Settled(call, verdict, request, decision))
        witness.decided(request.risk.tool, decision, REVIEWER, seconds)
        return request, decision

    @final
    async def ask(self, request: ReviewRequest) -> Decision:
        """Ask the reviewer and return a checked decision; only an explicit approval counts as one.

        Raises:
            ConfigurationError: If there is no reviewer, or it is not a valid reviewer.
            ApprovalTimeoutError: If there is no answer in time and `on_timeout` is `raise`.
        """
        if self.reviewer is None:
            message = f"tool {request.risk.tool!r} requires approval, but there is no reviewer"
            raise ConfigurationError(f"{message}; give the context one: ToolContext(reviewer=…)")
        if self._is_answered(request):
            return Continue()
        return await await_or_run(self._take_turn(self.reviewer, request))

    def _is_answered(self, request: ReviewRequest) -> bool:
        """Return whether this question, or all questions of its step, have been approved for the rest of the run."""
        if request.answer_is_text:
            return False
        return request.step_digest in self._whole_steps or request.question in self._same_again

    async def _take_turn(self, reviewer: Reviewer, request: ReviewRequest) -> Decision:
        endings = len(self._endings)
        async with turn_of(reviewer):
            if self._is_answered(request):  # it was answered while this question waited for its turn
                return Continue()
            if len(self._endings) > endings:  # the run was ended while this question waited for its turn
                return self._endings[-1]
            decision = await answer_of(reviewer, request)
            if isinstance(decision, Continue) and decision.same_again is True and request.digest:
                self._same_again.add(request.question)
            if isinstance(decision, Continue) and decision.whole_step is True and request.step_digest:
                self._whole_steps.add(request.step_digest)
            if isinstance(decision, ExitEarly):
                self._endings.append(decision)
            return decision


def _edited(decision: Edit, request: ReviewRequest, call: DescribedCall, question: Question) -> EditedCall:
    """Return the call with the arguments of an edit.

    Raises:
        ToolArgumentsError: If the edit is invalid.
    """
    if request.edited is not None:
        return request.edited(decision.arguments)
    if not isinstance(decision.arguments, Mapping):
        raise ToolArgumentsError("The reviewer's edit is invalid: it is a text instead of arguments")
    new = decision.arguments
    return EditedCall(call._replace(arguments=new), lambda because: replace(question(because), arguments=new))


def _check_timeout(timeout: Any) -> None:
    if timeout is not None and not (isinstance(timeout, int | float) and timeout >= 0):
        raise ConfigurationError(f"the timeout of a gate must be a number of seconds or None, not {timeout!r}")


def _deny(judging: object, why: str) -> Verdict:
    return Verdict("deny", f"the policy '{type(judging).__name__}', {why}")
