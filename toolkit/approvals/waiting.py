"""A reviewer that stores questions so that their answers can come later and from elsewhere."""

import os
import time
from typing import TYPE_CHECKING, Final

from toolkit.approvals.decisions import Continue, Decision, Edit, Reject
from toolkit.approvals.pending import ApprovalAnswer, PendingApproval, question_in, question_text, risk_record
from toolkit.approvals.requests import SHOWN, ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ApprovalPending

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolkit.problems import Problem

_SALT_BYTES: Final = 16
_ID_LENGTH: Final = 12


class WaitingReviewer:
    """Stores each question about a call of a resumable run, and suspends the run until there is an answer.

    When the run is resumed and reaches the same call again, the stored answer is used. If the call has changed since
    (its arguments, the tool's definition or its effect), the question is asked again. Questions that a tool asks while
    it works, and those that ask for a text, cannot wait; another reviewer answers them.
    """

    def __init__(self, otherwise: Reviewer) -> None:
        """Create the reviewer.

        Args:
            otherwise: The reviewer for questions that cannot wait.
        """
        self._otherwise = otherwise

    @property
    def available(self) -> bool:
        """Whether the reviewer for questions that cannot wait is available."""
        return bool(getattr(self._otherwise, "available", True))

    @property
    def one_at_a_time(self) -> bool:
        """Whether the reviewer for questions that cannot wait answers only one question at a time."""
        return bool(getattr(self._otherwise, "one_at_a_time", False))

    @property
    def inform(self) -> "Callable[[Problem], object] | None":
        """Tells the reviewer for questions that cannot wait about a problem with its answer, if it can be told."""
        return getattr(self._otherwise, "inform", None)

    async def review(self, request: ReviewRequest) -> Decision:
        """Return the stored answer for this call.

        Raises:
            ApprovalPending: If there is no answer yet.
            JournalError: If the question cannot be stored.
        """
        binding = request.binding
        if binding is None or request.answer_is_text or request.form is not None:
            return await self._otherwise.review(request)
        known = binding.approvals.pending_at(binding.path)
        if known is None or not known.is_about(binding):
            known = _pending(request)
            binding.approvals.add_pending(known)
        if known.answer is None:
            raise ApprovalPending([known.id])
        return _decision_of(known.answer)


def _pending(request: ReviewRequest) -> PendingApproval:
    binding = request.binding
    assert binding is not None  # only questions with a binding can wait
    salt = os.urandom(_SALT_BYTES).hex()
    digest = binding.digest(salt)
    shown = {name: getattr(request, name) for name in SHOWN} | {"preview": request.preview and str(request.preview)}
    question = {**shown, "risk": risk_record(request.risk), "definition": binding.definition}
    if request.editable:
        question["parameters"] = binding.parameters
    return PendingApproval(
        digest[:_ID_LENGTH],
        binding.run,
        binding.path,
        salt,
        digest,
        alike=binding.alike if request.may_be_alike else "",
        asked=time.time(),
        question=question_in(question_text(question)),
    )


def _decision_of(kept: ApprovalAnswer) -> Decision:
    match kept:
        case ApprovalAnswer("approve"):
            return Continue(by=kept.by)
        case ApprovalAnswer("edit", arguments=dict(arguments)):
            return Edit(arguments, by=kept.by)
    return Reject(kept.reason, by=kept.by)
