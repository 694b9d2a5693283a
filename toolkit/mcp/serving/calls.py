"""Calls: one call of a tool for a client, from its request to its result."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.approvals.audit_log import Audit
from toolkit.approvals.decisions import Decision
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import Policy
from toolkit.approvals.requests import DEFAULT_TIMEOUT, ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.events import Listener, both
from toolkit.mcp.serving.client_questions import ClientReviewer, can_be_asked
from toolkit.mcp.serving.progress_messages import ProgressSender
from toolkit.mcp.serving.session_histories import SessionHistories
from toolkit.mcp.serving.worker_pool import PATIENCE, Task, WorkerPool
from toolkit.mcp.shared_context import trace_context_of
from toolkit.redactors.redactor import Redactor
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.limits import Limiter
from toolkit.tools.results import ToolResult
from toolkit.wrappers.timing import GRACE, STUBBORN, TimedTool, message_of_late_end

Context = ServerRequestContext[Any, Any]

DEFAULT_LIMIT = 600.0
"""Seconds that a call may take, the waiting for a person not counted, by default."""


def nobody(request: ReviewRequest) -> str:
    """Say that the client cannot be asked."""
    return f"this client cannot be asked whether '{request.risk.tool}' may run"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for every call.

    Attributes:
        policy: Who must be asked about; by risk unless one is given.
        why_not: Why a client that cannot be asked is refused, and what allows the call.
        approval_timeout: Seconds that a question waits.
        limit: Seconds that a call may take.
        values: What every call's context carries.
        memory_id: Whose memory every call works on; no client chooses it.
        meta: The keys of a request's `_meta` that become values of the context too.
        audit: Keeps a record of every question and every decision.
        histories: The tools that each session has called.
        reviewer: Who is asked where the client cannot be.
        listener: Receives the events of every call.
        limiter: Decides when calls may begin, if they are limited.
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


class Question(NamedTuple):
    """A question that waits for the client to repeat its call."""

    request: types.ElicitRequest
    answer: "asyncio.Future[types.ElicitResult]"


class Call:
    """A call that is under way; it may outlive the request that began it, while a question of it is open."""

    def __init__(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        rules: Rules,
        pool: WorkerPool,
        redactor: Redactor,
    ) -> None:
        """Keep what is called.

        Args:
            tool: The tool.
            arguments: Its arguments.
            rules: What holds for every call.
            pool: Where it runs.
            redactor: Learns the secrets of this call, and removes them from its reports.
        """
        self.tool = tool
        self.arguments = arguments
        self.questions: dict[str, Question] = {}
        self._rules = rules
        self._workshop = pool
        self.redactor = redactor
        self._asked = _unsettled()
        self._asked_so_far = 0
        self._job: Task | None = None
        self._is_asking = 0
        self._progress: ProgressSender | None = None
        self._working = 0.0

    def begin(self, request: Context, session: str | None) -> None:
        """Begin the work.

        Args:
            request: The client's request.
            session: The session of the client, where it keeps one.
        """
        self.follow(request)
        sender = self._progress
        context = ToolContext(
            self._values(request),
            memory_id=self._rules.memory_id,
            gate=self._gate(request, session),
            listener=both(sender.listen if sender is not None else None, self._rules.listener),
            run=Run(channel=sender.hear if sender is not None else None),
            chosen_by="model",
            loop_id=session,
            redactor=self.redactor,
        ).replace(limiter=self._rules.limiter)
        timed = TimedTool(self.tool, self._rules.limit)
        self._job = self._workshop.begin(lambda: timed.call(self.arguments, context))

    def follow(self, request: Context) -> None:
        """Report the progress to this request's client from now on."""
        meta = (request.params or {}).get("_meta") or {}
        if "progressToken" not in meta:
            return
        if self._progress is None:
            self._progress = ProgressSender(request.session.report_progress, self.redactor)
        self._progress.send = request.session.report_progress

    async def result(self) -> ToolResult | None:
        """Wait until the call has ended, or a question of it waits for the client to repeat the call: then None.

        If this is cancelled, so is the call.
        """
        job = self._job
        assert job is not None  # noqa: S101 - it has begun
        try:
            while not job.finished.done() and not self.questions:
                await self._wait(job)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if not job.finished.done():
            return None
        if self._progress is not None:
            await self._progress.close()
        return job.finished.result()

    def cancel(self) -> None:
        """End the call."""
        if self._job is not None:
            self._job.cancel()
        if self._progress is not None:
            self._progress.stop()

    def answer(self, responses: Mapping[str, Any]) -> None:
        """Take the answers to the open questions; anything else keeps its question open."""
        for name, response in responses.items():
            question = self.questions.pop(name, None) if isinstance(response, types.ElicitResult) else None
            if question is not None and not question.answer.done():
                question.answer.set_result(response)

    async def _wait(self, job: Task) -> None:
        """Wait for the end or a question, and see to it now and then that the call can come to either."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        waited: list[asyncio.Future[Any]] = [job.finished, self._asked]
        news, _ = await asyncio.wait(waited, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        self._working += loop.time() - began
        if self._asked.done():
            self._asked = _unsettled()
        if not news:
            self._workshop.look_after(job)
            await self._end_if_stuck(job)

    async def _end_if_stuck(self, job: Task) -> None:
        """Let a call fail that is over its time, where no clock can end it: it blocks its loop, or never stops."""
        overdue = self._working - self._rules.limit
        if overdue <= GRACE or self._is_asking:
            return
        blocks = not await self._workshop.is_moving(job)
        if (blocks or overdue > STUBBORN) and not job.finished.done():
            message = message_of_late_end(self._rules.limit, blocks=blocks)
            job.finished.set_result(ToolResult.failure(message, "timeout"))

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
            return self._reviewer_elsewhere()
        is_stateless = request.protocol_version in MODERN_PROTOCOL_VERSIONS
        if not is_stateless and not request.session.can_send_request:
            return self._reviewer_elsewhere()
        session, request_id = request.session, request.request_id

        async def elicit(question: types.ElicitRequest) -> types.ElicitResult:
            metadata = ServerMessageMetadata(related_request_id=request_id)
            self._is_asking += 1
            try:
                return await session.send_request(question, types.ElicitResult, metadata=metadata)
            finally:
                self._is_asking -= 1

        return ClientReviewer(self._park if is_stateless else elicit, self._rules.why_not)

    def _reviewer_elsewhere(self) -> Reviewer:
        """Return who is asked where the client cannot be; without one, every question is refused."""
        elsewhere = self._rules.reviewer
        if elsewhere is None:
            return ClientReviewer(None, self._rules.why_not)
        return _Elsewhere(self, elsewhere)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Enter while a question is open; that time does not count for the call."""
        self._is_asking += 1
        try:
            yield
        finally:
            self._is_asking -= 1

    async def _park(self, request: types.ElicitRequest) -> types.ElicitResult:
        """Let a question wait for the client to repeat its call."""
        self._asked_so_far += 1
        name = f"question_{self._asked_so_far}"
        self.questions[name] = question = Question(request, asyncio.get_running_loop().create_future())
        self._is_asking += 1
        if not self._asked.done():
            self._asked.set_result(None)
        try:
            return await question.answer
        finally:
            self._is_asking -= 1
            self.questions.pop(name, None)


class _Elsewhere:
    """Asks somebody else than the client."""

    def __init__(self, call: Call, reviewer: Reviewer) -> None:
        self._call = call
        self._asked = reviewer

    async def review(self, request: ReviewRequest) -> Decision:
        with self._call.asking():
            return await self._asked.review(request)


def _unsettled() -> "asyncio.Future[None]":
    return asyncio.get_running_loop().create_future()
