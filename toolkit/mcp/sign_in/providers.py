"""Gets tokens for a server: from a person who signs in, with a machine's credentials, or by renewing those that expire.

The protocol is the SDK's. The addresses that it leads to are named by servers, so they go through the guard of web
addresses: no unencrypted connection except on the loopback interface, and no private address unless the server itself
has one of that kind.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol, cast
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth, is_valid_client_metadata_url
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import LATEST_PROTOCOL_VERSION

from toolkit.address_guard import AddressGuard, RefusedHostError, UnknownHostError, kinds_of
from toolkit.amounts import format_duration
from toolkit.approvals.gates import Gate
from toolkit.approvals.reviewers import turn_of
from toolkit.approvals.rules import is_ci
from toolkit.errors import ToolExecutionError
from toolkit.fetching import Fetcher, FetchError, parse_url
from toolkit.mcp.settings.server_settings import HttpServer, expand
from toolkit.mcp.sign_in.redirects import Redirect, RedirectListener, listening
from toolkit.mcp.sign_in.token_files import Grant, TokenStore
from toolkit.redactors.redactor import RECEIVED

_CLIENT: Final = "toolkit"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PATIENCE: Final = 600.0
"""Seconds that a person has to sign in."""

_LONG_AGO: Final = 1.0
_UNAUTHORIZED, _FORBIDDEN, _FAILED = 401, 403, 500
_HEADER: Final = "WWW-Authenticate"
_SCOPE: Final = re.compile(r'(,\s*)?\bscope=("[^"]*"|[^\s,]+)')
_LONGEST: Final = 300


class SignInError(ToolExecutionError):
    """Raised if there are no tokens, as the predicate of a sentence about what was tried."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "access_denied")


class Challenge(NamedTuple):
    """Why a server refuses a request: the status and its `WWW-Authenticate`.

    Attributes:
        status: 401 without a valid token, 403 if the token lacks permissions.
        header: The header, empty if there is none.
    """

    status: int
    header: str = ""

    @classmethod
    def of(cls, response: httpx2.Response) -> "Challenge | None":
        """Return the challenge in a response, or `None` if it is something else."""
        lacks_scope = extract_field_from_www_auth(response, "error") == "insufficient_scope"
        if response.status_code == _UNAUTHORIZED or (response.status_code == _FORBIDDEN and lacks_scope):
            return cls(response.status_code, response.headers.get(_HEADER, ""))
        return None

    @classmethod
    def for_scopes(cls, scopes: tuple[str, ...]) -> "Challenge":
        """Return the challenge of a server that requires these permissions in addition."""
        return cls(_FORBIDDEN, f'Bearer error="insufficient_scope", scope="{" ".join(scopes)}"')

    @property
    def scope(self) -> str:
        """The permissions that the server requires, separated by spaces; empty if it names none."""
        return extract_scope_from_www_auth(self.response()) or ""

    @property
    def lacks_scope(self) -> bool:
        """Whether a token was accepted, but lacks permissions."""
        return self.status == _FORBIDDEN

    def response(self, scopes: tuple[str, ...] = ()) -> httpx2.Response:
        """Return the response, for the SDK; it requires `scopes` instead of its own, if there are any."""
        header = self.header
        if scopes and not self.lacks_scope:
            others = _SCOPE.sub("", header).strip() or "Bearer"
            header = f'{others}{"," if "=" in others else ""} scope="{" ".join(scopes)}"'
        return httpx2.Response(self.status, headers={_HEADER: header} if header else None)


class SignInRequest(NamedTuple):
    """What a person sees before they sign in.

    Attributes:
        server: The name of the server.
        url: The URL of the server.
        address: The page on which they sign in.
        arrived: Waits until the browser returns, and returns the address to which it was redirected.
    """

    server: str
    url: str
    address: str
    arrived: Callable[[], Awaitable[str]]

    @property
    def host(self) -> str:
        """The host of the page, and its port if it has one."""
        return urlsplit(self.address).netloc

    def asked(self, name: str) -> str:
        """Return a parameter of the page, such as `scope`; empty if it has none."""
        return parse_qs(urlsplit(self.address).query).get(name, [""])[0]


class Person(Protocol):
    """Somebody at a terminal: a reviewer that also has this method. One who can sign in only once at a time says so."""

    async def sign_in(self, request: SignInRequest) -> str | None:
        """Return the address to which the browser was redirected, or the code in it; `None` if they refuse."""


def person_of(gate: Gate | None) -> Person | None:
    """Return the reviewer of a gate if it can let somebody sign in, which needs a terminal; nobody in CI."""
    if gate is None or not gate.can_ask or not hasattr(gate.reviewer, "sign_in") or is_ci():
        return None
    return cast("Person", gate.reviewer)


async def sign_in(server: HttpServer, challenge: Challenge, refused: str | None, person: Person) -> None:
    """Let a person sign in to a server, and keep the tokens; calls at the same time lead to one sign-in.

    Args:
        server: The server, for which the caller has the user's consent.
        challenge: Why the server refuses requests.
        refused: The token that it has refused, if there was one.
        person: Opens the page and waits for the person.

    Raises:
        SignInError: If they do not sign in, or the server or its authorization server violates the protocol.
    """
    url = url_of(server)
    web, store = _Web(url), TokenStore(server, url)
    async with turn_of(person), AsyncExitStack() as stack:
        kept = store.read() or Grant()
        if kept.token not in {None, refused}:
            return  # somebody has signed in while this waited
        try:
            listener = await stack.enter_async_context(listening(server.auth.port or _port_of(kept.client)))
        except OSError as error:
            if server.auth.port:
                raise SignInError(f"port {server.auth.port} of 127.0.0.1 is not free") from error
            kept = replace(kept, client=None)  # it is registered for a port that is taken
            listener = await stack.enter_async_context(listening(0))
        storage = _Storage(store, kept, kept.tokens if challenge.lacks_scope else None, client=_own_client(server))
        visit = _Visit(server, url, web, listener, person)
        provider = OAuthClientProvider(
            url,
            _client_metadata(listener.address),
            storage,
            redirect_handler=visit.show,
            callback_handler=visit.answer,
            client_metadata_url=server.auth.client_id if is_valid_client_metadata_url(server.auth.client_id) else None,
        )
        storage.context = provider.context
        await _run_flow(provider, web, challenge.response(server.auth.scopes))


def renew(server: HttpServer, store: TokenStore, challenge: Challenge | None) -> None:
    """Get a new token without a person, if there is a way; blocks, in a loop of its own.

    A renewal cannot be cancelled halfway: the authorization server may already have replaced the last token.

    Args:
        server: The server.
        store: The store of the server's tokens, whose turn the caller has.
        challenge: Why the server refuses requests, if it was asked.

    Raises:
        SignInError: If the authorization server cannot be used.
    """
    kept = store.read() or Grant()
    url = url_of(server)
    if server.auth.grant == "client_credentials":
        if challenge is not None:
            storage = _Storage(store, kept, kept.tokens if challenge.lacks_scope else None)
            provider = _machine(server, url, storage)
            storage.context = provider.context
            asyncio.run(_run_flow(provider, _Web(url), challenge.response(server.auth.scopes)))
    elif kept.tokens is not None and kept.tokens.refresh_token and (challenge is None or not challenge.lacks_scope):
        storage = _Storage(store, kept, kept.tokens, expires=_LONG_AGO, client=_own_client(server))
        provider = OAuthClientProvider(url, _client_metadata("http://127.0.0.1"), storage)
        storage.context = provider.context
        asyncio.run(_run_flow(provider, _Web(url)))
        if provider.context.current_tokens is None:  # the refresh token is not valid any more
            store.write(replace(kept, tokens=None))


def url_of(server: HttpServer) -> str:
    """Return the URL of a server without references to variables.

    Raises:
        ConfigurationError: If a variable that it refers to is not set.
    """
    return expand(server.url, f"MCP server '{server.name}'")


async def _run_flow(provider: OAuthClientProvider, web: "_Web", challenge: httpx2.Response | None = None) -> None:
    """Run the SDK's flow until it would send the request of the server, with the new token.

    Args:
        provider: The SDK's flow.
        web: Sends its requests.
        challenge: The server's answer to its first request; without one, it only renews the token.
    """
    request = httpx2.Request("POST", provider.context.server_url)
    request.headers[MCP_PROTOCOL_VERSION_HEADER] = LATEST_PROTOCOL_VERSION
    flow = provider.async_auth_flow(request)
    try:
        outgoing = await anext(flow)
        while outgoing is not request or challenge is not None:
            if outgoing is request and challenge is not None:
                answer, challenge = challenge, None
            else:
                answer = await web.send(outgoing)
            outgoing = await flow.asend(answer)
    except SignInError:
        raise
    except OAuthFlowError as error:
        raise SignInError(_in_short(str(error))) from error
    except Exception as error:  # an authorization server may answer with anything, and keys may be no keys
        raise SignInError(_in_short(f"the sign-in failed: {error}")) from error
    finally:
        await flow.aclose()


def _in_short(text: str) -> str:
    line = " ".join(RECEIVED.text(text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


class _Visit:
    """One visit of a person to the page of an authorization server."""

    def __init__(self, server: HttpServer, url: str, web: "_Web", listener: RedirectListener, person: Person) -> None:
        self._server, self._url = server, url
        self._web = web
        self._listener = listener
        self._person = person
        self._address = ""

    async def show(self, address: str) -> None:
        await self._web.check(address)
        self._address = address

    async def answer(self) -> AuthorizationCodeResult:
        request = SignInRequest(self._server.name, self._url, self._address, self._listener.arrived)
        state = request.asked("state")
        try:
            async with asyncio.timeout(_PATIENCE):
                text = await self._person.sign_in(request)
        except TimeoutError as error:
            raise SignInError(f"nobody has signed in within {format_duration(_PATIENCE)}") from error
        if text is None:
            raise SignInError("you have not signed in")
        redirect = Redirect.parse(text, state)
        RECEIVED.learn(redirect.code)
        if redirect.error and redirect.state == state:
            raise SignInError(_in_short(f"{request.host} refuses: {redirect.description or redirect.error}"))
        return AuthorizationCodeResult(code=redirect.code, state=redirect.state, iss=redirect.iss or None)


class _Web:
    """Sends the requests of a sign-in, and follows no redirect with them."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        address = str(request.url)
        try:
            guard = await self._guard_for(address)
            fetched = await Fetcher(guard).fetch(request.method, address, request.headers, request.content)
        except FetchError as error:
            raise SignInError(f"{request.url.host} cannot be reached: {error}") from error
        if fetched.status >= _FAILED:
            raise SignInError(f"{request.url.host} answered with HTTP {fetched.status}")
        kind = fetched.headers.get("content-type", "")
        return httpx2.Response(fetched.status, headers={"content-type": kind}, content=fetched.body, request=request)

    async def check(self, address: str) -> None:
        """Check an address that is opened in a browser."""
        try:
            guard, parts = await self._guard_for(address), urlsplit(address)
            await guard.addresses_of(parts.hostname or "", parts.port or 0)
        except (FetchError, RefusedHostError, UnknownHostError) as error:
            raise SignInError(f"its sign-in page is refused: {error}") from error

    async def _guard_for(self, address: str) -> AddressGuard:
        for url in map(parse_url, (self._url, address)):
            if url.scheme != "https" and url.host not in _LOOPBACK:
                raise SignInError(f"http://{url.host} is not encrypted, and tokens are only sent to https://")
        return AddressGuard(kinds=await kinds_of(self._url))


class _Storage:
    """The store of one server as the SDK uses it, which also keeps when a token expires, and where it is renewed."""

    context: Any

    def __init__(
        self,
        store: TokenStore,
        kept: Grant,
        tokens: OAuthToken | None,
        *,
        expires: float | None = None,
        client: OAuthClientInformationFull | None = None,
    ) -> None:
        """Create the view.

        Args:
            store: The store.
            kept: What it has.
            tokens: The tokens to start from.
            expires: When they expire, in seconds since 1970; if it is not given, they are taken to be valid.
            client: The client of the settings, which is never stored, since it can have a secret.
        """
        self._store, self._kept = store, kept
        self._tokens, self._expires = tokens, expires
        self._client = client
        self._registered = kept.client

    async def get_tokens(self) -> OAuthToken | None:
        self.context.token_expiry_time = self._expires
        self.context.oauth_metadata = self._kept.metadata
        self.context.protected_resource_metadata = self._kept.resource
        self.context.auth_server_url = self._kept.issuer
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        expires = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._write(tokens, expires)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client or self._registered

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._registered = client_info
        self._write()

    def _write(self, tokens: OAuthToken | None = None, expires: float | None = None) -> None:
        grant = Grant(
            client=self._registered,
            tokens=tokens,
            expires=expires,
            issuer=self.context.auth_server_url,
            metadata=self.context.oauth_metadata,
            resource=self.context.protected_resource_metadata,
        )
        self._store.write(grant)


def _client_metadata(redirect: str) -> OAuthClientMetadata:
    return OAuthClientMetadata.model_validate({"redirect_uris": [redirect], "client_name": _CLIENT})


def _own_client(server: HttpServer) -> OAuthClientInformationFull | None:
    """Return the client in the server's settings, if they have one that no document describes."""
    auth = server.auth
    if not auth.client_id or is_valid_client_metadata_url(auth.client_id):
        return None
    values = {"client_id": auth.client_id, "client_secret": secret_of(server), "issuer": auth.issuer}
    method = {"token_endpoint_auth_method": "client_secret_basic"} if auth.client_secret else {}
    return OAuthClientInformationFull.model_validate(values | method)


def secret_of(server: HttpServer) -> str:
    """Return the client's secret, or the key of its assertions; empty if the settings have none.

    Raises:
        ConfigurationError: If the variable that has it is not set.
    """
    secret = expand(server.auth.client_secret or server.auth.private_key, f"MCP server '{server.name}': 'auth'")
    RECEIVED.learn(secret)
    return secret


def _machine(server: HttpServer, url: str, storage: _Storage) -> OAuthClientProvider:
    auth, secret = server.auth, secret_of(server)
    if auth.client_secret:
        return ClientCredentialsOAuthProvider(url, storage, auth.client_id, secret, issuer=auth.issuer)
    signer = SignedJWTParameters(
        issuer=auth.client_id, subject=auth.client_id, signing_key=secret, signing_algorithm=auth.algorithm
    )
    assertions = signer.create_assertion_provider()
    return PrivateKeyJWTOAuthProvider(url, storage, auth.client_id, assertions, issuer=auth.issuer)


def _port_of(client: OAuthClientInformationFull | None) -> int:
    """Return the port for which a client is registered, or 0."""
    addresses = client.redirect_uris if client is not None else None
    return (addresses[0].port or 0) if addresses else 0
