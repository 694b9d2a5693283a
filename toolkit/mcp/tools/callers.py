"""Callers: the caller of a remote tool receives its progress, and the server's questions.

The sessions live in a loop of their own; a person is asked in the loop of the call, where its reviewer belongs.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.progress_throttle import Report, Thinning
from toolkit.redactors.redactor import Redactor
from toolkit.tools.context import ToolContext
from toolkit.tools.form_questions import FormQuestions


class WaitingCaller:
    """A call that waits in the running loop, with its context."""

    def __init__(self, server: McpServer, context: ToolContext, redactor: Redactor) -> None:
        """Keep the context, the loop that the call waits in, and what to remove from the server's messages."""
        self._redactor = redactor
        self._context = context
        self._questions = FormQuestions(context, server.name)
        self._loop = asyncio.get_running_loop()
        self._thinning = Thinning(self._tell)
        self.ended_by: BaseException | None = None
        """What ends more than the call: a person who stops the run, or a listener that raised."""
        self.on_end: Callable[[], Any] = lambda: None

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Report the progress to the context's listener."""
        if self._context.listener is not None:
            self._loop.call_soon_threadsafe(self._thinning.take, Report(message or "", progress, total))

    def close(self) -> None:
        """Send the last report; the call has ended."""
        self._thinning.flush()

    async def elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Ask the reviewer of the context, and decline where there is none."""
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
                answer = await self._questions.fill(params.message, params.requested_schema)
            else:
                answer = await self._questions.open(params.message, params.url)
            return ElicitResult(action=answer.action, content=None if answer.content is None else dict(answer.content))
        except Exception as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)
            return ElicitResult(action="cancel")

    def _end(self, error: BaseException) -> None:
        if self.ended_by is None:
            self.ended_by = error
        self.on_end()
