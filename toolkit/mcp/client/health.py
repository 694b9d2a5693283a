"""Check which servers answer, which protocol version they speak and which tools they list."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.mcp.client.connections import Health, ServerUnreachable
from toolkit.mcp.client.listings import Unreadable
from toolkit.mcp.client.sessions import connection_to, wait_for
from toolkit.mcp.settings.servers import McpServer


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """The result of a health check of a server.

    Attributes:
        server: The server.
        health: What it reports about itself, or `None` if it does not answer.
        tools: The server's names for its tools.
        unreadable: Tools that were left out because they violate the protocol.
        error: Why the server does not answer, or `None` if it does.
    """

    server: McpServer
    health: Health | None = None
    tools: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    error: str | None = None


def check_servers(servers: Iterable[McpServer], values: Mapping[str, Any]) -> list[ServerHealth]:
    """Check the health of servers in parallel.

    Args:
        servers: The servers, for which the caller has the user's consent.
        values: The values of the caller's context.
    """

    async def all_of_them() -> list[ServerHealth]:
        return await asyncio.gather(*(_check_server(server, values) for server in servers))

    return wait_for(all_of_them())


def ping(server: McpServer, values: Mapping[str, Any]) -> tuple[Health, float]:
    """Return what a server reports about itself, and the round-trip time of a ping in seconds.

    Raises:
        ServerUnreachable: If it does not answer.
        ConfigurationError: If a variable or context value that its settings refer to is not set.
    """

    async def there_and_back() -> tuple[Health, float]:
        connection = connection_to(server, values)
        health = await connection.health()
        begun = perf_counter()
        await connection.ping()
        return health, perf_counter() - begun

    return wait_for(there_and_back())


async def _check_server(server: McpServer, values: Mapping[str, Any]) -> ServerHealth:
    try:
        connection = connection_to(server, values)
        health = await connection.health()
        listing = await connection.listing()
    except (ServerUnreachable, ConfigurationError) as error:
        return ServerHealth(server, error=str(error))
    return ServerHealth(server, health, tuple(tool.name for tool in listing.tools), tuple(listing.unreadable))
