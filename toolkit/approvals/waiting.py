"""Waiting: a reviewer that keeps questions, so that their answers can come later and from elsewhere."""

import os
import time
from dataclasses import replace
from typing import Final

from toolkit.approvals.decisions import Continue, Decision, Edit, Reject
from toolkit.approvals.pending import KeptAnswer, PendingApproval, question_in, question_text, risk_of, risk_record
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ApprovalPending

_SALT_BYTES: Final = 16
_ID_LENGTH: Final = 12
_SHOWN: Final = ("text", "arguments", "defaults", "uses", "asked_by", "place", "preview", "show", "editable")


class WaitingReviewer:
    """Keeps each question about a call whose run is kept, and ends the work at that call until there is an answer.

    When the run goes on and comes to the same call again, the answer is taken. A question that was answered for
    another call (other arguments, another definition, another effect) is put anew. A question that a tool asks in the
    middle of its work, and one that wants words, cannot wait, so somebody else is asked.
    """

    def __init__(self, otherwise: Reviewer) -> None:
        """Keep who is asked what cannot wait."""
        self._otherwise = otherwise

    @property
    def available(self) -> bool:
        """Whether there is somebody for the questions that cannot wait."""
        return bool(getattr(self._otherwise, "available", True))

    @property
    def one_at_a_time(self) -> bool:
        """Whether the reviewer that is asked otherwise takes only one question at a time."""
        return bool(getattr(self._otherwise, "one_at_a_time", False))

    async def review(self, request: ReviewRequest) -> Decision:
        """Return the answer that was given for this very call.

        Raises:
            ApprovalPending: If there is none yet.
            JournalError: If the question cannot be kept.
        """
        binding = request.binding
        if binding is None or request.answer_is_text or request.form is not None:
            return await self._otherwise.review(request)
        known = binding.approvals.pending_at(binding.path)
        if known is None or not known.is_about(binding):
            known = _pending(request)
            binding.approvals.keep_pending(known)
        if known.answer is None:
            raise ApprovalPending([known.id])
        return _decision_of(known.answer)


def _pending(request: ReviewRequest) -> PendingApproval:
    binding = request.binding
    assert binding is not None  # noqa: S101 - only such questions wait
    salt = os.urandom(_SALT_BYTES).hex()
    digest = binding.digest(salt)
    shown = {name: getattr(request, name) for name in _SHOWN} | {"preview": request.preview and str(request.preview)}
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


def request_of(pending: PendingApproval) -> ReviewRequest:
    """Return a question as it was asked, to be shown."""
    question = pending.question
    asked = {name: question[name] for name in _SHOWN if name not in ("text", "arguments")}
    return replace(ReviewRequest(question["text"], risk_of(question["risk"]), question["arguments"]), **asked)


def _decision_of(kept: KeptAnswer) -> Decision:
    match kept:
        case KeptAnswer("approve"):
            return Continue(by=kept.by)
        case KeptAnswer("edit", arguments=dict(arguments)):
            return Edit(arguments, by=kept.by)
    return Reject(kept.reason, by=kept.by)
