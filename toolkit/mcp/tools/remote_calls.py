"""Call a remote tool: from the event loop of the call to the loop of the sessions and back."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from toolkit.dialects.client_results import STRUCTURED
from toolkit.mcp.client.server_sessions import connection_to, with_sign_in
from toolkit.mcp.settings.server_settings import McpServer
from toolkit.mcp.sign_in.providers import person_of
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.attachments import attachments_in, result_of_contents
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign.elicitations import FormQuestions

_AT_ONCE = 20
_PAUSE = 1.0


class Report(NamedTuple):
    """A progress report of a call."""

    message: str
    done: float
    of: float | None


class ProgressThrottle:
    """Limits the rate of one call's reports, in the event loop of the call."""

    def __init__(self, pass_on: Callable[[Report], None]) -> None:
        """Create the throttle in the event loop of the call.

        Args:
            pass_on: Called with each report that is passed on.
        """
        self._pass_on = pass_on
        self._loop = asyncio.get_running_loop()
        self._sent = 0
        self._newest: Report | None = None
        self._later: asyncio.TimerHandle | None = None

    def take(self, report: Report) -> None:
        """Pass a report on now or later; it replaces one that is still waiting."""
        self._newest = report
        if self._sent < _AT_ONCE:
            self.flush()
        elif self._later is None:
            self._later = self._loop.call_later(_PAUSE, self.flush)

    def flush(self) -> None:
        """Pass on the waiting report, if there is one."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        newest, self._newest = self._newest, None
        if newest is not None:
            self._sent += 1
            self._pass_on(newest)


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


LARGEST_TEXT = 4 * 1024 * 1024
"""Maximum length of the text of a result, in characters."""

_ERROR_CODE = "toolkit/error_code"
"""The `_meta` key with which our own server reports an error code."""


def result_from(answer: CallToolResult) -> ToolResult:
    """Return the result in a server's answer; see `result_of_contents`."""
    blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in answer.content]
    structured = answer.structured_content
    if structured is None:  # our own server sends data here that the model is not to see
        structured = (answer.meta or {}).get(STRUCTURED)
    result = result_of_contents(blocks, structured, error_code=_code_of(answer))
    text = result.output if result.succeeded else result.error or ""
    if len(text) > LARGEST_TEXT:
        message = f"the server's answer has {len(text)} characters, more than the limit of {LARGEST_TEXT}"
        return ToolResult.failure(message, "too_large")
    return result


def without_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return a result with all secrets that the server received masked."""
    if not redactor:
        return result
    return ToolResult(
        redactor.text(result.output),
        None if result.error is None else redactor.text(result.error),
        result.error_code,
        redactor.data(result.structured),
        tuple(one.redacted(redactor) for one in attachments_in(result.artifact)) or None,
    )


def _code_of(answer: CallToolResult) -> str | int | None:
    if not answer.is_error:
        return None
    code = (answer.meta or {}).get(_ERROR_CODE)
    return code if isinstance(code, str | int) else "error"


async def call_remote(
    server: McpServer, tool: str, arguments: Mapping[str, Any], context: ToolContext, meta: dict[str, Any] | None
) -> ToolResult:
    """Call a tool of a server. Cancelling this cancels the call on the server.

    Args:
        server: The server.
        tool: The server's name for the tool.
        arguments: The arguments.
        context: The context of the call, which identifies the session, receives events and answers questions.
        meta: The `_meta` of the request, taken from the context.

    Raises:
        ToolExecutionError: If the server cannot be reached, returns an error or times out.
        Signal: If the answer to one of the server's questions ended the run.
    """
    connection = connection_to(server, context.values)
    caller = WaitingCaller(server, context, connection.redactor)
    calling = partial(connection.call, tool, arguments, caller, meta=meta, seconds=server.timeout)
    task = asyncio.ensure_future(with_sign_in(server, person_of(context.gate), calling))
    caller.on_end = task.cancel
    try:
        answer = await task
    except asyncio.CancelledError:
        if caller.ended_by is not None:
            raise caller.ended_by from None
        raise
    finally:
        task.cancel()
        caller.close()
    if caller.ended_by is not None:
        raise caller.ended_by
    return without_secrets(result_from(answer), connection.redactor)
