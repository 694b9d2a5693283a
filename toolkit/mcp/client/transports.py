"""Transports: how a server is reached, as a command or over HTTP; nothing that it writes gets to the terminal."""

import logging
import os
import ssl
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from toolkit.mcp.client.http_refusals import ExplainingClient
from toolkit.mcp.client.processes import run_server
from toolkit.mcp.settings.servers import HttpServer, McpServer, StdioServer, expand, texts_of, variables_in
from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_names import names_secret_variable

LARGEST_ANSWER = 32 * 1024 * 1024
"""Bytes that one answer over HTTP may have."""

_LINES_KEPT = 20

# What the SDK logs is for who configures logging; nobody else is shown what a server has sent.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())

Values = tuple[tuple[str, str], ...]
"""The variables of a server's environment, or the headers that it is sent, with what they hold."""


def values_for(server: McpServer, context: Mapping[str, Any]) -> Values:
    """Return the environment or headers for a server: they identify the caller to the server.

    Raises:
        ConfigurationError: If something that they name is not set.
    """
    texts = server.env if isinstance(server, StdioServer) else server.headers
    user = f"MCP server '{server.name}'"
    return tuple((name, expand(text, f"{user}: '{name}'", context)) for name, text in sorted(texts.items()))


def redactor_of(server: McpServer, values: Values) -> Redactor:
    """Return a redactor that knows the secrets that a server is sent: whatever comes back is searched for them.

    Args:
        server: The server; what its settings take from the environment under a name that sounds like a secret is one.
        values: What its environment or headers hold; so is what has such a name there.
    """
    redactor = Redactor(by_format=False)
    secrets = [text for name, text in values if names_secret_variable(name)]
    taken = [
        os.environ.get(name, "")
        for name in variables_in(dict(enumerate(texts_of(server))))
        if names_secret_variable(name)
    ]
    for text in secrets + taken:
        redactor.learn(text, *text.split())
    return redactor


class ServerLog:
    """What a server writes to its standard error: logged line by line, and the last lines kept for bad news."""

    def __init__(self, name: str, redactor: Redactor) -> None:
        """Keep nothing yet, and never a secret."""
        self._redactor = redactor
        self._log = logging.getLogger(f"toolkit.mcp.{name}")
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)

    @property
    def last(self) -> str:
        """The last line with content, if there was one."""
        return next((line for line in reversed(self._lines) if line.strip()), "")

    def note(self, line: str) -> None:
        text = self._redactor.text(line)
        self._lines.append(text)
        self._log.info("%s", text)


Streams = tuple[Any, Any]


def open_transport(server: McpServer, values: Values, stderr_log: ServerLog) -> AbstractAsyncContextManager[Streams]:
    """Return what opens the streams of a server when it is entered, and closes everything when it is left.

    Args:
        server: The server.
        values: What its environment or its headers hold.
        stderr_log: Takes what it writes to its standard error.
    """
    if isinstance(server, HttpServer):
        return _over_http(server, values)
    return _as_command(server, values, stderr_log)


@asynccontextmanager
async def _as_command(server: StdioServer, values: Values, stderr_log: ServerLog) -> AsyncIterator[Streams]:
    user = f"MCP server '{server.name}'"
    command = [expand(text, user) for text in (server.command, *server.args)]
    async with run_server(command, variables=dict(values), folder=server.cwd, note=stderr_log.note) as streams:
        yield streams


@asynccontextmanager
async def _over_http(server: HttpServer, values: Values) -> AsyncIterator[Streams]:
    times = httpx2.Timeout(server.start_timeout, read=None)
    hooks = {"response": [_bound]}
    async with (
        ExplainingClient(headers=dict(values), timeout=times, event_hooks=hooks, verify=_certificates()) as client,
        streamable_http_client(expand(server.url, f"MCP server '{server.name}'"), http_client=client) as (read, write),
    ):
        yield read, write


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates: reading them takes longer than all else of a session."""
    return httpx2.create_ssl_context()


async def _bound(response: httpx2.Response) -> None:
    """End an answer that is not a stream of events when it becomes too large."""
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _BoundedStream(response.stream, response.request)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any, request: httpx2.Request) -> None:
        self._inner = inner
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise httpx2.ReadError(f"the answer has more than {LARGEST_ANSWER} bytes", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
