"""Answers: a question is put to a reviewer, and what comes back is made a decision that can be trusted.

A reviewer that raises, or answers when the time is over, has not approved, however its code came to answer. One that
does not do what reviewers do is a mistake in the program, and no answer.
"""

import inspect
from time import monotonic
from typing import Any

from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ApprovalTimeoutError, ConfigurationError, Signal


async def answer_of(reviewer: Reviewer, request: ReviewRequest) -> Decision:
    """Put a question to a reviewer and return the decision.

    Raises:
        ConfigurationError: If it is not a reviewer, or what it returns is not a decision.
        ApprovalTimeoutError: If the time is over and the request asks for this error.
    """
    import asyncio

    _check_kind(reviewer, request)
    clock = asyncio.timeout(request.timeout)
    deadline = None if request.timeout is None else monotonic() + request.timeout
    answer: Any
    try:
        async with clock:
            answer = await _awaited(reviewer, request)
    except Signal:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a reviewer raises, it has not approved
        answer = Reject(f"the reviewer failed: {type(error).__name__}: {error}")
    # A reviewer may catch the end of its time and answer all the same, or block the loop so that no clock can end it.
    if clock.expired() or (deadline is not None and monotonic() >= deadline):
        return _after_timeout(request)
    if not isinstance(answer, Continue | Edit | Reject | ExitEarly):
        raise _wrong(reviewer, f"'review' returned {answer!r}")
    return answer


def _check_kind(reviewer: object, request: ReviewRequest) -> None:
    """Refuse what cannot be asked at all.

    Raises:
        ConfigurationError: If it has no method `review` that takes a request.
    """
    review = getattr(reviewer, "review", None)
    if isinstance(reviewer, type):
        raise ConfigurationError(f"the reviewer is the class '{reviewer.__name__}'; pass an instance of it")
    if not callable(review):
        raise _wrong(reviewer, "it has no method 'review'")
    try:
        inspect.signature(review).bind(request)
    except TypeError as error:
        raise _wrong(reviewer, f"'review' does not take one request: {error}") from error
    except ValueError:  # a method in C may have no signature
        return


async def _awaited(reviewer: Reviewer, request: ReviewRequest) -> Any:
    answer: Any = reviewer.review(request)
    if not inspect.isawaitable(answer):
        raise _wrong(reviewer, f"'review' is not async: it returned {answer!r}")
    return await answer


def _wrong(reviewer: object, why: str) -> ConfigurationError:
    needed = "a reviewer has 'async def review(self, request)' and returns Continue, Edit, Reject or ExitEarly"
    return ConfigurationError(f"{type(reviewer).__name__!r} cannot be used as a reviewer: {why}; {needed}")


def _after_timeout(request: ReviewRequest) -> Decision:
    reason = f"nobody answered within {request.timeout:g} seconds"
    match request.on_timeout:
        case "continue" if request.answer_is_text:
            return Continue()
        case "exit_early":
            return ExitEarly(reason, timed_out=True)
        case "raise":
            raise ApprovalTimeoutError(f"{reason} whether {request.risk.tool!r} may run")
        case _:
            return Reject(reason)
