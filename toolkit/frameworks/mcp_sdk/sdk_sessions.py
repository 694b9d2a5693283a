"""Connects to a server of the MCP SDK in this process, with the SDK's own client, version 1 or 2."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.wire_tools import Call, Caller


@asynccontextmanager
async def conversation(server: Any, caller: Caller) -> AsyncIterator[Call]:
    """Connect to a server.

    Args:
        server: A `FastMCP`, an `MCPServer` or a low-level `Server`.
        caller: Receives the progress of calls, and answers the server's questions.
    """

    async def answer(_context: Any, params: Any) -> Any:
        given = await caller.elicit(params)
        kind = import_module(type(params).__module__).ElicitResult
        return kind(action=given.action, content=None if given.content is None else dict(given.content))

    asked = {"elicitation_callback": answer} if caller.can_ask else {}
    async with _client_of(server, **asked) as client:
        yield partial(client.call_tool, progress_callback=caller.progress)


async def listed(server: Any) -> list[Any]:
    """Return the tools that a server lists, without running its lifespan."""
    bare = copy(server)
    bare.lifespan = _nothing
    tools: list[Any] = []
    async with _client_of(bare) as client:
        page = await client.list_tools()
        tools += page.tools
        while cursor := getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
    return tools


def _client_of(server: Any, **options: Any) -> AbstractAsyncContextManager[Any]:
    sdk = import_module("mcp")
    if hasattr(sdk, "Client"):
        # Only on a connection that begins with a handshake can a server ask during a call.
        client: AbstractAsyncContextManager[Any] = sdk.Client(server, mode="legacy", **options)
        return client
    memory = import_module("mcp.shared.memory")
    session: AbstractAsyncContextManager[Any] = memory.create_connected_server_and_client_session(server, **options)
    return session


@asynccontextmanager
async def _nothing(_server: Any) -> AsyncIterator[dict[str, Any]]:
    yield {}
