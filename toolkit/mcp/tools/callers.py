"""Callers: who waits for a call of a remote tool is told how far it is, and asked what its server asks.

The sessions live in a loop of their own; a person is asked in the loop of the call, where its reviewer belongs.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from toolkit.approvals.decisions import Edit
from toolkit.approvals.permissions import Refused
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.risks import Risk
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.forms import Form
from toolkit.mcp.tools.progress_throttle import Report, Thinning
from toolkit.redactors.redactor import Redactor
from toolkit.tools.approval_checks import decide
from toolkit.tools.context import ToolContext

_TRIES = 3


class WaitingCaller:
    """A call that waits in the running loop, with its context."""

    def __init__(self, server: McpServer, context: ToolContext, redactor: Redactor) -> None:
        """Keep the context, the loop that the call waits in, and what must not be told of what the server says."""
        self._server = server
        self._redactor = redactor
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._thinning = Thinning(self._tell)
        self.ended_by: BaseException | None = None
        """What ends more than the call: a person who stops the run, or a listener that raised."""
        self.on_end: Callable[[], Any] = lambda: None

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell the context's listener how far the work is."""
        if self._context.listener is not None:
            self._loop.call_soon_threadsafe(self._thinning.take, Report(message or "", progress, total))

    def close(self) -> None:
        """Tell what was reported last; the call has ended."""
        self._thinning.flush()

    async def elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Ask whoever the context asks, and decline where nobody can be."""
        if not self._context.can_ask or self.ended_by is not None:
            return ElicitResult(action="decline")
        asking = asyncio.run_coroutine_threadsafe(self._ask(params), self._loop)
        return await asyncio.wrap_future(asking)

    def _tell(self, report: Report) -> None:
        try:
            self._context.progress(self._redactor.text(report.message), report.done, report.of)
        except BaseException as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)

    async def _ask(self, params: ElicitRequestParams) -> ElicitResult:
        try:
            if isinstance(params, ElicitRequestFormParams):
                return await self._ask_for_form(params)
            answer = await self._put(params.message, {"url": params.url}, editable=False)
            return ElicitResult(action="decline" if answer is None else "accept")
        except Exception as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)
            return ElicitResult(action="cancel")

    async def _ask_for_form(self, params: ElicitRequestFormParams) -> ElicitResult:
        """Ask for the members of a form: as text where it is one text, member by member otherwise."""
        form = Form(params.requested_schema)
        complaint = None
        for _ in range(_TRIES):
            message = params.message if complaint is None else f"{params.message}\n{complaint}"
            answer = await self._filled(form, message)
            complaint = None if answer is None else form.objection(answer)
            if answer is None or (complaint is not None and answer == form.defaults):
                return ElicitResult(action="decline")
            if complaint is None:
                return ElicitResult(action="accept", content=dict(answer))
        return ElicitResult(action="cancel")

    async def _filled(self, form: Form, message: str) -> Mapping[str, Any] | None:
        """Return what a person fills in; nobody's answer is made up."""
        if (name := form.only_text) is None:
            filled = await self._put(
                message, form.defaults, show=form.notes, objection=form.objection, form=form.schema
            )
            return None if isinstance(filled, str) else filled
        note = form.note_of(name)
        words = await self._put(f"{message}\n{note}" if note else message, {}, answer_is_text=True)
        return {name: words} if isinstance(words, str) else None

    async def _put(self, text: str, arguments: Mapping[str, Any], **more: Any) -> Mapping[str, Any] | str | None:
        """Put a question of the server, and return what is to be sent; `None` where nothing may be.

        No rule answers it: what is wanted is an answer of the person's own.
        """
        server, call = self._server.name, self._context.call
        request = ReviewRequest(
            text,
            Risk(f"server {server}", source="MCP"),
            arguments,
            asked_by=f"the server '{server}' asks; what you answer is sent to it",
            place=self._context.place,
            digest=call.digest(self._context, server) if call is not None else "",
            **more,
        )
        decision = await decide(self._context, None, lambda _: request)
        if isinstance(decision, Refused):
            return None
        return decision.decision.arguments if isinstance(decision.decision, Edit) else arguments

    def _end(self, error: BaseException) -> None:
        if self.ended_by is None:
            self.ended_by = error
        self.on_end()
