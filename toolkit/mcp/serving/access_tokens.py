"""Access tokens that an authorization server has issued for our server: JWTs, checked with the keys that it publishes.

Only asymmetric algorithms are accepted, so that no published key can pass for a shared secret. A token must name our
server as its audience, its issuer, and when it expires (RFC 9068, RFC 8725). Sources: RFC 7517 for the keys, RFC 8414
and OpenID Connect Discovery for the metadata that says where they are.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import jwt
from mcp.client.auth.utils import build_oauth_authorization_server_metadata_discovery_urls
from mcp.server.auth.provider import AccessToken

from toolkit.mcp.settings.server_keys import LOOPBACK, web_address

_log = logging.getLogger("toolkit.mcp")

Fetch = Callable[[str], Awaitable[bytes]]
"""Returns the body of a successful response; any exception means that there is none."""

ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"),
)  # fmt: skip
"""The accepted signature algorithms."""

LEEWAY: Final = 30.0
"""How far the clocks of the issuer and of this machine may differ, in seconds."""

FRESH: Final = 600.0
"""Seconds after which keys are fetched again, so that a withdrawn key is soon refused."""

STALE: Final = 3_600.0
"""Seconds after which keys are no longer used if they cannot be fetched again."""

PAUSE: Final = 30.0
"""Minimum time in seconds between two fetches because of tokens with unknown keys."""

_MOST_KEYS: Final = 100
_TYPES: Final = {None, "jwt", "at+jwt", "application/at+jwt"}


class InvalidToken(Exception):
    """A token is not valid; the message says why, without anything from the token."""


class KeysUnavailable(Exception):
    """The keys of the issuer cannot be fetched, so that no token can be checked."""


class Issuer(NamedTuple):
    """Whose tokens are accepted.

    Attributes:
        name: The issuer, exactly as tokens name it.
        audience: The URL of our server, which tokens must name as their audience.
        fetch: Fetches the metadata and the keys.
        jwks: URL of the keys, or `None` if the issuer's metadata says it.
    """

    name: str
    audience: str
    fetch: Fetch
    jwks: str | None = None


class AccessTokens:
    """Checks the access tokens of an issuer, in one event loop."""

    def __init__(self, issuer: Issuer) -> None:
        """Create the checks; nothing is fetched yet."""
        self._issuer = issuer
        self._keys = _Keys(issuer)

    async def verify_token(self, token: str) -> AccessToken:
        """Return what a token says.

        Raises:
            InvalidToken: If it is not a valid token for our server.
            KeysUnavailable: If this cannot be known, because the keys of the issuer cannot be fetched.
        """
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError as error:
            raise InvalidToken("it is not a JWT") from error
        algorithm, kind, key_id = header.get("alg"), header.get("typ"), header.get("kid")
        if algorithm not in ALGORITHMS:
            raise InvalidToken("its signature algorithm is not accepted")
        if (kind.lower() if isinstance(kind, str) else kind) not in _TYPES:
            raise InvalidToken("it is not an access token")
        for key in await self._keys.for_signature(key_id, algorithm):
            try:
                claims = self._claims(token, key, algorithm)
            except jwt.InvalidSignatureError:
                continue
            except jwt.InvalidTokenError as error:
                raise InvalidToken(_in_words(error)) from error
            return _access_token(claims, self._issuer.audience)
        raise InvalidToken("no key of the issuer has signed it")

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any]:
        return jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self._issuer.audience,
            issuer=self._issuer.name,
            leeway=LEEWAY,
            options={"require": ["exp", "iss", "aud"], "enforce_minimum_key_length": True},
        )


def _in_words(error: jwt.InvalidTokenError) -> str:
    match error:
        case jwt.ExpiredSignatureError():
            return "it has expired"
        case jwt.ImmatureSignatureError():
            return "it is not valid yet"
        case jwt.InvalidAudienceError():
            return "it was issued for another server"
        case jwt.InvalidIssuerError():
            return "it is from another issuer"
        case jwt.MissingRequiredClaimError():
            return f"it has no claim '{error.claim}'"
    return "it is malformed"


def _access_token(claims: Mapping[str, Any], audience: str) -> AccessToken:
    subject, client = claims.get("sub"), claims.get("client_id") or claims.get("azp")
    return AccessToken(
        token="",
        client_id=str(client or subject or ""),
        scopes=_scopes_in(claims),
        expires_at=int(claims["exp"] + LEEWAY),
        resource=audience,
        subject=None if subject is None else str(subject),
        claims={"iss": claims["iss"]},
    )


def _scopes_in(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes of a token: the claim `scope`, or `scp`, which some authorization servers use instead."""
    given = claims.get("scope", claims.get("scp", ""))
    listed = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
    return [scope for scope in listed if isinstance(scope, str)]


class _Keys:
    """The keys that an issuer publishes: cached, and fetched again after a while or for a token with an unknown key."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._fetched = -STALE
        self._tried = -STALE
        self._missed = -PAUSE
        self._lock = asyncio.Lock()

    async def for_signature(self, key_id: object, algorithm: str) -> list[jwt.PyJWK]:
        """Return the keys that may have made a signature; those that cannot be used with the algorithm are left out.

        Raises:
            KeysUnavailable: If no keys can be fetched.
        """
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if now - self._fetched > FRESH and now - self._tried > PAUSE:
                await self._fetch(now)
            if now - self._fetched > STALE:
                raise KeysUnavailable
            if not (found := self._matching(key_id, algorithm)) and now - self._missed >= PAUSE:
                self._missed = now
                await self._fetch(now)
                found = self._matching(key_id, algorithm)
            return found

    def _matching(self, key_id: object, algorithm: str) -> list[jwt.PyJWK]:
        found = []
        for key in self._keys:
            is_meant = key_id is None or key.get("kid") == key_id
            if is_meant and key.get("use", "sig") == "sig" and key.get("alg", algorithm) == algorithm:
                try:
                    found.append(jwt.PyJWK(dict(key), algorithm))
                except jwt.PyJWTError:
                    continue  # such as an elliptic curve for an RSA signature
        return found

    async def _fetch(self, now: float) -> None:
        """Fetch the keys; those that were fetched before stay if that fails."""
        self._tried = now
        try:
            document = json.loads(await self._issuer.fetch(self._issuer.jwks or await self._address()))
            keys = [key for key in document["keys"] if isinstance(key, dict)][:_MOST_KEYS]
        except Exception as error:  # noqa: BLE001 - whatever an authorization server answers
            _log.warning("the keys of '%s' cannot be fetched: %s", self._issuer.name, error)
            return
        self._keys, self._fetched = keys, now

    async def _address(self) -> str:
        """Return the URL of the keys from the issuer's metadata, which must name the same issuer.

        Raises:
            ValueError: If no metadata can be used; the message says why not.
        """
        reasons = []
        for url in build_oauth_authorization_server_metadata_discovery_urls(self._issuer.name, self._issuer.audience):
            try:
                metadata = json.loads(await self._issuer.fetch(url))
            except Exception as error:  # noqa: BLE001 - as above
                reasons.append(f"{url}: {error}")
                continue
            address = metadata.get("jwks_uri") if isinstance(metadata, dict) else None
            if not isinstance(address, str) or metadata.get("issuer") != self._issuer.name:
                reasons.append(f"{url} is of another issuer, or names no keys")
            elif not _is_safe(address):
                reasons.append(f"{url} names keys without encryption")
            else:
                return address
        raise ValueError("; ".join(reasons))


def _is_safe(url: str) -> bool:
    parts = web_address(url)
    return parts is not None and (parts.scheme == "https" or parts.hostname in LOOPBACK)
