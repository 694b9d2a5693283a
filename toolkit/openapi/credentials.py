"""Signs requests with the credentials that the settings have for the ways to sign in that a document declares.

    [tool.toolkit.openapi.shop.auth]
    api_key = "${SHOP_KEY}"                   # an API key, a bearer token, or "${USER}:${PASSWORD}" for basic
    machine = { client_id = "toolkit", client_secret = "${SHOP_SECRET}" }   # OAuth 2: the client credentials flow

Values come from environment variables and the keyring. They are only part of the request that is sent: no argument, no
specification, no event and no error contains them, and every redactor knows them.
"""

import json
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus, urlencode, urlsplit

from toolkit.errors import ConfigurationError, ToolExecutionError
from toolkit.fetching import (
    Fetched,
    Fetcher,
    FetchError,
    RefusedAddressError,
    is_header_value,
    is_settable_header,
    is_token,
    status_in_words,
)
from toolkit.mcp.settings.server_keys import LOOPBACK
from toolkit.openapi.operations import Operation, SecurityScheme
from toolkit.openapi.requests import Part, is_cookie_value
from toolkit.redactors.redactor import RECEIVED
from toolkit.variables import fill, variables_in

KIND: Final = "openapi"
"""The table of the settings of APIs, and what the names of their consents begin with."""

_EARLY: Final = 30.0
"""Seconds before a token expires at which another one is requested."""

_LIFETIME: Final = 300.0
"""Seconds that a token is used if the server does not say how long it is valid."""

_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """This machine as a client of an authorization server (OAuth 2, RFC 6749, section 4.4).

    Attributes:
        client_id: Its id.
        client_secret: Its secret, as a reference to a variable.
        scopes: The permissions to ask for; by default, those that the operation needs.
    """

    client_id: str
    client_secret: str = field(repr=False)
    scopes: tuple[str, ...] = ()


Secret = str | OAuthClient
"""What the settings have for a scheme: a key, a token or a password with references to variables, or a client."""


class _Way(NamedTuple):
    """One scheme, what the settings have for it, and the permissions that the operation needs."""

    scheme: SecurityScheme
    secret: Secret
    scopes: tuple[str, ...]


class _Token(NamedTuple):
    value: str
    expires: float


@dataclass(frozen=True)
class Credentials:
    """The credentials for the servers of one document.

    Attributes:
        name: The name of the API in the settings, or that of its document.
        schemes: The ways to sign in that the document declares, by name.
        auth: What the settings have for them, by name.
    """

    name: str
    schemes: Mapping[str, SecurityScheme] = field(default_factory=dict)
    auth: Mapping[str, Secret] = field(default_factory=dict, repr=False)
    _tokens: dict[tuple[Any, ...], _Token] = field(default_factory=dict, repr=False, compare=False)

    @property
    def user(self) -> str:
        """What needs the credentials, for messages."""
        return f"the API '{self.name}'"

    @property
    def token_urls(self) -> list[str]:
        """The addresses that receive the secret of a client."""
        names = [name for name, secret in self.auth.items() if isinstance(secret, OAuthClient) and name in self.schemes]
        return list(dict.fromkeys(filter(None, (self.schemes[name].token_url for name in names))))

    def shown(self, operation: Operation) -> list[Part]:
        """Return what a request is signed with, with references instead of values; nothing if some are missing."""
        return [part for way in self._ways(operation) or () for part in _signed(way, _shown(way.secret))]

    def missing(self, operation: Operation) -> str:
        """Return the schemes of which one is needed, if the settings have none, such as `'card' or 'staff'`."""
        if self._ways(operation) is not None:
            return ""
        return " or ".join(" and ".join(map(repr, needed)) for needed in operation.security)

    def check(self, operation: Operation) -> None:
        """Check that there are credentials for an operation, and that all their variables are set.

        Raises:
            ConfigurationError: If a credential is missing, or cannot be sent.
        """
        for way in self._needed(operation):
            if isinstance(way.secret, OAuthClient):
                self._check_address(way)
            self._value_of(way, way.secret if isinstance(way.secret, str) else way.secret.client_secret)

    async def parts(self, operation: Operation, fetcher: Fetcher, refused: Sequence[Part] = ()) -> list[Part]:
        """Return what a request is signed with.

        Args:
            operation: The operation.
            fetcher: Sends requests for tokens.
            refused: The parts of a request that was refused; their tokens are not used again.

        Raises:
            ConfigurationError: If a credential is missing, or cannot be sent.
            ToolExecutionError: If an authorization server gives no token.
        """
        parts: list[Part] = []
        for way in self._needed(operation):
            if isinstance(way.secret, str):
                value = self._value_of(way, way.secret)
            else:
                value = await self._token(way, way.secret, fetcher, {part.value for part in refused})
            parts += _signed(way, value)
        return parts

    def renews(self, operation: Operation) -> bool:
        """Return whether a refused request can be signed with another token."""
        return any(isinstance(way.secret, OAuthClient) for way in self._ways(operation) or ())

    def _ways(self, operation: Operation) -> list[_Way] | None:
        """Return the first of the operation's alternatives for which the settings have everything, if there is one."""
        for needed in operation.security:
            if needed and all(self._can_use(name) for name in needed):
                return [_Way(self.schemes[name], self.auth[name], scopes) for name, scopes in needed.items()]
        return [] if not operation.security or {} in operation.security else None

    def _needed(self, operation: Operation) -> list[_Way]:
        """Return how requests are signed.

        Raises:
            ConfigurationError: If the settings have no credentials, but the operation needs some.
        """
        ways = self._ways(operation)
        if ways is None:
            hint = f"write NAME = '${{VARIABLE}}' in the table [{KIND}.{self.name}.auth] of the configuration"
            raise ConfigurationError(f"{self.user} needs credentials for {self.missing(operation)}: {hint}")
        return ways

    def _can_use(self, name: str) -> bool:
        scheme = self.schemes.get(name)
        if scheme is None or name not in self.auth:
            return False
        if scheme.kind == "apiKey":
            can_be_sent = {"header": is_settable_header, "cookie": is_token}.get(scheme.place, bool)
            return isinstance(self.auth[name], str) and can_be_sent(scheme.parameter)
        if isinstance(self.auth[name], OAuthClient):
            return scheme.kind == "oauth2" and scheme.token_url is not None
        return scheme.kind in {"oauth2", "openIdConnect"} or scheme.scheme in {"basic", "bearer"}

    def _value_of(self, way: _Way, text: str) -> str:
        user = f"{self.user}: 'auth.{way.scheme.name}'"
        value = fill(text, user, RECEIVED)
        if way.scheme.scheme == "basic" and way.scheme.kind == "http":
            RECEIVED.learn(value, value.partition(":")[2])
            value = b64encode(value.encode()).decode()
        can_be_sent = {"query": str.isprintable, "cookie": is_cookie_value}.get(way.scheme.place, is_header_value)
        if not can_be_sent(value):
            raise ConfigurationError(f"{user} cannot be sent: it has characters that its place does not allow")
        RECEIVED.learn(value)
        return value

    def _check_address(self, way: _Way) -> None:
        parts = urlsplit(way.scheme.token_url or "")
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            message = f"'{way.scheme.token_url}' is not encrypted, and the secret of a client is only sent to https://"
            raise ConfigurationError(f"{self.user}: 'auth.{way.scheme.name}' cannot be used: {message}")

    async def _token(self, way: _Way, client: OAuthClient, fetcher: Fetcher, refused: set[str]) -> str:
        address = way.scheme.token_url or ""
        scopes = " ".join(client.scopes or way.scopes)
        key = (address, client, scopes)
        kept = self._tokens.get(key)
        if kept is None or kept.expires <= time.monotonic() or f"Bearer {kept.value}" in refused:
            secret = fill(client.client_secret, f"{self.user}: 'auth.{way.scheme.name}'", RECEIVED)
            try:
                kept = await _requested(fetcher, address, (client.client_id, secret), scopes)
            except FetchError as error:
                reason = RECEIVED.text(reason_of(error, self.name))
                raise ToolExecutionError(f"no token from {address}: {reason}", error.code) from None
            self._tokens[key] = kept
        return kept.value


def reason_of(error: FetchError, name: str) -> str:
    """Return why a request for an API was not sent; for an address that is refused, with the setting that allows it."""
    if not isinstance(error, RefusedAddressError):
        return str(error)
    return f"{error}; to allow it, write allow_private = true in the table [{KIND}.{name}] of the configuration"


def _shown(secret: Secret) -> str:
    if isinstance(secret, OAuthClient):
        return f"<token for {secret.client_id}>"
    return secret if variables_in(secret) else "…"


def _signed(way: _Way, value: str) -> list[Part]:
    match way.scheme:
        case SecurityScheme(kind="apiKey", place="query" | "header" | "cookie" as place, parameter=name):
            return [Part(place, name, value)]
        case SecurityScheme(kind="http", scheme="basic"):
            return [Part("header", "Authorization", f"Basic {value}")]
    return [Part("header", "Authorization", f"Bearer {value}")]


async def _requested(fetcher: Fetcher, address: str, client: tuple[str, str], scopes: str) -> _Token:
    """Request a token: with the client's credentials in a header or, if the server does not accept it, in the form.

    Raises:
        FetchError: If the server cannot be reached.
        ToolExecutionError: If it gives none.
    """
    form = {"grant_type": "client_credentials", **({"scope": scopes} if scopes else {})}
    pair = b64encode(":".join(map(quote_plus, client)).encode()).decode()
    RECEIVED.learn(pair)
    answer = await _post(fetcher, address, form, {"Authorization": f"Basic {pair}"})
    if answer.status in {400, 401}:
        answer = await _post(fetcher, address, {**form, "client_id": client[0], "client_secret": client[1]}, {})
    return _token_in(answer, address)


async def _post(fetcher: Fetcher, address: str, form: Mapping[str, str], headers: Mapping[str, str]) -> Fetched:
    own = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    return await fetcher.fetch("POST", address, {**own, **headers}, urlencode(form).encode())


def _token_in(answer: Fetched, address: str) -> _Token:
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        said = {}
    said = said if isinstance(said, dict) else {}
    token, seconds = said.get("access_token"), said.get("expires_in")
    if not isinstance(token, str) or not is_header_value(token) or not token:
        words = said.get("error_description") or said.get("error") or status_in_words(answer.status)
        raise ToolExecutionError(f"no token from {address}: {RECEIVED.text(str(words))[:_LONGEST]}", "access_denied")
    RECEIVED.learn(token)
    lifetime = seconds - _EARLY if isinstance(seconds, int | float) else _LIFETIME
    return _Token(token, time.monotonic() + lifetime)
