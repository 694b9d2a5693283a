"""Serve any number of clients over HTTP, at `/mcp` on a socket that is already listening."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolkit.mcp.serving.http_guard import LONGEST_BODY, PATH, SLOWEST_BODY, Guard, HttpAccess
from toolkit.mcp.serving.server import ToolServer
from toolkit.mcp.serving.sessions import MOST
from toolkit.mcp.serving.shutdown import EndingRequests

_IDLE = 1_800.0
_KEPT_ALIVE = 30
_MOST_CONNECTIONS = 1_000
_LAST_WORDS = 2


async def serve_http(
    server: ToolServer, listener: socket.socket, access: HttpAccess, ready: Callable[[], None]
) -> None:
    """Serve clients until this is cancelled.

    Args:
        server: The server.
        listener: The listening socket.
        access: Which requests are allowed.
        ready: Called when clients can connect.
    """
    application = server.protocol.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_BODY,
        session_idle_timeout=_IDLE,
        max_sessions=MOST,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*access.hosts], allowed_origins=[*access.origins], enable_dns_rebinding_protection=True
        ),
    )
    requests = EndingRequests(Guard(application, access))
    config = uvicorn.Config(
        requests,
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_KEPT_ALIVE,
        timeout_graceful_shutdown=_LAST_WORDS,
    )
    carrier = _Carrier(config, ready)
    serving = asyncio.create_task(carrier.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    finally:
        requests.close()
        server.close()
        carrier.should_exit = True
        with _silence(), contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS + 1):
                await serving


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress log messages of the HTTP server at shutdown: it logs cancelled requests as errors."""
    log = logging.getLogger("uvicorn.error")
    log.addFilter(_nothing)
    yield
    log.removeFilter(_nothing)  # not reached after a second signal, so that later cancellations are not logged


def _nothing(record: logging.LogRecord) -> bool:  # noqa: ARG001 - `logging` passes it
    return False


class _Carrier(uvicorn.Server):
    """The HTTP server, without signal handlers: the program handles signals itself."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Protocol(H11Protocol):
    """A connection, which is closed if it sends no complete request headers in time."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch = self.loop.call_later(SLOWEST_BODY, self._close_if_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)

    def _close_if_silent(self) -> None:
        scope: Any = self.scope  # None until a request has come
        if scope is None and not self.transport.is_closing():
            self.transport.close()
