"""Where the browser returns to after a sign-in: a port of this machine, or an address that a person pastes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

HOST: Final = "127.0.0.1"
_PATH: Final = "/callback"
_MOST_SECONDS: Final = 10.0
_PAGE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>toolkit</title>"
    b"<p>This page can be closed. The terminal shows whether you are signed in."
)
_HEADERS: Final = (
    b"Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nConnection: close\r\n"
    b"Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\n"
)


class Redirect(NamedTuple):
    """What an authorization server answers through the browser; empty where it says nothing.

    Attributes:
        code: The code to exchange for tokens.
        state: The state of the request that it answers.
        iss: The issuer that answers.
        error: Why there is no code, such as `access_denied`.
        description: The same in a sentence.
    """

    code: str = ""
    state: str = ""
    iss: str = ""
    error: str = ""
    description: str = ""

    @classmethod
    def parse(cls, text: str, state: str) -> "Redirect":
        """Read the address to which the browser was redirected, or the code alone, as a person pastes it.

        Args:
            text: The address, with or without its host, or the code.
            state: The state of the request, which belongs to a code that a person has pasted alone.
        """
        found = parse_qs(urlsplit(text.strip()).query)
        if not found.keys() & {"code", "error"}:
            return cls(code=text.strip(), state=state)
        names = {"code": "code", "state": "state", "iss": "iss", "error": "error", "error_description": "description"}
        return cls(**{ours: found[name][0] for name, ours in names.items() if name in found})


class RedirectListener:
    """Receives the browser on a port of the loopback interface."""

    def __init__(self) -> None:
        """Create the listener in the event loop that runs it; see `listening`."""
        self.address = ""
        self._arrived: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def arrived(self) -> str:
        """Wait for the browser, and return the address to which it was redirected."""
        return await asyncio.shield(self._arrived)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; the first one for the right path is the redirect."""
        with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_MOST_SECONDS):
                line = await reader.readuntil(b"\r\n")
                method, target, *_ = line.decode("ascii").split(" ")
                is_redirect = method == "GET" and urlsplit(target).path == _PATH
                status = b"200 OK" if is_redirect else b"404 Not Found"
                writer.write(b"HTTP/1.1 " + status + b"\r\n" + _HEADERS + b"\r\n" + (_PAGE if is_redirect else b""))
                await writer.drain()
                if is_redirect and not self._arrived.done():
                    self._arrived.set_result(target)
        writer.close()


@asynccontextmanager
async def listening(port: int) -> AsyncIterator[RedirectListener]:
    """Listen for the browser until the block ends.

    Args:
        port: The port, or 0 for a free one.

    Raises:
        OSError: If the port is not free.
    """
    listener = RedirectListener()
    server = await asyncio.start_server(listener.answer, HOST, port)
    listener.address = f"http://{HOST}:{server.sockets[0].getsockname()[1]}{_PATH}"
    try:
        yield listener
    finally:
        server.close()
