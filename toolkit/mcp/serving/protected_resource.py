"""Our server over HTTP as an OAuth protected resource: who may send a request, and which scopes a call needs.

A request without a valid token is answered with 401 and the place of the metadata, and a call of a tool that the token
does not allow with 403 and the scopes that it would need, so that clients can sign in and ask for more. Sources: the
MCP specification, "Authorization" (2025-11-25 and 2026-07-28); RFC 9728 for the metadata; RFC 6750 for the answers.
"""

import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from mcp.server.auth.json_response import PydanticJSONResponse
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.shared.auth import ProtectedResourceMetadata
from starlette.authentication import AuthCredentials
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from toolkit.mcp.serving.access_tokens import AccessTokens, InvalidToken, Issuer, KeysUnavailable
from toolkit.mcp.serving.server import Options
from toolkit.mcp.serving.token_scopes import OwnToken, record_refusal, risk_in
from toolkit.tools.base import Tool

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
_BEARER: Final = "bearer "
_RETRY: Final = {"Retry-After": "30"}


class Protection(NamedTuple):
    """How requests are protected.

    Attributes:
        issuer: Whose access tokens are accepted, and for which URL.
        own_token: The bearer token that the server was started with, which allows every tool, or `None`.
    """

    issuer: Issuer
    own_token: str | None = None


class ProtectedResource:
    """Answers requests that are not allowed, and those for the metadata; others carry their token from then on."""

    def __init__(self, protection: Protection, path: str, options: Options, tools: Mapping[str, Tool]) -> None:
        """Create it in the event loop of the server.

        Args:
            protection: How requests are protected.
            path: The path of the server.
            options: The options of the server: its name, and the tools that scopes allow.
            tools: All tools that clients can call, by name, as they currently are.
        """
        issuer, self._own_token = protection
        self._scopes, self._tools, self._audit = options.scopes, tools, options.rules.audit
        self._tokens = AccessTokens(issuer)
        audience = urlsplit(issuer.audience)
        place = f"{WELL_KNOWN}{audience.path.rstrip('/')}"
        self.open_paths: Final = frozenset({WELL_KNOWN, f"{WELL_KNOWN}{path}", place})
        """The paths of the metadata, which need no token."""
        self._place = f"{audience.scheme}://{audience.netloc}{place}"
        scopes = [*self._scopes.covers]
        about = {"resource": issuer.audience, "authorization_servers": [issuer.name], "resource_name": options.name}
        self._metadata = ProtectedResourceMetadata.model_validate(about | {"scopes_supported": scopes or None})

    async def admit(self, scope: Scope) -> Response | None:
        """Identify who sends a request, before its body is read; return the answer if the application is not needed."""
        if scope["path"] in self.open_paths:
            return PydanticJSONResponse(self._metadata)
        given = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"authorization"]
        if len(given) != 1 or not given[0].lower().startswith(_BEARER):
            return self._refusal(401, None, "an access token is required", [*self._scopes.covers][:1])
        try:
            token = await self._verified(given[0][len(_BEARER) :].strip())
        except InvalidToken as error:
            return self._refusal(401, "invalid_token", f"the access token is not valid: {error}")
        except KeysUnavailable:
            why = "the keys of the authorization server cannot be fetched"
            return JSONResponse({"error": "temporarily_unavailable", "error_description": why}, 503, _RETRY)
        scope["user"], scope["auth"] = AuthenticatedUser(token), AuthCredentials(token.scopes)
        return None

    def refusal_of_call(self, scope: Scope, body: bytes) -> Response | None:
        """Return the answer to a call of a tool that the token does not allow, or `None` for any other request."""
        user: Any = scope.get("user")
        risk = risk_in(self._tools, _called_in(body))
        if not isinstance(user, AuthenticatedUser) or risk is None or self._scopes.allow(user.access_token, risk):
            return None
        needed = self._scopes.needed(user.access_token, risk)
        record_refusal(self._audit, user.access_token, risk, needed)
        return self._refusal(403, "insufficient_scope", "the access token does not allow this tool", needed)

    async def _verified(self, token: str) -> AccessToken:
        if self._own_token is not None and hmac.compare_digest(token.encode(), self._own_token.encode()):
            return OwnToken(token="", client_id="", scopes=[])
        return await self._tokens.verify_token(token)

    def _refusal(self, status: int, error: str | None, why: str, scopes: Sequence[str] = ()) -> Response:
        parts = {"error": error, "error_description": why if error else None}
        parts |= {"scope": " ".join(scopes) or None, "resource_metadata": self._place}
        challenge = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
        body = {"error": error or "unauthorized", "error_description": why}
        return JSONResponse(body, status, {"WWW-Authenticate": f"Bearer {challenge}"})


def _called_in(body: bytes) -> object:
    """Return the name of the tool that a message calls, or `None`."""
    try:
        message = json.loads(body)
        return message["params"]["name"] if message["method"] == "tools/call" else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
