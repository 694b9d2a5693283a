"""A tool call for a client, from the request to the result.

A call of the stateless era that waits for an answer has a token that can be used once. The SDK seals the token, so that
it cannot be forged, expires, and is valid only for the same tool and arguments.
"""

import asyncio
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.approvals.audit_log import Audit
from toolkit.approvals.decisions import DEFAULT_TIMEOUT, Decision, ReviewRequest, fingerprint
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import Policy
from toolkit.approvals.reviewers import Reviewer
from toolkit.events import Listener, both
from toolkit.mcp.serving.client_sessions import ClientReviewer, ProgressSender, SessionHistories, can_be_asked
from toolkit.mcp.serving.worker_pool import PATIENCE, Task, WorkerPool
from toolkit.mcp.shared_context import trace_context_of
from toolkit.redactors.redactor import Redactor
from toolkit.runs.run import Run
from toolkit.tools.calls.call_limits import Limiter
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.wrappers.limits import budgeted
from toolkit.wrappers.timing import GRACE, STUBBORN, TimedTool, message_of_late_end

Context = ServerRequestContext[Any, Any]

DEFAULT_LIMIT = 600.0
"""Default timeout of a call in seconds, excluding the time spent waiting for a person."""


def nobody(request: ReviewRequest) -> str:
    """Return the message that the client does not support questions."""
    return f"this client cannot be asked whether '{request.risk.tool}' may run"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for all calls of a server.

    Attributes:
        policy: Decides which calls need approval; by default, the risk of the tool does.
        why_not: Returns why a call is refused if the client does not support questions, and how to allow it.
        approval_timeout: Timeout of a question in seconds.
        limit: Timeout of a call in seconds, excluding the time spent waiting for a person.
        values: The context values of every call.
        memory_id: The id of the memory that every call uses; clients cannot choose it.
        meta: Keys of a request's `_meta` to add to the context values.
        audit: Records every question and decision.
        histories: The tools that each session has called.
        reviewer: Answers questions if the client does not support them.
        listener: Receives the events of every call.
        limiter: Limits how many calls run at the same time and how often they begin.
        result_tokens: Maximum number of tokens of a result, for tools without a limit of their own.
    """

    policy: Policy | None = None
    why_not: Callable[[ReviewRequest], str] = nobody
    approval_timeout: float = DEFAULT_TIMEOUT
    limit: float = DEFAULT_LIMIT
    values: Mapping[str, Any] = field(default_factory=dict)
    memory_id: str | None = None
    meta: frozenset[str] = frozenset()
    audit: Audit | None = None
    histories: SessionHistories = field(default_factory=SessionHistories)
    reviewer: Reviewer | None = None
    listener: Listener | None = None
    limiter: Limiter | None = None
    result_tokens: int | None = None


class Question(NamedTuple):
    """A question whose answer arrives when the client repeats the call."""

    request: types.ElicitRequest
    answer: "asyncio.Future[types.ElicitResult]"


class Call:
    """A running call. While it has an open question, it outlives the request that began it."""

    def __init__(
        self,
        timed: TimedTool,
        arguments: Mapping[str, Any],
        rules: Rules,
        pool: WorkerPool,
        redactor: Redactor,
    ) -> None:
        """Create a call.

        Args:
            timed: The tool with the time limit of the rules.
            arguments: The arguments.
            rules: The rules for all calls.
            pool: The worker pool that runs the call.
            redactor: Learns the secrets of this call, and masks them in its messages.
        """
        self.tool = timed.inner
        self.arguments = arguments
        self.questions: dict[str, Question] = {}
        self._timed = timed
        self._rules = rules
        self._pool = pool
        self.redactor = redactor
        self._news = _new_future()
        self._asked_so_far = 0
        self._task: Task | None = None
        self._is_asking = 0
        self._is_unanswered = False
        self._progress: ProgressSender | None = None
        self._working = 0.0

    def begin(self, request: Context, session: str | None) -> None:
        """Start the call.

        Args:
            request: The client's request.
            session: The key of the client's session, or `None` in the stateless era.
        """
        self.follow(request)
        sender = self._progress
        context = ToolContext(
            self._values(request),
            memory_id=self._rules.memory_id,
            gate=self._gate(request, session),
            listener=both(sender.listen if sender is not None else None, self._rules.listener),
            run=Run(channel=sender.send_message if sender is not None else None),
            chosen_by="model",
            loop_id=session,
            redactor=self.redactor,
            result_tokens=self._rules.result_tokens,
        ).replace(limiter=self._rules.limiter)
        bounded = budgeted(self._timed, self._rules.result_tokens)
        self._task = self._pool.begin(
            lambda: bounded.call(self.arguments, context),
            self._wake,
            needs_loop=bounded is not self._timed or not self.tool.calls_one_function,
        )

    def follow(self, request: Context) -> None:
        """Send progress to the client of this request from now on."""
        meta = (request.params or {}).get("_meta") or {}
        if "progressToken" not in meta:
            return
        if self._progress is None:
            self._progress = ProgressSender(request.session.report_progress, self.redactor)
        self._progress.send = request.session.report_progress

    async def result(self) -> ToolResult | None:
        """Wait for the result, or return `None` if a question waits for the client to repeat the call.

        Cancelling this cancels the call.
        """
        task = self._task
        assert task is not None  # it has begun
        try:
            while task.result is None and not self.questions:
                await self._wait(task)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if task.result is not None and self._progress is not None:
            await self._progress.close()
        return task.result

    @property
    def waits_for_person(self) -> bool:
        """Whether a question of the call is open, or was still open when its client disconnected."""
        return self._is_asking > 0 or self._is_unanswered

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if self._progress is not None:
            self._progress.stop()

    def answer(self, responses: Mapping[str, Any]) -> None:
        """Pass answers to the open questions; a question without a valid answer stays open."""
        for name, response in responses.items():
            question = self.questions.pop(name, None) if isinstance(response, types.ElicitResult) else None
            if question is not None and not question.answer.done():
                question.answer.set_result(response)

    async def _wait(self, task: Task) -> None:
        """Wait until the call ends or asks a question, or a short time has passed; then check that it is not stuck."""
        loop = asyncio.get_running_loop()
        began, left = loop.time(), task.end_if_overdue()
        self._news = loop.create_future()
        patience = min(PATIENCE, self._rules.limit if left is None else left)
        timer = loop.call_later(patience, self._wake)
        try:
            await self._news
        finally:
            timer.cancel()
        self._working += loop.time() - began
        if task.result is None and not self.questions:
            self._pool.move_if_blocked(task)
            await self._end_if_stuck(task)

    def _wake(self) -> None:
        """Let whoever waits for the call see what is new."""
        if not self._news.done():
            self._news.set_result(None)

    async def _end_if_stuck(self, task: Task) -> None:
        """Fail a call that exceeds its timeout but cannot be cancelled, because it blocks its loop or never stops."""
        overdue = self._working - self._rules.limit
        if overdue <= GRACE or self._is_asking:
            return
        blocks = not await self._pool.is_responding(task)
        if blocks or overdue > STUBBORN:
            task.settle(ToolResult.failure(message_of_late_end(self._rules.limit, blocks=blocks), "timeout"))

    def _gate(self, request: Context, session: str | None) -> Gate:
        rules = self._rules
        return Gate(
            self._reviewer(request),
            rules.policy,
            timeout=rules.approval_timeout,
            audit=rules.audit,
            history=rules.histories.of(session),
        )

    def _values(self, request: Context) -> dict[str, Any]:
        meta: Mapping[str, Any] = (request.params or {}).get("_meta") or {}
        allowed = {key: meta[key] for key in self._rules.meta if key in meta}
        return {**self._rules.values, **allowed, **trace_context_of(meta)}

    def _reviewer(self, request: Context) -> Reviewer:
        if not can_be_asked(request.session.client_capabilities):
            return self._fallback_reviewer()
        is_stateless = request.protocol_version in MODERN_PROTOCOL_VERSIONS
        if not is_stateless and not request.session.can_send_request:
            return self._fallback_reviewer()
        session, request_id = request.session, request.request_id

        async def elicit(question: types.ElicitRequest) -> types.ElicitResult:
            metadata = ServerMessageMetadata(related_request_id=request_id)
            with self.asking():
                return await session.send_request(question, types.ElicitResult, metadata=metadata)

        return ClientReviewer(self._park if is_stateless else elicit, self._rules.why_not)

    def _fallback_reviewer(self) -> Reviewer:
        """Return the reviewer for clients that do not support questions; without one, every question is refused."""
        fallback = self._rules.reviewer
        if fallback is None:
            return ClientReviewer(None, self._rules.why_not)
        return _FallbackReviewer(self, fallback)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Pause the timeout of the call while a question is open."""
        self._is_asking += 1
        try:
            yield
        except BaseException:
            self._is_unanswered = True
            raise
        finally:
            self._is_asking -= 1

    async def _park(self, request: types.ElicitRequest) -> types.ElicitResult:
        """Park a question until the client repeats its call with the answer."""
        self._asked_so_far += 1
        name = f"question_{self._asked_so_far}"
        self.questions[name] = question = Question(request, asyncio.get_running_loop().create_future())
        with self.asking():
            self._wake()
            try:
                return await question.answer
            finally:
                self.questions.pop(name, None)


class _FallbackReviewer:
    """Asks the configured reviewer instead of the client."""

    def __init__(self, call: Call, reviewer: Reviewer) -> None:
        self._call = call
        self._asked = reviewer

    async def review(self, request: ReviewRequest) -> Decision:
        with self._call.asking():
            return await self._asked.review(request)


def _new_future() -> "asyncio.Future[None]":
    return asyncio.get_running_loop().create_future()


MOST_PARKED = 200
"""Maximum number of calls waiting at once; further calls are refused."""


class _Parked(NamedTuple):
    call: Call
    fingerprint: str
    expiry: asyncio.TimerHandle


class PendingApprovals:
    """Calls that wait for an answer."""

    def __init__(self, expires_after: float) -> None:
        """Create an empty collection.

        Args:
            expires_after: Seconds after which a waiting call is cancelled.
        """
        self._expires_after = expires_after
        self._parked: dict[str, _Parked] = {}

    @property
    def is_full(self) -> bool:
        """Whether no further call can be parked."""
        return len(self._parked) >= MOST_PARKED

    def park(self, call: Call) -> types.InputRequiredResult:
        """Park a call, and return the answer that asks the client to repeat it with answers to its questions."""
        token = secrets.token_urlsafe(24)
        expiry = asyncio.get_running_loop().call_later(self._expires_after, self._expire, token)
        self._parked[token] = _Parked(call, fingerprint(call.tool.name, call.arguments), expiry)
        questions: types.InputRequests = {name: question.request for name, question in call.questions.items()}
        return types.InputRequiredResult(input_requests=questions, request_state=token)

    def take(self, token: str, name: str, arguments: Mapping[str, Any]) -> Call:
        """Remove and return the call with a token.

        Raises:
            MCPError: If no call has the token, or its tool or arguments are different.
        """
        parked = self._parked.pop(token, None)
        if parked is None:
            raise _refusal()
        parked.expiry.cancel()
        if parked.fingerprint != fingerprint(name, arguments):
            parked.call.cancel()
            raise _refusal()
        return parked.call

    def close(self) -> None:
        """Cancel all waiting calls."""
        for token in list(self._parked):
            self._expire(token)

    def _expire(self, token: str) -> None:
        if (parked := self._parked.pop(token, None)) is not None:
            parked.expiry.cancel()
            parked.call.cancel()


def _refusal() -> MCPError:
    """Return the SDK's own error for an invalid token, so that clients cannot tell the cases apart."""
    data = {"reason": "invalid_request_state"}
    return MCPError(code=types.INVALID_PARAMS, message="Invalid or expired requestState", data=data)
