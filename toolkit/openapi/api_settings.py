"""The settings of an API that an OpenAPI document describes, and the keys of their table.

    [openapi.shop]
    document = "openapi.yaml"             # or a URL, with the digest of its content
    include = ["tag:orders", "getPrice"]  # operations: ids, tags, paths, methods
    exclude = ["DELETE"]

In `pyproject.toml`, these tables are under `tool.toolkit`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.documents.keys import (
    SWITCH,
    TEXT,
    TEXTS,
    Key,
    Kind,
    Owner,
    Schema,
    Spot,
    read_table,
    schema_of,
    text,
    whole_number,
)
from toolkit.mcp.settings.server_keys import HEADERS, PREFIX, web_address
from toolkit.openapi.credentials import OAuthClient, Secret
from toolkit.problems import Location
from toolkit.tools.definition.names import name_problem
from toolkit.variables import variables_in

if TYPE_CHECKING:
    from toolkit.openapi.operation_reader import Outline

MOST_TOOLS: Final = 25
"""How many operations become tools if none are chosen."""
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_TAG: Final = "tag:"
_METHOD: Final = re.compile(r"([A-Z]+)(?: (/.*))?")


class ApiSettings(NamedTuple):
    """The settings of an API.

    Attributes:
        name: Its name, under which its tools are known: `name.operationId`.
        document: The path of its document, or its URL.
        digest: What a document from the network must be: `sha256:` and its digest.
        include: Which operations to use; see `is_chosen`.
        exclude: Which of them to leave out, in the same form.
        server: The address of the server, instead of those of the document.
        auth: What to sign in with, by the names of the document's security schemes.
        headers: Headers to send with every request.
        names: Names for the tools of operations, by operation id.
        prefix: What the other names begin with; the name of the API and an underscore if `None`.
        max_tools: How many tools there may be.
        facade: Whether models find the tools with a search.
        allow_private: Whether the server may be on this machine or its network.
        owner: Whose file contains the settings.
        place: Where they are written; `None` for a document that was named as a file.
    """

    name: str
    document: str
    digest: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    server: str | None = None
    auth: Mapping[str, Secret] = MappingProxyType({})
    headers: Mapping[str, str] = MappingProxyType({})
    names: Mapping[str, str] = MappingProxyType({})
    prefix: str | None = None
    max_tools: int | None = None
    facade: bool = False
    allow_private: bool = False
    owner: Owner = "project"
    place: Location | None = None

    @property
    def url(self) -> str | None:
        """The URL of the document, if it is not a file."""
        return self.document if web_address(self.document) is not None else None

    @property
    def group(self) -> str:
        """The name by which tools are known; empty for a document that was named as a file."""
        return self.name if self.place is not None else ""

    @property
    def offered_prefix(self) -> str:
        """What the names that models see begin with, unless the settings name them."""
        return f"{self.name}_" if self.prefix is None else self.prefix


def is_chosen(outline: "Outline", wanted: str) -> bool:
    """Return whether a choice means an operation.

    Args:
        outline: The operation.
        wanted: An operation id (`getOrder`), a tag (`tag:orders`), a path (`/orders/*`), a method (`DELETE`), or a
            method and a path (`GET /orders/*`). All but methods can be patterns with `*` or `?`.
    """
    if wanted.startswith(_TAG):
        return any(fnmatchcase(tag, wanted.removeprefix(_TAG)) for tag in outline.tags)
    if wanted.startswith("/"):
        return fnmatchcase(outline.path, wanted)
    if (found := _METHOD.fullmatch(wanted)) is not None and outline.method == found[1]:
        return found[2] is None or fnmatchcase(outline.path, found[2])
    return fnmatchcase(outline.id, wanted)


def chosen(outlines: "Sequence[Outline]", settings: ApiSettings) -> "list[Outline]":
    """Return the operations that the settings choose, in the order of the document."""
    included = [
        one for one in outlines if not settings.include or any(is_chosen(one, each) for each in settings.include)
    ]
    return [one for one in included if not any(is_chosen(one, each) for each in settings.exclude)]


# ------------------------------------------------------------------------------------------------------------- the keys


def _document(written: str, spot: Spot) -> str:
    if web_address(written) is None:
        return _file(written, spot)
    if "digest" not in spot.beside:
        hint = f"add digest = 'sha256:{'0' * 64}', and the message says what the digest is now"
        spot.report("a document from the network must be pinned by the digest of its content", hint)
    return written


def _file(written: str, spot: Spot) -> str:
    """Return the path of a document, which must be a file of the project unless the user names it."""
    folder = spot.origin.folder.absolute()
    file = folder / Path(written).expanduser()
    if file.suffix not in _SUFFIXES:
        spot.wrong(f"a URL, or a file that ends in {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}")
    elif spot.origin.owner == "project":
        root = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)
        if not file.resolve().is_relative_to(root.resolve()):
            hint = "put a copy into the project, or write this into your own configuration"
            spot.report(f"'{spot.name}' leads outside of the project", hint)
    return str(file)


def _server(written: str, spot: Spot) -> str:
    if web_address(written) is None:
        spot.wrong("a URL with https:// or http://")
    return written


def _names(written: Mapping[str, Any], spot: Spot) -> Mapping[str, str] | None:
    for operation, name in written.items():
        if (problem := name_problem(name)) is not None:
            spot.below(operation).report(problem.message, problem.hint)
    return written if all(isinstance(name, str) for name in written.values()) else None


def _auth(written: Mapping[str, Any], spot: Spot) -> Mapping[str, Secret]:
    found: dict[str, Secret] = {}
    for name, value in written.items():
        here = spot.below(name)
        if isinstance(value, dict):
            values = read_table(value, _CLIENT, here)
            if values.keys() >= {"client_id", "client_secret"}:
                found[name] = OAuthClient(**values)
        elif not isinstance(value, str):
            here.wrong("a string, or a table with a client_id and a client_secret")
        elif _reference(value, here) is not None:
            found[name] = value
    return found


def _reference(written: str, spot: Spot) -> str | None:
    if variables_in(written):
        return written
    spot.report(f"'{spot.name}' seems to hold a secret", "refer to an environment variable: '${NAME}'")
    return None


def _table(written: Any, _: Spot) -> Mapping[str, Any] | None:
    return written if isinstance(written, dict) else None


_NAMES: Final = Kind(
    "table of names", "a table of names", _table, "{ listOrders = 'find_orders' }",
    {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_-]*$"}},
)  # fmt: skip
_SECRET: Final = {"type": "string", "pattern": r"\$\{"}
_CLIENT: Final = (
    Key("client_id", TEXT, "the id of this machine at the authorization server", required=True),
    Key(
        "client_secret",
        text(schema=_SECRET),
        "its secret, as a reference to a variable",
        required=True,
        take=_reference,
    ),
    Key("scopes", TEXTS, "the permissions to ask for; those that the operation needs by default"),
)
_AUTH: Final = Kind(
    "table of secrets",
    "a table of secrets",
    _table,
    "{ api_key = '${SHOP_KEY}' }",
    lambda: {"type": "object", "additionalProperties": {"anyOf": [_SECRET, schema_of(_CLIENT)]}},
)
_CHOICES: Final = replace(TEXTS, example="['tag:orders', 'getPrice', 'GET /prices/*']")
KEYS: Final = (
    Key("document", TEXT, "the file of the document, relative to this file, or its URL", required=True, take=_document),
    Key(
        "digest",
        text(
            "'sha256:' and 64 hexadecimal digits",
            {"type": "string", "pattern": f"^{_DIGEST.pattern}$"},
            test=lambda written: _DIGEST.fullmatch(written) is not None,
        ),
        "the digest of the content of a document from the network, which is refused if it has changed",
    ),
    Key("include", _CHOICES, "operations to use: ids, `tag:NAME`, paths, methods, or patterns of them; all by default"),
    Key("exclude", _CHOICES, "operations to leave out, in the same form"),
    Key("server", TEXT, "the address of the server; the first one of the document by default", take=_server),
    Key("auth", _AUTH, "what to sign in with, by the names of the document's security schemes", take=_auth),
    HEADERS,
    Key("names", _NAMES, "names for the tools of operations, by operation id", take=_names),
    PREFIX._replace(meaning="prefix for the other tool names that models see; the API's name by default"),
    Key("max_tools", whole_number(1, 10_000), "how many tools there may be; 25 by default if `include` is not set"),
    Key("facade", SWITCH, "whether models get one tool that finds the others", False),
    Key("allow_private", SWITCH, "whether the server may be on this machine or in its network", False),
)


def read_apis(tables: Mapping[str, Any], spot: Spot) -> dict[str, ApiSettings]:
    """Return the settings of the APIs in a table of tables; everything that is wrong is reported."""
    found = {}
    for name, table in tables.items():
        here = spot.below(name)
        if not _NAME.fullmatch(name):
            hint = "a name is made of letters, digits, '_' and '-', and begins with a letter"
            here.report(f"'{name}' is not a valid name for an API", hint)
        elif not isinstance(table, dict):
            here.wrong("a table", f"write [{here.name}]")
        else:
            values = read_table(table, KEYS, here)
            if "document" in values:
                found[name] = ApiSettings(
                    name, owner=spot.origin.owner, place=here.location or Location(str(spot.origin.folder)), **values
                )
    return found


def apis_schema() -> Schema:
    """Return the JSON Schema of the tables of APIs."""
    names = {"pattern": f"^{_NAME.pattern}$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": schema_of(KEYS)}
