"""The keys of the `serve` table: the authorization server whose access tokens our own server over HTTP accepts.

To add a key, add a row here and a field with the same name to `ServingAuth`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from toolkit.disclosure.groups import read_choices
from toolkit.documents.keys import TEXTS_SCHEMA, Key, Kind, Schema, Spot, read_table, schema_of, table_kind, text, texts
from toolkit.mcp.settings.server_keys import LOOPBACK, web_address

_SCOPE: Final = r"[!#-\[\]-~]+"  # RFC 6749, section 3.3
_EXAMPLE: Final = "{ 'shop.read' = ['order', 'list_*'] }"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingAuth:
    """Whose access tokens the server accepts, and what they allow.

    Attributes:
        issuer: The issuer of the tokens, exactly as they name it.
        audience: The URL that clients use, which tokens must name as their audience; by default, the server's own URL.
        jwks: URL of the issuer's keys; by default, from the issuer's metadata.
        scopes: For each scope, which tools it allows; empty if every valid token allows all tools.
    """

    issuer: str
    audience: str | None = None
    jwks: str | None = None
    scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class ServingSettings(NamedTuple):
    """The settings of `toolkit serve`.

    Attributes:
        auth: Whose access tokens the server accepts over HTTP, or `None` if it accepts none.
    """

    auth: ServingAuth | None = None


def read_serving(written: Mapping[str, Any], spot: Spot) -> ServingSettings:
    """Return the settings in the table, and report all problems; a table with a problem is no permission."""
    return ServingSettings(**read_table(written, KEYS, spot))


def serving_schema() -> Schema:
    """Return the JSON Schema of the table."""
    return schema_of(KEYS)


def _address(url: str, spot: Spot) -> str:
    parts = web_address(url)
    if parts is None:
        spot.wrong("a URL with https://")
    elif parts.scheme == "http" and parts.hostname not in LOOPBACK:
        spot.report(f"'{spot.name}' is not encrypted, so anybody in between could change it", "use https://")
    elif parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        spot.report(f"'{spot.name}' has a user name, a query or a fragment", "write only scheme, host and path")
    return url


def _scopes(written: Mapping[str, Any], spot: Spot) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for scope, tools in written.items():
        here = spot.below(scope)
        choices = texts(tools)
        if not re.fullmatch(_SCOPE, scope):
            here.report(f"'{scope}' cannot be a scope", "leave out spaces, quotes and backslashes")
        elif not choices:
            here.wrong("a list of names, patterns or groups", f"write {_EXAMPLE}")
        else:
            found[scope] = read_choices(choices, here)
    return found


def _auth(written: Mapping[str, Any], spot: Spot) -> ServingAuth | None:
    before = len(spot.origin.problems)
    found = read_table(written, AUTH, spot)
    return ServingAuth(**found) if len(spot.origin.problems) == before else None


_URL: Final = text(
    "a URL such as 'https://login.example'", {"type": "string", "pattern": "^https?://[^@?#]+$"}, name="URL"
)
_SCOPES: Final = Kind(
    "table of lists",
    "a table of lists",
    lambda written, _: written if isinstance(written, dict) else None,
    _EXAMPLE,
    {"type": "object", "propertyNames": {"pattern": f"^{_SCOPE}$"}, "additionalProperties": TEXTS_SCHEMA},
)
AUTH: Final = (
    Key("issuer", _URL, "the authorization server whose access tokens are accepted", required=True, take=_address),
    Key(
        "audience",
        _URL,
        "the URL that clients use, for which tokens must be issued; the server's own URL by default",
        take=_address,
    ),
    Key("jwks", _URL, "the URL of the issuer's keys; by default, from the issuer's metadata", take=_address),
    Key(
        "scopes",
        _SCOPES,
        "for each scope, the tools that it allows: names, patterns, /regular expressions/ or groups; "
        "without it, every valid token allows all tools",
        take=_scopes,
    ),
)
KEYS: Final = (
    Key(
        "auth",
        table_kind("{ issuer = 'https://login.example' }", lambda: schema_of(AUTH)),
        "whose access tokens `toolkit serve --http` accepts",
        take=_auth,
    ),
)
