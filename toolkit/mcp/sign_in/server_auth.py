"""Authorizes the requests to a server with the tokens that are kept for it, and renews them; asks nobody."""

from collections.abc import AsyncGenerator
from functools import partial

import httpx2

from toolkit.mcp.settings.server_settings import HttpServer
from toolkit.mcp.sign_in.providers import Challenge, SignInError, renew, secret_of, url_of
from toolkit.mcp.sign_in.token_files import Grant, TokenStore
from toolkit.running import in_thread


class ServerAuth(httpx2.Auth):
    """Sends the access token with each request to one server.

    If the server does not accept it, the store is read again: another process may have renewed the token, or a person
    has signed in meanwhile. Otherwise it is renewed, by one process at a time.

    Attributes:
        challenge: Why the server has refused a request since the last one whose token it accepted, if it has.
        refused: The token of that request; `None` if it had none.
        failure: Why no other token could be had for it; empty if nothing was tried.
    """

    def __init__(self, server: HttpServer) -> None:
        """Create the authorization without reading anything.

        Raises:
            ConfigurationError: If a variable with the credentials of this machine is not set.
        """
        secret_of(server)  # a variable that is not set is reported before the server is contacted
        self._server = server
        self._store = TokenStore(server, url_of(server))
        self._grant: Grant | None = None
        self._is_read = False
        self.challenge: Challenge | None = None
        self.refused: str | None = None
        self.failure = ""

    @property
    def sends_token(self) -> bool:
        """Whether there is a token to send."""
        return self._grant is not None and self._grant.token is not None

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send a request with the token, and again with another one if that is refused."""
        if not self._is_read or (self._grant is not None and self._grant.has_expired):
            await in_thread(self._renew)
        sent = _authorize(request, self._grant)
        challenge = Challenge.of((yield request))
        if challenge is not None:
            await in_thread(partial(self._renew, challenge, sent))
            if self._grant is not None and self._grant.token not in {None, sent}:
                sent = _authorize(request, self._grant)
                challenge = Challenge.of((yield request))
        if challenge is not None or sent is not None:
            self.challenge, self.refused = challenge, sent

    def _renew(self, challenge: Challenge | None = None, refused: str | None = None) -> None:
        """Read the store, and renew its token if it has expired or was refused."""
        self._is_read = True
        self.failure = ""
        if challenge is None and not self._store.file.exists():
            return
        try:
            with self._store.turn():
                grant = self._store.read()
                is_usable = grant is not None and grant.token not in {None, refused} and not grant.has_expired
                if not is_usable:
                    renew(self._server, self._store, challenge)
                self._grant = self._store.read()
        except (SignInError, OSError) as error:
            self.failure = str(error)


def _authorize(request: httpx2.Request, grant: Grant | None) -> str | None:
    token = None if grant is None else grant.token
    if token is not None:
        request.headers["Authorization"] = f"Bearer {token}"
    return token
