"""The table `auth` of a server over HTTP: how its user, or this machine, signs in."""

import re
from collections.abc import Mapping
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from toolkit.documents.keys import (
    REPORTED,
    TEXTS_SCHEMA,
    Key,
    Kind,
    Spot,
    one_of,
    read_table,
    schema_of,
    text,
    texts,
    whole_number,
)
from toolkit.mcp.settings.server_settings import Auth, GrantType, SigningAlgorithm

_LAST_PORT: Final = 65_535
_REFERENCE: Final = re.compile(r"\s*\$\{(?:(?:env:)?[A-Za-z_]\w*|keyring:[A-Za-z_][\w.-]*)\}\s*")
_SECRETS: Final = ("client_secret", "private_key")
_MACHINES: Final = "client_credentials"

_GRANT = one_of(*get_args(GrantType), name=" | ".join(get_args(GrantType)))
_ALGORITHM = one_of(*get_args(SigningAlgorithm), name=" | ".join(get_args(SigningAlgorithm)))
_SCOPES = Kind("list of strings", "a list of strings without spaces", texts, "['read', 'write']", TEXTS_SCHEMA)
_ISSUER = text(
    "the https:// address of an authorization server",
    {"type": "string", "pattern": "^https?://[^/?#]+[^?#]*$"},
    test=lambda written: bool(urlsplit(written).hostname) and urlsplit(written).scheme in {"http", "https"},
    example="'https://login.example'",
)


def _secret(written: str, spot: Spot) -> str:
    if not _REFERENCE.fullmatch(written):
        spot.report(f"'{spot.name}' must not be written into a file", "refer to an environment variable: '${NAME}'")
    return written


AUTH_KEYS: Final = (
    Key("grant", _GRANT, "who signs in: a person in a browser, or this machine as a client", "authorization_code"),
    Key("client_id", text("a string"), "the client's id; an https:// address is that of its metadata document"),
    Key("client_secret", text("a string"), "the client's secret, as '${NAME}'", take=_secret),
    Key("private_key", text("a string"), "the PEM key that signs the client's assertions, as '${NAME}'", take=_secret),
    Key("algorithm", _ALGORITHM, "the algorithm of these signatures", "RS256"),
    Key("issuer", _ISSUER, "the only authorization server that receives the client's credentials"),
    Key("scopes", _SCOPES, "the permissions to ask for; those that the server names by default"),
    Key(
        "port",
        whole_number(1, _LAST_PORT),
        "the port on 127.0.0.1 to which the browser returns; a free one by default",
    ),
)


def _read(written: Any, spot: Spot) -> Any:
    if not isinstance(written, Mapping):
        return None
    problems = len(spot.origin.problems)
    values = read_table(written, AUTH_KEYS, spot)
    if len(spot.origin.problems) > problems:
        return REPORTED
    _report_contradictions(values, spot)
    return Auth(**values)


def _report_contradictions(values: Mapping[str, Any], spot: Spot) -> None:
    if any(name.lower() == "authorization" for name in spot.beside.get("headers") or ()):
        spot.report(f"'{spot.name}' and the header 'Authorization' are both set", "keep one of them")
    held = [name for name in _SECRETS if name in values]
    if len(held) > 1:
        spot.report(f"'{spot.name}' has both 'client_secret' and 'private_key'", "keep one of them")
    is_machine = values.get("grant") == _MACHINES
    if is_machine and not held:
        spot.report(f"'{spot.name}' has no 'client_secret' and no 'private_key'", "a machine needs one of them")
    if not is_machine and held == ["private_key"]:
        spot.report(f"'{spot.below('private_key').name}' is only for machines", f"write grant = '{_MACHINES}'")
    for name in ("client_id", "issuer") if held else ():
        if name not in values:
            spot.report(f"'{spot.below(name).name}' is missing", "a secret belongs to a client of one issuer")


AUTH: Final = Key(
    "auth",
    Kind("table", "a table", _read, "{ client_id = 'toolkit' }", lambda: schema_of(AUTH_KEYS)),
    "how to sign in, if the server's own metadata is not enough",
)
