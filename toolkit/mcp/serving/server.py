"""The MCP server, for clients of both eras of the protocol and independent of the transport."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ResourcesListChanged, ServerEvent, ToolsListChanged

from toolkit.disclosure.denials import denial_of
from toolkit.errors import ToolArgumentsError
from toolkit.mcp.serving.answers import LONGEST, Answering
from toolkit.mcp.serving.calls import Call, PendingApprovals, Rules
from toolkit.mcp.serving.catalogs import Catalog, check_required_text, page_of
from toolkit.mcp.serving.client_sessions import Listed, Sessions
from toolkit.mcp.serving.token_scopes import Scopes, rules_for, token_of
from toolkit.mcp.serving.worker_pool import WorkerPool
from toolkit.mcp.settings.server_settings import McpServer
from toolkit.problems import did_you_mean
from toolkit.redactors.redactor import Redactor, redactor_of_environment
from toolkit.releases import __version__
from toolkit.telemetry.propagation import has_tracer_provider
from toolkit.tools.base import Tool
from toolkit.wrappers.timing import TimedTool

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")

if TYPE_CHECKING:
    from toolkit.mcp.serving.served_skills import ServedSkills

_log = logging.getLogger("toolkit.mcp")

_CHANGES: Mapping[Listed, Callable[[], ServerEvent]] = {
    "tools": ToolsListChanged,
    "resources": ResourcesListChanged,
    "prompts": PromptsListChanged,
}

_OF_PROTOCOL = ("io.modelcontextprotocol/", "progressToken")
"""What the keys of `_meta` start with that say nothing about spans."""

_MOST_AT_ONCE = 256
_SOON = 5.0
_MOST_TIMED = 1_000
"""Maximum number of cached tools with a time limit; caching them keeps what a tool computes once for all its calls."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a server.

    Attributes:
        name: The name of the server.
        instructions: Instructions for models, which clients receive.
        rules: The rules for all calls.
        longest: Maximum length of a result, in characters.
        redactor: Masks secrets in every answer; by default, it knows the secrets in the environment.
        skills: The folders of the skills that clients can read.
        scopes: The tools that the scopes of access tokens allow.
        servers: The MCP servers behind this one, whose resources and prompts are passed on as their settings allow.
    """

    name: str = "toolkit"
    instructions: str | None = None
    rules: Rules = field(default_factory=Rules)
    longest: int = LONGEST
    redactor: Redactor = field(default_factory=redactor_of_environment)
    skills: Sequence[Path] = ()
    scopes: Scopes = field(default_factory=Scopes)
    servers: Sequence[McpServer] = ()


class ToolServer:
    """Serves tools to any number of clients, in one event loop."""

    def __init__(self, tools: Mapping[str, Tool], options: Options | None = None) -> None:
        """Create a server in the event loop that will serve the clients.

        Args:
            tools: The tools by name, in the order in which clients see them.
            options: The options of the server.
        """
        self.options = options or Options()
        self.catalog = Catalog(tools, self.options.redactor)
        self.sessions = Sessions()
        self._answering = Answering(self.options.redactor, self.options.longest)
        self._timed = lru_cache(maxsize=_MOST_TIMED)(partial(TimedTool, seconds=self.options.rules.limit))
        self._pool = WorkerPool()
        self._pending = PendingApprovals(self.options.rules.approval_timeout)
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus)
        self._slots = asyncio.Semaphore(_MOST_AT_ONCE)
        self._running: dict[Call, None] = {}
        self.cut_off: list[str] = []
        """The names of tools whose calls the end of the server has cancelled, and that may have changed something."""
        self._skills: ServedSkills | None = None
        self.protocol = self._protocol()

    async def replace(self, tools: Mapping[str, Tool], skills: Sequence[Path] = ()) -> None:
        """Replace the served tools and skills, and notify all clients that the lists have changed.

        Args:
            tools: The tools by name.
            skills: The folders of the skills; a server that started without any serves none.

        Raises:
            ConfigurationError: If a file of a skill cannot be served; nothing is replaced.
        """
        if self._skills is not None and self._skills.replace(skills):
            await self._bus.publish(ResourcesListChanged())
        self.catalog.replace(tools)
        self._timed.cache_clear()
        await self.notify("tools")

    async def notify(self, listed: Listed) -> None:
        """Notify all clients that a list has changed."""
        await self.sessions.notify_all(listed)
        await self._bus.publish(_CHANGES[listed]())

    def close(self) -> None:
        """Cancel all calls, and end all subscriptions to changes."""
        running = (call for call in self._running if not call.waits_for_person)
        self.cut_off += [call.tool.name for call in running if not call.tool.spec.read_only]
        self._running.clear()
        self._listening.close()
        self._pending.close()
        self._pool.close()

    def _protocol(self) -> Server[Any]:
        protocol = _Protocol(
            self.options.name,
            version=__version__,
            instructions=self.options.instructions,
            get_tool_input_schema=self._input_schema,
            on_list_tools=_guard(self._list),
            on_call_tool=_guard(self._call),
            on_subscriptions_listen=self._listening,
        )
        protocol.passes_resources_on = any(server.resources for server in self.options.servers)
        protocol.add_notification_handler("notifications/initialized", types.NotificationParams, self._greet)
        if self.options.skills or self.options.servers:
            from toolkit.mcp.serving.served_resources import Reading, ServedResources  # few servers have resources

            self._skills = self._served_skills(protocol)
            reading = Reading(self._rules, self.sessions.key_of, self.options.redactor)
            ServedResources(self.options.servers, self._skills, reading).add_to(protocol)
        protocol.middleware[:] = [_WhereTraced(each) for each in protocol.middleware]
        security = RequestStateSecurity.ephemeral(ttl=self.options.rules.approval_timeout)
        protocol.middleware.append(RequestStateBoundary(security, default_audience=self.options.name))
        return protocol

    def _served_skills(self, protocol: Server[Any]) -> "ServedSkills | None":
        if not self.options.skills:
            return None
        from toolkit.mcp.serving.served_skills import ServedSkills  # few servers have skills

        skills = ServedSkills(self.options.skills, self.options.redactor)
        skills.add_to(protocol)
        return skills

    async def _greet(self, request: Context, params: types.NotificationParams) -> None:
        self.sessions.key_of(request)

    async def _list(self, request: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        page = page_of(self._listed(request), None if params is None else params.cursor)
        version = request.protocol_version
        definitions = [self.catalog.definition(tool).in_era(version) for tool in page.tools]
        return types.ListToolsResult(tools=definitions, next_cursor=page.next_cursor)

    def _listed(self, request: Context) -> dict[str, Tool]:
        """Return the tools that a request is told about: not those that are denied whatever their arguments."""
        policy = self._rules(request).policy
        offered = self.catalog.offered(self.sessions.key_of(request))
        return {name: tool for name, tool in offered.items() if policy is None or denial_of(tool, policy) is None}

    def _rules(self, request: Context) -> Rules:
        token = token_of(request.request)
        return rules_for(token, self.options.rules, self.options.scopes, self.catalog.known)

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of a tool with whose arguments headers have to be compared, or `None`."""
        tool = self.catalog.offered(None).get(name)
        definition = None if tool is None else self.catalog.definition(tool)
        return definition.input_schema if definition is not None and definition.names_headers else None

    async def _call(
        self, request: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        session = self.sessions.key_of(request)
        arguments = params.arguments or {}
        if params.request_state is not None and session is None:
            call = self._pending.take(params.request_state, params.name, arguments)
            call.follow(request)
            call.answer(params.input_responses or {})
            return await self._end(call, request, session, params.name)
        tool = self.catalog.offered(session).get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {_unknown(params.name, self._listed(request))}")
        try:
            check_required_text(tool, arguments)
        except ToolArgumentsError as error:
            return self._answering.failure(str(error), error.code)
        redactor = Redactor(outer=self.options.redactor)
        call = Call(self._timed(tool), arguments, self._rules(request), self._pool, redactor)
        async with self._slots:
            call.begin(request, session)
            return await self._end(call, request, session, params.name)

    async def _end(
        self, call: Call, request: Context, session: str | None, name: str
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Wait for the result of a call, or return its open questions."""
        self._running[call] = None
        try:
            result = await call.result()
        except asyncio.CancelledError:  # by its client or, if the server ends soon, by that
            asyncio.get_running_loop().call_later(_SOON, self._running.pop, call, None)
            raise
        self._running.pop(call, None)
        if result is None:
            if self._pending.is_full:
                call.cancel()
                return self._answering.failure("too many questions are open already; try again later", "rejected")
            return self._pending.park(call)
        if session is None:
            result = self.catalog.listing(name, result)
        elif (unfolded := self.catalog.unfold(session, name, result)) is not None:
            result = unfolded
            await request.session.send_notification(types.ToolListChangedNotification(), request.request_id)
        answering = self._answering._replace(redactor=call.redactor)
        return answering.answer(result, self.catalog.definition(call.tool), request.protocol_version)


class _Protocol(Server[Any]):
    """The SDK's server, which declares that its lists can change, except for that of the files of skills."""

    passes_resources_on = False

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(
            tools_changed=True, prompts_changed=True, resources_changed=self.passes_resources_on
        )
        return super().create_initialization_options(options, experimental_capabilities, extensions)


class _WhereTraced(ServerMiddleware[Any]):
    """Leaves out the SDK's own middleware, which makes a span of each request, where nothing would record the span.

    It also passes on the span of the client, so that a request with one keeps it.
    """

    def __init__(self, middleware: ServerMiddleware[Any]) -> None:
        self._middleware = middleware

    async def __call__(self, request: Context, call_next: CallNext) -> HandlerResult:
        meta: Mapping[str, Any] = (request.params or {}).get("_meta") or {}
        if not has_tracer_provider() and all(key.startswith(_OF_PROTOCOL) for key in meta):
            return await call_next(request)
        return await self._middleware(request, call_next)


def _guard(handler: Callable[[Context, Any], Awaitable[T]]) -> Callable[[Context, Any], Awaitable[T]]:
    """Wrap a handler, so that clients receive no details of unexpected exceptions."""

    async def guarded(request: Context, params: Any) -> T:
        try:
            return await handler(request, params)
        except MCPError:
            raise
        except Exception as error:
            _log.exception("a request failed: %s", type(error).__name__)
            raise MCPError(types.INTERNAL_ERROR, "Internal server error") from error

    return guarded


def _unknown(name: str, offered: Mapping[str, Tool]) -> str:
    shown = ascii(name[:100])
    return f"{shown}; {hint}" if (hint := did_you_mean(name[:100], offered)) else shown
