"""Follows the MCP servers behind ours: passes their changes on, and serves the tools of one that comes back."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from toolkit.approvals.policies import server_of
from toolkit.errors import ConfigurationError
from toolkit.mcp.client.server_conversations import Listed
from toolkit.mcp.client.server_sessions import ServerUnreachable, connection_to, reach
from toolkit.mcp.serving.server import ToolServer
from toolkit.mcp.settings.server_settings import McpServer
from toolkit.tools.base import Tool
from toolkit.tools.definition.spec import ToolSpec
from toolkit_cli.serving.server_transports import Reopened

_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_SETTLING = 0.05
"""Seconds to wait for more changes, since servers often report several at once."""

Reopen = Callable[[], Reopened | None]
"""Opens the tools again; reports problems, and returns `None` if the last tools have to stay."""


class FollowedServers:
    """The MCP servers behind ours."""

    def __init__(self, servers: Sequence[McpServer], values: Mapping[str, object], reopen: Reopen) -> None:
        """Prepare to follow servers.

        Args:
            servers: The servers.
            values: The values of the context with which they are contacted.
            reopen: Opens the tools again.
        """
        self._servers = servers
        self._values = values
        self._reopen = reopen
        self._changes: asyncio.Queue[Listed] = asyncio.Queue()

    async def follow(self, server: ToolServer) -> None:
        """Keep a server up to date until this is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for one in self._servers:
                tasks.create_task(self._reach(one, is_lost=one.name not in _servers_of(server.catalog.tools)))
            while True:
                changed = {await self._changes.get()}
                await asyncio.sleep(_SETTLING)
                while not self._changes.empty():
                    changed.add(self._changes.get_nowait())
                await self._pass_on(changed, server)

    async def _pass_on(self, changed: set[Listed], server: ToolServer) -> None:
        for listed in changed - {"tools"}:
            await server.notify(listed)
        if "tools" not in changed:
            return
        opened = await asyncio.to_thread(self._reopen)
        if opened is not None:
            tools = opened.tools
            lost = {one.name for one in self._servers} - _servers_of(tools)
            before = server.catalog.tools
            kept = {name: tool for name, tool in before.items() if server_of(tool.spec.source) in lost}
            if _definitions({**tools, **kept}) != _definitions(before):
                await server.replace({**tools, **kept}, opened.skills)

    async def _reach(self, behind: McpServer, *, is_lost: bool) -> None:
        """Wait until a server can be reached, and listen to its changes from then on.

        Args:
            behind: The server.
            is_lost: Whether its tools have to be opened then.
        """
        loop = asyncio.get_running_loop()

        passed_on = {"tools": True, "resources": bool(behind.resources), "prompts": bool(behind.prompts)}

        def take(listed: Listed) -> None:
            if passed_on[listed]:
                loop.call_soon_threadsafe(self._changes.put_nowait, listed)

        pause = _PAUSE
        while True:
            try:
                connection = connection_to(behind, self._values)
                if take not in connection.watchers:
                    connection.watchers.append(take)
                await reach(connection.listing())
            except (ServerUnreachable, ConfigurationError):
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
                continue
            if is_lost:
                take("tools")
            return


def _definitions(tools: Mapping[str, Tool]) -> list[tuple[str, ToolSpec]]:
    return [(name, tool.spec) for name, tool in tools.items()]


def _servers_of(tools: Mapping[str, Tool]) -> set[str | None]:
    return {server_of(tool.spec.source) for tool in tools.values()}
