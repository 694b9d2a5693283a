"""Remote calls: a call of a remote tool, from the loop that it waits in to the loop of the sessions and back."""

import asyncio
from collections.abc import Mapping
from typing import Any

from toolkit.mcp.client.sessions import connection_to, reach
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.callers import WaitingCaller
from toolkit.mcp.tools.contents import result_from, without_secrets
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult


async def call_remote(
    server: McpServer, tool: str, arguments: Mapping[str, Any], context: ToolContext, meta: dict[str, Any] | None
) -> ToolResult:
    """Call a tool of a server; a cancellation is passed on to the server.

    Args:
        server: The server.
        tool: The tool's name on the wire.
        arguments: The arguments.
        context: Who is asked and receives events meanwhile, and whose session it is.
        meta: What of the context crosses.

    Raises:
        ToolExecutionError: If the server cannot be reached, refuses, or takes too long.
        Signal: If the answer to one of the server's questions ended the run.
    """
    connection = connection_to(server, context.values)
    caller = WaitingCaller(server, context, connection.redactor)
    work = reach(connection.call(tool, arguments, caller, meta=meta, seconds=server.timeout))
    task = asyncio.ensure_future(work)
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
