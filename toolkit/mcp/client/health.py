"""Health: which servers answer, what they speak, and which tools they list."""

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
    """How it stands with a server.

    Attributes:
        server: The server.
        health: Its description of itself; None if it does not answer.
        tools: The names of its tools on the wire.
        unreadable: Its tools that break the protocol, which are left out.
        complaint: Why it does not answer; None where it does.
    """

    server: McpServer
    health: Health | None = None
    tools: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    complaint: str | None = None


def standings_of(servers: Iterable[McpServer], values: Mapping[str, Any]) -> list[ServerHealth]:
    """Return how it stands with servers, all of which are contacted at once; one that is dead holds up no other.

    Args:
        servers: The servers; the caller has the user's consent.
        values: The values of the caller's context.
    """

    async def all_of_them() -> list[ServerHealth]:
        return await asyncio.gather(*(_standing_of(server, values) for server in servers))

    return wait_for(all_of_them())


def ping(server: McpServer, values: Mapping[str, Any]) -> tuple[Health, float]:
    """Return a server's description of itself, and the seconds that it takes to answer once it has been reached.

    Raises:
        ServerUnreachable: If it does not answer.
        ConfigurationError: If something that its settings name is not set.
    """

    async def there_and_back() -> tuple[Health, float]:
        connection = connection_to(server, values)
        health = await connection.health()
        begun = perf_counter()
        await connection.ping()
        return health, perf_counter() - begun

    return wait_for(there_and_back())


async def _standing_of(server: McpServer, values: Mapping[str, Any]) -> ServerHealth:
    try:
        connection = connection_to(server, values)
        health = await connection.health()
        listing = await connection.listing()
    except (ServerUnreachable, ConfigurationError) as error:
        return ServerHealth(server, complaint=str(error))
    return ServerHealth(server, health, tuple(tool.name for tool in listing.tools), tuple(listing.unreadable))
