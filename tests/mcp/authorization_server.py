"""An authorization server on the loopback interface: it grants, refuses, expires and rotates. The protocol is Authlib's.

with AuthorizationServer() as server:
    server.denies = True                      # the next request of a user is refused
    token = server.issue("read", audience)    # an access token, without any request
"""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from authlib.common.security import generate_token
from authlib.integrations.flask_oauth2 import AuthorizationServer as Protocol
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from flask import Flask, jsonify, request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, KeySet
from werkzeug.serving import WSGIRequestHandler, make_server

ALGORITHM = "ES256"
_METHODS = ["none", "client_secret_basic", "client_secret_post", JWTBearerClientAssertion.CLIENT_AUTH_METHOD]
_SHOWN_METHODS = [*_METHODS[:-1], "private_key_jwt"]


@dataclass
class Client(ClientMixin):
    """A client that the server knows.

    Attributes:
        id: Its identifier.
        secret: Its secret, if it has one.
        method: How it authenticates itself: `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`.
        grants: The grants that it may use.
        redirects: The addresses to which it may be redirected; a loopback address stands for all its ports.
        public_key: The key of its assertions, in PEM.
    """

    id: str
    secret: str = ""
    method: str = "none"
    grants: tuple[str, ...] = ("authorization_code", "refresh_token")
    redirects: tuple[str, ...] = ()
    public_key: str = ""

    def get_client_id(self):
        return self.id

    def get_default_redirect_uri(self):
        return self.redirects[0]

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        return _without_port(redirect_uri) in map(_without_port, self.redirects)

    def check_client_secret(self, client_secret):
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == (_METHODS[-1] if self.method == "private_key_jwt" else self.method)

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.grants


def _without_port(address):
    """Return an address without its port on the loopback interface, which a server must not compare (RFC 8252)."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.hostname) if parts.hostname == "127.0.0.1" else parts


@dataclass
class _Grant:
    """What a user has granted: as a code, or as a token that can be refreshed."""

    client: str
    scope: str
    redirect: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    ends: float = 0

    def get_redirect_uri(self):
        return self.redirect

    def get_scope(self):
        return self.scope

    def check_client(self, client):
        return self.client == client.id


class _User:
    def get_user_id(self):
        return "ada"


@dataclass
class AuthorizationServer:
    """An authorization server in a thread. Everything about it can change at any time.

    Attributes:
        path: The path of its issuer, such as `/tenant`.
        forms: The well-known names under which its metadata is found: `oauth-authorization-server` inserted between
            host and path (RFC 8414), `openid-configuration` behind the path.
        clients: The clients that it knows. `registers` says whether others can register.
        documents: The redirect addresses in the metadata documents of clients, by their identifiers; the server
            supports such documents if there are any.
        scopes: The scopes that it says that it supports.
        denies: Whether users refuse.
        code_seconds: How long a code is valid.
        token_seconds: How long an access token is valid.
        rotates: Whether a refresh token is replaced when it is used; the old one is invalid then.
        altered: What is different in the redirect to the client: values by name, `None` for those left out.
        metadata: What is different in its metadata.
        requests: The path and the values of each request, in order.
    """

    path: str = ""
    forms: tuple[str, ...] = ("oauth-authorization-server",)
    clients: dict[str, Client] = field(default_factory=dict)
    registers: bool = True
    documents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    denies: bool = False
    code_seconds: float = 60
    token_seconds: int = 3600
    rotates: bool = True
    altered: dict[str, str | None] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def __post_init__(self):
        self.rotate_keys()
        self.codes: dict[str, _Grant] = {}
        self.refreshable: dict[str, _Grant] = {}
        self.issued: list[dict[str, Any]] = []
        app = Flask("authorization")
        self._listening = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Silent)
        self.origin = f"http://127.0.0.1:{self._listening.server_port}"
        self.issuer = f"{self.origin}{self.path}"
        self._answer_in(app)
        self._thread = threading.Thread(target=self._listening.serve_forever)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listening.shutdown()
        self._thread.join()
        self._listening.server_close()

    # ------------------------------------------------------------------------------------------- what tests do

    def add(self, client):
        """Add a client, and return it."""
        self.clients[client.id] = client
        return client

    def rotate_keys(self):
        """Sign with a new key from now on; `keys` then has only the new one."""
        self.key = ECKey.generate_key("P-256", parameters={"use": "sig", "alg": ALGORITHM}, auto_kid=True)
        self.keys: list[Key] = [self.key]

    def issue(self, scope, audience, **claims):
        """Return an access token without any request; `claims` replace its own, and `None` leaves one out."""
        now = int(time.time())
        known = {"iss": self.issuer, "aud": audience, "sub": "ada", "client_id": "client", "scope": scope}
        known |= {"iat": now, "exp": now + self.token_seconds} | claims
        held = {name: value for name, value in known.items() if value is not None}
        return jwt.encode({"alg": ALGORITHM, "typ": "at+jwt", "kid": self.key.kid}, held, self.key)

    def claims_of(self, token):
        """Return what an access token of this server says.

        Raises:
            ValueError: If it is not a valid one.
        """
        try:
            claims = jwt.decode(token, KeySet(self.keys)).claims
        except JoseError as error:
            raise ValueError(str(error)) from error
        if claims["exp"] < time.time() or claims["iss"] != self.issuer:
            raise ValueError("it has expired, or is another issuer's")
        return claims

    def secrets(self):
        """Return all tokens that it has issued."""
        return [one[name] for one in self.issued for name in ("access_token", "refresh_token") if name in one]

    def sent(self, path):
        """Return the values of each request to a path."""
        return [values for asked, values in self.requests if asked == path]

    # ------------------------------------------------------------------------------------------- what clients ask

    def _answer_in(self, app):
        protocol = Protocol()
        protocol.init_app(app, query_client=self._client, save_token=self._save)
        for kind, extensions in self._grants():
            protocol.register_grant(kind, extensions)
        protocol.register_token_generator("default", _tokens_of(self))
        protocol.register_client_auth_method(_METHODS[-1], _assertions_of(self))
        protocol.register_endpoint(_registrations_of(self))
        routes = {
            "/authorize": lambda: self._authorize(protocol),
            "/token": protocol.create_token_response,
            "/register": lambda: protocol.create_endpoint_response("client_registration"),
            "/jwks": lambda: jsonify({"keys": [key.as_dict(private=False) for key in self.keys]}),
        }

        @app.route("/<path:path>", methods=["GET", "POST"])
        def answer(path):
            asked = f"/{path}"
            self.requests.append((asked, {**request.values.to_dict(), **(request.get_json(silent=True) or {})}))
            if asked in self._well_known():
                return jsonify(self._metadata())
            return routes[asked]() if asked in routes else ("not here", 404)

    def _grants(self) -> Iterable[tuple[type, list[Any]]]:
        codes = type("Codes", (_Codes,), {"ours": self})
        refreshes = type("Refreshes", (_Refreshes,), {"ours": self})
        machines = type("Machines", (grants.ClientCredentialsGrant,), {"TOKEN_ENDPOINT_AUTH_METHODS": _METHODS[1:]})
        return [(codes, [CodeChallenge(required=True)]), (refreshes, []), (machines, [])]

    def _well_known(self):
        found = {"oauth-authorization-server": f"/.well-known/oauth-authorization-server{self.path}"}
        found["openid-configuration"] = f"{self.path}/.well-known/openid-configuration"
        return {found[form] for form in self.forms}

    def _metadata(self):
        metadata = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "jwks_uri": f"{self.origin}/jwks",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "token_endpoint_auth_methods_supported": _SHOWN_METHODS,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": bool(self.documents),
        }
        metadata |= {"registration_endpoint": f"{self.origin}/register"} if self.registers else {}
        metadata |= {"scopes_supported": [*self.scopes]} if self.scopes else {}
        return metadata | self.metadata

    def _authorize(self, protocol):
        grant = protocol.get_consent_grant(end_user=_User())
        answer = protocol.create_authorization_response(grant_user=None if self.denies else _User(), grant=grant)
        if answer.location:
            parts = urlsplit(answer.location)
            values = dict(parse_qsl(parts.query)) | {"iss": self.issuer} | self.altered
            held = {name: value for name, value in values.items() if value is not None}
            answer.location = urlunsplit(parts._replace(query=urlencode(held)))
        return answer

    def _client(self, name):
        if name in self.documents:
            return Client(name, redirects=self.documents[name])
        return self.clients.get(name)

    def _save(self, token, asked):
        self.issued.append({**token})
        if "refresh_token" in token:
            self.refreshable[token["refresh_token"]] = _Grant(asked.client.id, token.get("scope") or "")


class _Silent(WSGIRequestHandler):
    def log(self, *_, **__):
        """Write no log."""


class _Codes(grants.AuthorizationCodeGrant):
    ours: AuthorizationServer
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS

    def save_authorization_code(self, code, request):
        asked = request.payload.data
        challenge = asked.get("code_challenge", ""), asked.get("code_challenge_method", "")
        ends = time.time() + self.ours.code_seconds
        grant = _Grant(request.client.id, request.scope, request.payload.redirect_uri, *challenge, ends)
        self.ours.codes[code] = grant

    def query_authorization_code(self, code, client):
        found = self.ours.codes.get(code)
        return found if found and found.client == client.id and found.ends > time.time() else None

    def delete_authorization_code(self, authorization_code):
        self.ours.codes = {code: one for code, one in self.ours.codes.items() if one is not authorization_code}

    def authenticate_user(self, authorization_code):
        return _User()


class _Refreshes(grants.RefreshTokenGrant):
    ours: AuthorizationServer
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS

    def issue_token(self, user, refresh_token):
        self.INCLUDE_NEW_REFRESH_TOKEN = self.ours.rotates
        return super().issue_token(user, refresh_token)

    def authenticate_refresh_token(self, refresh_token):
        if self.ours.rotates:  # of two requests at once, only one gets the token
            return self.ours.refreshable.pop(refresh_token, None)
        return self.ours.refreshable.get(refresh_token)

    def authenticate_user(self, refresh_token):
        return _User()

    def revoke_old_credential(self, refresh_token):
        """Do nothing: a token that is replaced has been removed."""


def _tokens_of(ours):
    class Tokens(JWTBearerTokenGenerator):
        def __init__(self):
            super().__init__(ours.issuer, ALGORITHM, lambda **_: generate_token(48), lambda *_: ours.token_seconds)

        def get_jwks(self):
            return KeySet([ours.key])

        def get_audiences(self, client, user, scope):
            return request.form.get("resource") or client.id

    return Tokens()


def _assertions_of(ours):
    class Assertions(JWTBearerClientAssertion):
        def get_audiences(self):
            return [ours.issuer]

        def validate_jti(self, claims, jti):
            return True

        def resolve_client_public_key(self, client):
            return ECKey.import_key(client.public_key)

    return Assertions()


def _registrations_of(ours):
    class Registrations(ClientRegistrationEndpoint):
        def authenticate_token(self, request):
            return ours.registers

        def get_server_metadata(self):
            return {}

        def save_client(self, client_info, client_metadata, request):
            method = client_metadata.get("token_endpoint_auth_method", "client_secret_basic")
            redirects = tuple(client_metadata["redirect_uris"])
            return ours.add(Client(client_info["client_id"], client_info["client_secret"], method, redirects=redirects))

    return Registrations
