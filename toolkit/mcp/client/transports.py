"""Connect to a server that is a command or an HTTP URL; its output never reaches the terminal."""

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

from toolkit.mcp.client.failure_reasons import ExplainingClient
from toolkit.mcp.client.processes import run_server
from toolkit.mcp.settings.server_settings import HttpServer, McpServer, StdioServer, expand, texts_of, variables_in
from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_names import names_secret_variable

LARGEST_ANSWER = 32 * 1024 * 1024
"""Maximum size of an HTTP response in bytes."""

_LINES_KEPT = 20

# Without a handler, logging would print the SDK's warnings, which may contain what a server has sent.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())

Values = tuple[tuple[str, str], ...]
"""Names and values of a server's environment variables, or of the HTTP headers sent to it."""


def values_for(server: McpServer, context: Mapping[str, Any]) -> Values:
    """Return the environment variables or headers for a server, which identify the caller.

    Raises:
        ConfigurationError: If a variable or context value that they refer to is not set.
    """
    texts = server.env if isinstance(server, StdioServer) else _each_once(server.headers)
    user = f"MCP server '{server.name}'"
    return tuple((name, expand(text, f"{user}: '{name}'", context)) for name, text in sorted(texts.items()))


def _each_once(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers without those that have the name of a later one; names that differ only in case are the same."""
    return dict({name.lower(): (name, text) for name, text in headers.items()}.values())


def redactor_of(server: McpServer, values: Values) -> Redactor:
    """Return a redactor for the server's answers, which knows the secrets that the server receives.

    Args:
        server: The server. Environment variables in its settings whose names suggest secrets count as secrets.
        values: Its environment variables or headers. Those whose names suggest secrets count, too.
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
    """Logs the lines of a server's standard error, and keeps the last ones for error messages."""

    def __init__(self, name: str, redactor: Redactor) -> None:
        self._redactor = redactor
        self._log = logging.getLogger(f"toolkit.mcp.{name}")
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)

    @property
    def last(self) -> str:
        """The last line that is not blank, or an empty string."""
        return next((line for line in reversed(self._lines) if line.strip()), "")

    def note(self, line: str) -> None:
        text = self._redactor.text(line)
        self._lines.append(text)
        self._log.info("%s", text)


Streams = tuple[Any, Any]


def open_transport(server: McpServer, values: Values, stderr_log: ServerLog) -> AbstractAsyncContextManager[Streams]:
    """Return a context manager that opens the streams of a server, and closes them on exit.

    Args:
        server: The server.
        values: Its environment variables or headers.
        stderr_log: Receives its standard error.
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
    """Return an SSL context, which is cached: loading the certificates takes longer than the rest of a session."""
    return httpx2.create_ssl_context()


async def _bound(response: httpx2.Response) -> None:
    """Limit the size of a response that is not an event stream."""
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
