"""The keys of an MCP server's table in the configuration.

To add a key, add a row here and a field with the same name to the server.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import SplitResult, urlsplit

from toolkit.amounts import format_duration
from toolkit.disclosure.groups import read_choices
from toolkit.documents.keys import DURATION, SWITCH, TEXTS_SCHEMA, Key, Kind, Schema, Spot, is_text, one_of, text
from toolkit.errors import ConfigurationError
from toolkit.mcp.settings.auth_keys import AUTH
from toolkit.mcp.settings.server_settings import CALL_TIMEOUT, START_TIMEOUT, Protocol, holds_secret
from toolkit.mcp.shared_context import MetaConverter, converter_from, names_what_crosses
from toolkit.problems import Severity

_USER_FILE: Final = "~/.config/toolkit/config.toml"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_HEADER = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PREFIX = r"[A-Za-z0-9_]*"
_ERAS: Final[tuple[Protocol, ...]] = get_args(Protocol)


# ----------------------------------------------------------------------------------------------- what a value must be


def _one_text(words: str, pattern: str, name: str = "string") -> Kind:
    schema = {"type": "string", "pattern": pattern}
    return text(words, schema, test=lambda written: is_text(written) and "\0" not in written, name=name)


def _texts(written: Any, _: Spot) -> tuple[str, ...] | None:
    is_list = isinstance(written, list) and all(isinstance(item, str) for item in written)
    return tuple(written) if is_list else None


def _some_texts(written: Any, spot: Spot) -> tuple[str, ...] | None:
    found = _texts(written, spot)
    return found if found is not None and all(found) else None


def _named_texts(written: Any, _: Spot) -> Mapping[str, str] | None:
    is_table = isinstance(written, dict) and all(isinstance(one, str) for one in written.values())
    return written if is_table else None


def _table_of_texts(example: str, name: str) -> Kind:
    schema: Schema = {
        "type": "object",
        "propertyNames": {"pattern": f"^{name}$"},
        "additionalProperties": {"type": "string", "pattern": r"^[^\r\n\u0000]*$"},
    }
    return Kind("table of strings", "a table of strings", _named_texts, example, schema)


_TEXTS = Kind(
    "list of strings",
    "a list of strings",
    _texts,
    "['--flag', 'value']",
    {"type": "array", "items": {"type": "string"}},
)
_CHOICES = Kind("list of strings", "a list of strings", _some_texts, "['name', 'get_*']", TEXTS_SCHEMA)
_ERA = one_of(*_ERAS, name=" | ".join(_ERAS))
_NAME_PART = text(
    "made of letters, digits and underscores",
    {"type": "string", "pattern": f"^{_PREFIX}$"},
    test=lambda written: re.fullmatch(_PREFIX, written) is not None,
)
_CROSSING = Kind(
    "list of names",
    "a list of names",
    lambda written, _: written,
    "['tenant']",
    {
        "anyOf": [
            TEXTS_SCHEMA,
            {"enum": ["all", "none"]},
            *(
                {"type": "object", "properties": {key: TEXTS_SCHEMA}, "required": [key], "additionalProperties": False}
                for key in ("allow", "deny")
            ),
        ]
    },
)


# ----------------------------------------------------------------------------------------------- what is made of values


def _command(command: str, spot: Spot) -> str:
    is_path = "/" in command or "\\" in command
    if " " in command and not is_path:
        program, *rest = command.split()
        args = ", ".join(f"'{one}'" for one in rest)
        spot.wrong("the program without arguments", f"there is no shell: write command = '{program}', args = [{args}]")
    if is_path and not Path(command).expanduser().is_absolute():
        return os.path.normpath(spot.origin.folder.absolute() / command)
    return str(Path(command).expanduser()) if command.startswith("~") else command


def _named(texts: Mapping[str, str], spot: Spot, *, name: re.Pattern[str], example: str) -> Mapping[str, str]:
    for key, value in texts.items():
        here = spot.below(key)
        if not name.fullmatch(key) or "\n" in value or "\r" in value or "\0" in value:
            here.report(f"'{here.name}' cannot be sent", f"write {spot.path[-1]} = {example}")
        elif holds_secret(key, value):
            severity: Severity = "warning" if spot.origin.is_editors else "error"
            here.report(
                f"'{here.name}' seems to hold a secret", "refer to an environment variable: '${NAME}'", severity
            )
    return texts


def _folder(text: str, spot: Spot) -> Path:
    return (spot.origin.folder.absolute() / Path(text).expanduser()).resolve()


def _address(url: str, spot: Spot) -> str:
    parts = web_address(url)
    if parts is None:
        spot.wrong("a URL with https:// or http://")
    elif parts.username is not None or parts.password is not None:
        hint = "send it in a header: headers = { Authorization = 'Bearer ${TOKEN}' }"
        spot.report(f"'{spot.name}' holds a user name or password", hint)
    elif parts.scheme == "http" and parts.hostname not in LOOPBACK and spot.beside.get("headers"):
        spot.report(f"'{spot.name}' sends the headers unencrypted", "use https://", "warning")
    return url


def web_address(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and (parts.port or True)
    except ValueError:
        return None
    return parts if parts.scheme in {"http", "https"} and has_host else None


def _trusted(is_trusted: bool, spot: Spot) -> bool:  # noqa: FBT001 - the value of the key
    if is_trusted and spot.origin.owner != "user":
        hint = f"a server can only be trusted in your own configuration: {_USER_FILE}"
        spot.report(f"a project's file cannot make server '{spot.path[-2]}' trusted", hint)
    return is_trusted


def _converter(written: Any, spot: Spot) -> MetaConverter | None:
    try:
        converter = converter_from(written)
    except ConfigurationError as error:
        spot.report(str(error), "write meta = ['tenant']")
        return None
    if spot.origin.owner != "user" and not names_what_crosses(converter):
        hint = f"list the names; only your own configuration can allow more: {_USER_FILE}"
        spot.wrong("a list of names in a project's file", hint)
    return converter


def _takes_named(kind: Kind, name: str) -> Callable[[Any, Spot], Any]:
    return partial(_named, name=re.compile(name), example=kind.example)


_ENV = _table_of_texts("{ TZ = 'UTC', TOKEN = '${TOKEN}' }", _VARIABLE)
_HEADERS = _table_of_texts("{ Authorization = 'Bearer ${TOKEN}' }", _HEADER)


# ----------------------------------------------------------------------------------------------- the rows

HEADERS: Final = Key("headers", _HEADERS, "headers to send with every request", take=_takes_named(_HEADERS, _HEADER))
PREFIX: Final = Key("prefix", _NAME_PART, "prefix for the tool names that models see; the server's name by default")

_COMMON = (
    Key(
        "trusted",
        SWITCH,
        "whether to trust the server's annotations of its tools; only in your own configuration",
        False,
        take=_trusted,
    ),
    Key("meta", _CROSSING, "the context values that the server receives with each call", take=_converter),
    PREFIX,
    Key("tools", _CHOICES, "tools to use: names, patterns or /regular expressions/; all by default", take=read_choices),
    Key("exclude", _CHOICES, "tools to leave out, in the same form", take=read_choices),
    Key("required", _CHOICES, "names of tools that must exist; a missing one is an error", take=read_choices),
    Key(
        "resources",
        _CHOICES,
        "resources that `toolkit serve` passes on: patterns of their URIs, or /regular expressions/; none by default",
        take=read_choices,
    ),
    Key(
        "prompts",
        _CHOICES,
        "prompts that `toolkit serve` passes on: names, patterns or /regular expressions/; none by default",
        take=read_choices,
    ),
    Key("protocol", _ERA, "the version of the protocol; `auto` uses the newer one if the server supports it", "auto"),
    Key("start_timeout", DURATION, "timeout for the server to start and answer", format_duration(START_TIMEOUT)),
    Key(
        "timeout",
        DURATION,
        "timeout of a call, not counting time spent waiting for answers",
        format_duration(CALL_TIMEOUT),
    ),
)
_STARTED = (
    Key(
        "command",
        _one_text("a program without arguments, such as 'uvx'", r"^[^ \u0000]+$|^[^\u0000]*[/\\][^\u0000]*$"),
        "the program to start, without a shell",
        required=True,
        take=_command,
    ),
    Key("args", _TEXTS, "its arguments, as a list"),
    Key(
        "env",
        _ENV,
        "environment variables, in addition to the few that are safe to pass on",
        take=_takes_named(_ENV, _VARIABLE),
    ),
    Key(
        "cwd",
        _one_text("a folder", r"\S", "folder"),
        "working directory; the folder of this file by default",
        take=_folder,
    ),
)
_REACHED = (
    Key(
        "url",
        _one_text("a URL such as 'https://tools.example/mcp'", "^https?://[^@/?#]+([/?#].*)?$"),
        "the server's URL",
        required=True,
        take=_address,
    ),
    HEADERS,
)
STDIO_KEYS: Final = (*_STARTED, *_COMMON)
HTTP_KEYS: Final = (*_REACHED, AUTH, *_COMMON)
EDITORS_KEYS: Final = tuple(key.name for key in (*_STARTED, *_REACHED))
"""The names of the keys that editors' files have, too."""
