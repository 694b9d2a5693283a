"""A session with a server, from its start to its end, and the list of its tools.

The list is read tool by tool, so that an invalid tool does not hide the others. The SDK rejects a whole page if one
tool in it violates the protocol. So such tools are removed from an answer before the SDK sees it, and recorded in the
`_meta` of the answer. A server cannot forge that key, because it is overwritten.

The SDK also validates results against the output schemas, with a regular expression engine that can hang on some
patterns, which would block all sessions. So the output schemas are hidden from the SDK, and checked by our tool calls.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from math import inf
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar

import anyio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp.shared.subscriptions import PromptsListChanged, ResourcesListChanged, ToolsListChanged
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    JSONRPCResponse,
    ListToolsResult,
    LoggingMessageNotificationParams,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.methods import validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.amounts import format_duration
from toolkit.errors import ToolExecutionError
from toolkit.mcp.client.failure_reasons import WrongEra, leaf_of, words_of
from toolkit.mcp.client.transports import ServerLog, Values, open_transport
from toolkit.mcp.settings.server_settings import McpServer, StdioServer
from toolkit.mcp.sign_in.server_auth import ServerAuth
from toolkit.redactors.redactor import Redactor
from toolkit.releases import __version__

_NOTED = "toolkit/unreadable"
_MOVED = "toolkit/outputSchema"


class Unreadable(NamedTuple):
    """A listed tool that violates the protocol.

    Attributes:
        name: Its name, or its position in the list if it has none.
        reason: What is wrong, and where.
    """

    name: str
    reason: str


class Listing(NamedTuple):
    """The tools that a server lists.

    Attributes:
        tools: The valid tools, in the server's order.
        unreadable: The tools that violate the protocol.
        pages: The number of pages of the list.
    """

    tools: Sequence[Tool]
    unreadable: Sequence[Unreadable] = ()
    pages: int = 1


def without_invalid_tools(response: JSONRPCResponse, version: str) -> JSONRPCResponse:
    """Return an answer without tools that violate the protocol, and with a record of them in its `_meta`.

    Args:
        response: Any answer of a server; one that lists no tools is returned unchanged.
        version: The negotiated protocol version.
    """
    listed = response.result.get("tools")
    if not isinstance(listed, list):
        return response
    reasons = _reasons(response.result, listed, version)
    kept = [_hide_output_schema(tool) for number, tool in enumerate(listed) if number not in reasons]
    noted = [[_name_of(listed[number], number), reason] for number, reason in sorted(reasons.items())]
    notes = response.result.get("_meta")
    meta = {**(notes if isinstance(notes, dict) else {}), _NOTED: noted}
    return response.model_copy(update={"result": {**response.result, "tools": kept, "_meta": meta}})


def tools_in(page: ListToolsResult) -> list[Tool]:
    """Return the valid tools of a page, with their output schemas restored."""
    return [_restore_output_schema(tool) for tool in page.tools]


def unreadable_in(page: ListToolsResult) -> list[Unreadable]:
    """Return the tools that were removed from a page."""
    return [Unreadable(name, reason) for name, reason in (page.meta or {}).get(_NOTED, ())]


def _hide_output_schema(tool: Any) -> Any:
    """Return a tool with its output schema moved to `_meta`, where the SDK does not find it."""
    if not isinstance(tool, dict):
        return tool
    notes = tool.get("_meta")
    meta = {**(notes if isinstance(notes, dict) else {}), _MOVED: tool.get("outputSchema")}
    return {**{key: value for key, value in tool.items() if key != "outputSchema"}, "_meta": meta}


def _restore_output_schema(tool: Tool) -> Tool:
    meta = {**(tool.meta or {})}
    return tool.model_copy(update={"output_schema": meta.pop(_MOVED, None), "meta": meta or None})


def _reasons(result: Mapping[str, Any], listed: Sequence[Any], version: str) -> dict[int, str]:
    """Return why tools violate the protocol, by their positions in the list."""
    reasons: dict[int, str] = {}
    try:
        validate_server_result("tools/list", version, result)
    except ValueError as error:
        for one in getattr(
            error, "errors", list
        )():  # a version that the SDK does not know raises an error without `errors`
            match one["loc"]:
                case ("tools", int() as number, *path):
                    where = f"{'.'.join(map(str, path))}: " if path else ""
                    reasons.setdefault(number, f"{where}{one['msg']}")
    if (
        version in MODERN_PROTOCOL_VERSIONS
    ):  # the protocol requires clients to drop such tools, and the SDK does so silently
        for number, tool in enumerate(listed):
            if number not in reasons and (reason := find_invalid_x_mcp_header(tool["inputSchema"])) is not None:
                reasons[number] = reason
    return reasons


def _name_of(tool: Any, number: int) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) and name else f"tool {number + 1}"


class WatchedStream:
    """A stream that passes each message through a function, and reports its end."""

    def __init__(self, inner: Any, *, through: Callable[[Any], Any], on_end: Callable[[], None]) -> None:
        """Wrap a stream.

        Args:
            inner: The stream.
            through: Called with each message, or the exception in its place; returns what to pass on.
            on_end: Called when the stream ends.
        """
        self._inner = inner
        self._through = through
        self._on_end = on_end

    def __getattr__(self, name: str) -> Any:
        """Delegate everything else to the stream."""
        return getattr(self._inner, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Return the next message."""
        try:
            return self._through(await self._inner.__anext__())
        except (StopAsyncIteration, anyio.ClosedResourceError):
            self._on_end()
            raise

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *reason: object) -> Any:
        return await self._inner.__aexit__(*reason)


_MOST_PAGES = 1000
_MOST_TOOLS = 20_000


class Caller(Protocol):
    """The caller of a tool, who receives its progress and the server's questions."""

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Receive the progress of the call."""

    async def elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Answer a question from the server."""


Listed = Literal["tools", "resources", "prompts"]
"""What a server lists, and says when it has changed."""

_CHANGES: Mapping[type, Listed] = {
    ToolListChangedNotification: "tools",
    ResourceListChangedNotification: "resources",
    PromptListChangedNotification: "prompts",
    ToolsListChanged: "tools",
    ResourcesListChanged: "resources",
    PromptsListChanged: "prompts",
}
"""The notifications of both eras of the protocol."""

T = TypeVar("T")

_CALLER: ContextVar["_Waiting | None"] = ContextVar("toolkit_mcp_caller", default=None)


class Conversation:
    """A session with a server. A single task opens and closes it, as anyio requires."""

    def __init__(
        self,
        server: McpServer,
        values: Values,
        redactor: Redactor,
        on_change: Callable[[Listed], None],
        auth: ServerAuth | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.server_log = ServerLog(server.name, redactor)
        self.ready: asyncio.Future[None] = loop.create_future()
        self.ready.add_done_callback(_retrieve_exception)
        self.client: Client
        self._redactor = redactor
        self._server = server
        self._values = values
        self._auth = auth
        self._on_change = on_change
        self._ended = asyncio.Event()
        self._listed: Listing | None = None
        self._fresh_until = inf
        self._receives_changes = False
        self._changes = 0
        self._waiting: list[_Waiting] = []
        self._log = logging.getLogger(f"toolkit.mcp.{server.name}")
        self.task = loop.create_task(self._run())
        self._alarm = loop.call_later(server.start_timeout, self._give_up)

    @property
    def has_ended(self) -> bool:
        """Whether the session has ended."""
        return self._ended.is_set() or self.task.done()

    def end(self) -> None:
        """End the session."""
        self._ended.set()
        if not self.ready.done():
            self.task.cancel()

    async def listing(self) -> Listing:
        """Return the server's tools, cached until they change or until the time limit that the server has set."""
        if self._listed is not None and asyncio.get_running_loop().time() < self._fresh_until:
            return self._listed
        changes, cursor, pages = self._changes, None, 0
        found: list[Tool] = []
        unreadable: list[Unreadable] = []
        for _ in range(_MOST_PAGES):
            page = await self.client.list_tools(cursor=cursor)
            pages += 1
            found += tools_in(page)
            unreadable += unreadable_in(page)
            cursor = page.next_cursor
            if cursor is None:
                break
            if len(found) > _MOST_TOOLS:
                raise ValueError(f"it lists more than {_MOST_TOOLS} tools")
        else:
            raise ValueError(f"its list of tools does not end after {_MOST_PAGES} pages")
        if self._redactor:
            found = [
                Tool.model_validate(self._redactor.data(tool.model_dump(mode="json", by_alias=True))) for tool in found
            ]
        listing = Listing(found, [Unreadable(*map(self._redactor.text, one)) for one in unreadable], pages)
        if changes == self._changes:
            self._listed = listing
            self._fresh_until = self._end_of(page.ttl_ms)
        return listing

    def _end_of(self, milliseconds: float | None) -> float:
        """Return when the cached list expires: never if the server reports changes, or cannot set a time limit."""
        if self._receives_changes or self.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return inf
        return asyncio.get_running_loop().time() + (milliseconds or 0) / 1000

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller, meta: dict[str, Any] | None, seconds: float
    ) -> CallToolResult:
        """Call a tool; see `Connection.call`."""
        async with self._answering(seconds) as clock:
            waiting = _Waiting(caller, clock)
            self._waiting.append(waiting)
            _CALLER.set(waiting)  # the server's questions between the rounds of a call arrive in child tasks
            try:
                return await self.client.call_tool(
                    tool,
                    dict(arguments),
                    progress_callback=caller.progress,
                    meta=meta or None,  # type: ignore[arg-type]  # any keys are allowed
                )
            finally:
                self._waiting.remove(waiting)

    async def ask(self, request: Callable[[Client], Awaitable[T]]) -> T:
        """Send a request that is not a call; see `Connection.ask`."""
        async with self._answering(self._server.timeout):
            return await request(self.client)

    @asynccontextmanager
    async def _answering(self, seconds: float) -> AsyncIterator[asyncio.Timeout]:
        """Limit how long the server takes for an answer, and explain an answer that violates the protocol."""
        name = self._server.name
        try:
            async with asyncio.timeout(seconds) as clock:
                yield clock
        except TimeoutError as error:
            message = f"MCP server '{name}' has not answered within {format_duration(seconds)}; the call was cancelled"
            raise ToolExecutionError(message, "timeout") from error
        except MCPError:
            raise
        except (RuntimeError, ValueError) as error:
            message = f"MCP server '{name}' violated the protocol: {words_of(error)}"
            raise ToolExecutionError(message, "invalid_result") from error

    async def _run(self) -> None:
        """Run the session until it ends."""
        try:
            await self._run_session(mode="legacy" if self._server.protocol == "handshake" else "auto")
        except Exception as error:  # noqa: BLE001 - a server may fail in any way
            if self.ready.done() or not self._may_be_old(error):
                self._fail(error)
                return
            # Some old servers exit when they receive an unknown request before the handshake.
            self._ended.clear()
            try:
                await self._run_session(mode="legacy")
            except Exception as again:  # noqa: BLE001 - as above
                self._fail(again)
        finally:
            self._alarm.cancel()
            self._ended.set()
            self._fail(ConnectionAbortedError("the session was closed"))

    def _may_be_old(self, error: Exception) -> bool:
        leaf = leaf_of(error)
        if self._server.protocol != "auto":
            return False
        return isinstance(self._server, StdioServer) and isinstance(leaf, MCPError) and leaf.code == CONNECTION_CLOSED

    async def _run_session(self, mode: str) -> None:
        client = Client(
            self._streams(),
            mode=mode,
            cache=None,
            client_info=Implementation(name="toolkit", version=__version__),
            elicitation_callback=self._on_question,
            logging_callback=self._log_message,
            message_handler=self._on_notification,
        )
        async with client:
            self._check_era(client.protocol_version)
            self.client = client
            listening = asyncio.get_running_loop().create_task(self._listen())
            try:
                if not self.ready.done():
                    self.ready.set_result(None)
                self._alarm.cancel()
                await self._ended.wait()
            finally:
                listening.cancel()
                await asyncio.wait([listening])

    def _check_era(self, version: str) -> None:
        if self._server.protocol == "stateless" and version not in MODERN_PROTOCOL_VERSIONS:
            raise WrongEra(f"it speaks {version}, but its settings require the stateless protocol")

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        """Open the streams of the server; invalid tools are taken out of lists, so that the SDK accepts the rest."""
        async with open_transport(self._server, self._values, self.server_log, self._auth) as (received, sent):
            yield WatchedStream(received, through=self._filter, on_end=self._ended.set), sent

    def _filter(self, item: Any) -> Any:
        message = getattr(item, "message", None)
        if not isinstance(message, JSONRPCResponse) or not self.ready.done():
            return item
        return replace(item, message=without_invalid_tools(message, self.client.protocol_version))

    async def _listen(self) -> None:
        """Subscribe to changes of what the server lists, if its protocol has such a subscription."""
        if self.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        able = self.client.server_capabilities
        changing = [one is not None and bool(one.list_changed) for one in (able.tools, able.prompts, able.resources)]
        if not any(changing):
            return
        tools, prompts, resources = changing
        with suppress(Exception):  # without reports of changes, the list is read once per session
            async with self.client.listen(
                tools_list_changed=tools, prompts_list_changed=prompts, resources_list_changed=resources
            ) as changes:
                self._receives_changes = tools
                for kind in (ToolsListChanged, ResourcesListChanged, PromptsListChanged):
                    self._note_change(kind())  # earlier changes were not reported
                async for change in changes:
                    self._note_change(change)
        self._receives_changes = False
        self._forget_tools()

    async def _on_question(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        """Pass a question to the call that it belongs to, or to the latest call if that is not known."""
        waiting = _CALLER.get() or (self._waiting[-1] if self._waiting else None)
        if waiting is None:
            return ElicitResult(action="decline")
        with waiting:
            return await waiting.caller.elicit(params)

    async def _on_notification(self, message: object) -> None:
        self._note_change(message)
        if isinstance(message, Exception):
            self._log.warning("the server sent something that is not a message: %s", type(message).__name__)

    def _note_change(self, message: object) -> None:
        listed = _CHANGES.get(type(message))
        if listed == "tools":
            self._forget_tools()
        if listed is not None:
            self._on_change(listed)

    async def _log_message(self, params: LoggingMessageNotificationParams) -> None:
        self._log.info("%s: %s", params.level, params.data)

    def _forget_tools(self) -> None:
        self._changes += 1
        self._listed = None

    def _give_up(self) -> None:
        if not self.ready.done():
            seconds = format_duration(self._server.start_timeout)
            self.ready.set_exception(TimeoutError(f"has not answered within {seconds}"))
            self.task.cancel()

    def _fail(self, error: BaseException) -> None:
        if not self.ready.done():
            self.ready.set_exception(leaf_of(error))
        else:
            self._log.info("the session has ended: %s", words_of(error))


class _Waiting:
    """A call in progress: its caller, and its timeout, which is paused while a question is open."""

    def __init__(self, caller: Caller, clock: asyncio.Timeout) -> None:
        self.caller = caller
        self._clock = clock
        self._left: float | None = None
        self._questions = 0

    def __enter__(self) -> None:
        self._questions += 1
        end = self._clock.when()
        if self._questions == 1 and end is not None:
            self._left = end - asyncio.get_running_loop().time()
            self._clock.reschedule(None)

    def __exit__(self, *_: object) -> None:
        self._questions -= 1
        if self._questions == 0 and self._left is not None:
            with suppress(RuntimeError):  # the call has ended meanwhile
                self._clock.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None


def _retrieve_exception(future: "asyncio.Future[None]") -> None:
    if not future.cancelled():
        future.exception()  # marks it as retrieved, even if nothing awaits the future
