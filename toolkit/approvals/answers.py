"""Asks a reviewer and checks the answer.

A reviewer that raises, or answers too late, has not approved the call. An object that is not a valid reviewer is an
error in the program rather than an answer.
"""

import inspect
from time import monotonic
from typing import Any

from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ApprovalTimeoutError, ConfigurationError, Signal


async def answer_of(reviewer: Reviewer, request: ReviewRequest) -> Decision:
    """Ask a reviewer and return the decision.

    Raises:
        ConfigurationError: If the object is not a valid reviewer, or does not return a decision.
        ApprovalTimeoutError: If there is no answer in time and `on_timeout` is `raise`.
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
    # A reviewer can catch the cancellation and answer anyway, or block the event loop beyond the timeout.
    if clock.expired() or (deadline is not None and monotonic() >= deadline):
        return _after_timeout(request)
    if not isinstance(answer, Continue | Edit | Reject | ExitEarly):
        raise _wrong(reviewer, f"'review' returned {answer!r}")
    return answer


def _check_kind(reviewer: object, request: ReviewRequest) -> None:
    """Check that an object can be asked.

    Raises:
        ConfigurationError: If it has no method `review` that takes one request.
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
    except ValueError:  # a method written in C can have no signature
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
