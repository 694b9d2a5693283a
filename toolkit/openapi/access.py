"""Where the requests of an API go and with what, and the consent that this needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

from toolkit.address_guard import AddressGuard, Resolver, host_and_port_of, resolve_by_system
from toolkit.approvals.consents import Access
from toolkit.approvals.decisions import fingerprint
from toolkit.codes import CONSENT_MISSING
from toolkit.documents.keys import Owner
from toolkit.errors import ConfigurationError
from toolkit.fetching import Fetcher, is_header_value, is_host, leads_elsewhere
from toolkit.hosts import ascii_host
from toolkit.openapi.credentials import KIND, Credentials, Secret
from toolkit.openapi.requests import IN_A_PATH
from toolkit.problems import Location, Problem, place_from
from toolkit.redactors.redactor import RECEIVED
from toolkit.redactors.secret_names import names_secret_variable
from toolkit.variables import fill, variables_in

_PORTS: Final = {"http": 80, "https": 443}
_REDIRECTS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccess:
    """How the operations of one server are reached.

    Attributes:
        name: The name of the API in the settings, or that of its document.
        base: The address of the server, as `base_of` returns it; no request goes anywhere else.
        headers: Headers to send with every request, with references to variables.
        credentials: Signs the requests.
        allow_private: Whether the server may be on this machine or its network.
        timeout: Time limit in seconds for each request.
        max_bytes: Maximum number of bytes of a response to read.
        endpoints: All operations of the document, such as `GET /pets/{id}`; no request for one can reach another one.
        resolve: Resolves host names.
    """

    name: str
    base: str
    headers: Mapping[str, str] = field(default_factory=dict)
    credentials: Credentials = field(default_factory=lambda: Credentials("openapi"))
    allow_private: bool = False
    timeout: float = 30.0
    max_bytes: int = 5 * 1024 * 1024
    endpoints: frozenset[str] = frozenset()
    resolve: Resolver = resolve_by_system

    @property
    def user(self) -> str:
        """What needs variables, for messages."""
        return f"the API '{self.name}'"

    @property
    def fetcher(self) -> Fetcher:
        """Sends requests without following redirects."""
        known = [host_and_port_of(url) for url in (self.base, *self.credentials.token_urls)]
        return Fetcher(AddressGuard(known if self.allow_private else (), self.resolve), self.timeout, self.max_bytes)

    @property
    def following(self) -> Fetcher:
        """Sends requests and follows redirects that stay below the address of the server."""
        return replace(self.fetcher, max_redirects=_REDIRECTS, within=self.base)

    @property
    def shown_headers(self) -> dict[str, str]:
        """The fixed headers, with references instead of values, and other secrets masked."""
        return {
            name: "…" if names_secret_variable(name) and not variables_in(value) else value
            for name, value in self.headers.items()
        }

    def filled_headers(self) -> dict[str, str]:
        """Return the fixed headers with their values.

        Raises:
            ConfigurationError: If a variable is not set, or a value cannot be sent.
        """
        filled = {name: fill(value, self.user, RECEIVED) for name, value in self.headers.items()}
        for name, value in filled.items():
            if not is_header_value(value):
                raise ConfigurationError(f"{self.user} cannot send the header '{name}': its value must be plain ASCII")
            if names_secret_variable(name):
                RECEIVED.learn(value, *value.split(" ", 1)[1:])
        return filled


def base_of(servers: Sequence[str], document: str | None = None) -> str:
    """Return the address of the first server, in the one form in which addresses are compared.

    Args:
        servers: The addresses of the servers, of which the first one counts; relative ones too.
        document: The URL of the document, from which relative addresses start, if it has one.

    Raises:
        ConfigurationError: If it cannot be used, or does not say which host to reach.
    """
    written = servers[0] if servers else "/"
    url = urljoin(document, written) if document is not None else written
    try:
        parts = urlsplit(url)
        host, port = ascii_host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise _unusable(written, f"it is not a URL ({error})") from None
    if "{" in url:
        raise _unusable(written, "it has a variable")
    if not parts.scheme and not parts.netloc:
        raise _unusable(written, "it names no host")
    if parts.scheme not in _PORTS or not is_host(host):
        raise _unusable(written, "it must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise _unusable(written, "it contains a user name or password")
    if parts.query or parts.fragment or leads_elsewhere(parts.path):
        raise _unusable(written, "it must not have a query, a fragment or '..'")
    bracketed = f"[{host}]" if ":" in host else host
    netloc = bracketed if port in {None, _PORTS[parts.scheme]} else f"{bracketed}:{port}"
    return f"{parts.scheme}://{netloc}{quote(parts.path, safe=IN_A_PATH).rstrip('/')}"


def _unusable(server: str, reason: str) -> ConfigurationError:
    hint = "set 'server' to the address of the API, such as 'https://api.example.com/v1'"
    return ConfigurationError(f"the server '{server}' cannot be used: {reason}; {hint}")


def consent_to(
    accesses: Sequence[ServerAccess], document: str, owner: Owner, place: Location | None = None
) -> Access | None:
    """Return the consent that the servers of an API need, or `None` if the user has chosen them.

    Args:
        accesses: How its servers are reached; at least one.
        document: The path or the URL of the document.
        owner: Who has chosen the servers, the headers and the credentials; a document from a project or the network
            is not the user.
        place: Where they are written.
    """
    if owner == "user":
        return None
    first = accesses[0]
    bases = list(dict.fromkeys(access.base for access in accesses))
    shown = _shown(first, bases, document)
    name, listed = f"{KIND}.{first.name}", ", ".join(bases)
    used = dict.fromkeys(found for text in _texts_of(first) for found in variables_in(text))
    with_what = f", with {', '.join(used)}" if used else ""
    where = f" from {place_from(Path.cwd(), place)}" if place else ""
    message = f"the API '{first.name}' of this project needs your consent before it is used: {listed}{with_what}"
    return Access(
        name=name,
        action=f"use {first.name}",
        source="OpenAPI document of this project",
        question=f"Send requests to {listed} for the API '{first.name}'{where}?",
        shown=shown,
        identity=fingerprint(name, shown),
        summary=listed,
        refusal=Problem(
            CONSENT_MISSING, message, place, hint=f"to allow it: --consent {name}, or TOOLKIT_CONSENT={name}"
        ),
    )


def _shown(access: ServerAccess, bases: list[str], document: str) -> dict[str, Any]:
    """Return everything that determines where requests go, and what they are sent with."""
    auth = {name: _plain(secret) for name, secret in access.credentials.auth.items()}
    more = {
        "headers": dict(access.headers),
        "auth": auth,
        "tokens from": list(access.credentials.token_urls),
        "private addresses": access.allow_private,
    }
    return {"document": document, "servers": bases, **{name: value for name, value in more.items() if value}}


def _plain(secret: Secret) -> Any:
    if isinstance(secret, str):
        return secret
    scopes = {"scopes": list(secret.scopes)} if secret.scopes else {}
    return {"client_id": secret.client_id, "client_secret": secret.client_secret, **scopes}


def _texts_of(access: ServerAccess) -> list[str]:
    secrets = access.credentials.auth.values()
    return [*access.headers.values(), *(one if isinstance(one, str) else one.client_secret for one in secrets)]
