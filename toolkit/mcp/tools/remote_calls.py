"""Call a remote tool: from the event loop of the call to the loop of the sessions and back."""

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
