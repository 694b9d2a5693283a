"""Pass the progress of a remote call, and the server's questions, to the caller's context.

They arrive in the event loop of the sessions, but are handled in the loop of the call, where the reviewer belongs.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.progress_throttle import ProgressThrottle, Report
from toolkit.redactors.redactor import Redactor
from toolkit.tools.context import ToolContext
from toolkit.tools.form_questions import FormQuestions


class WaitingCaller:
    """The caller of a remote tool, which waits in the running event loop."""

    def __init__(self, server: McpServer, context: ToolContext, redactor: Redactor) -> None:
        """Create the caller in the event loop of the call.

        Args:
            server: The server.
            context: The context of the call.
            redactor: Masks secrets in the server's messages.
        """
        self._redactor = redactor
        self._context = context
        self._questions = FormQuestions(context, server.name)
        self._loop = asyncio.get_running_loop()
        self._throttle = ProgressThrottle(self._report_progress)
        self.ended_by: BaseException | None = None
        """The exception that ends the call, because a person stopped the run or a listener raised it."""
        self.on_end: Callable[[], Any] = lambda: None

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Report progress to the context's listener."""
        if self._context.listener is not None:
            self._loop.call_soon_threadsafe(self._throttle.take, Report(message or "", progress, total))

    def close(self) -> None:
        """Pass on the last report after the end of the call."""
        self._throttle.flush()

    async def elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Ask the context's reviewer; decline if there is none."""
        if not self._context.can_ask or self.ended_by is not None:
            return ElicitResult(action="decline")
        asking = asyncio.run_coroutine_threadsafe(self._ask(params), self._loop)
        return await asyncio.wrap_future(asking)

    def _report_progress(self, report: Report) -> None:
        try:
            self._context.progress(self._redactor.text(report.message), report.done, report.of)
        except BaseException as error:  # noqa: BLE001 - raised again where the call is awaited
            self._end(error)

    async def _ask(self, params: ElicitRequestParams) -> ElicitResult:
        try:
            if isinstance(params, ElicitRequestFormParams):
                answer = await self._questions.fill(params.message, params.requested_schema)
            else:
                answer = await self._questions.open(params.message, params.url)
            return ElicitResult(action=answer.action, content=None if answer.content is None else dict(answer.content))
        except Exception as error:  # noqa: BLE001 - as above
            self._end(error)
            return ElicitResult(action="cancel")

    def _end(self, error: BaseException) -> None:
        if self.ended_by is None:
            self.ended_by = error
        self.on_end()
