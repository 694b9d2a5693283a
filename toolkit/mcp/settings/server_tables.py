"""Read MCP servers from configuration tables and editors' files, and report all problems in them.

    [mcp]
    files = [".mcp.json"]              # the servers in an editor's file, too

    [mcp.time]
    command = "uvx"
    args = ["mcp-server-time"]
    env = { TZ = "Europe/Oslo" }

    [mcp.tickets]
    url = "https://tickets.example/mcp"
    headers = { Authorization = "Bearer ${TICKETS_TOKEN}" }
    meta = ["tenant"]

In `pyproject.toml`, these tables are under `tool.toolkit`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.json_reading import parse_commented_json
from toolkit.documents.keys import (
    TEXTS_SCHEMA,
    Key,
    Origin,
    Schema,
    Spot,
    keys_listed,
    names_of,
    near_key,
    read_table,
    schema_of,
)
from toolkit.documents.nodes import Mapping as MappingNode, place_of, plain
from toolkit.mcp.settings.server_keys import EDITORS_KEYS, HTTP_KEYS, STDIO_KEYS
from toolkit.mcp.settings.server_settings import HttpServer, McpServer, StdioServer
from toolkit.problems import Location, Problem, did_you_mean, errors_among
from toolkit.regular_files import bounded_bytes


def read_server(name: str, table: Mapping[str, Any], spot: Spot) -> McpServer | None:
    """Return the server that a table describes, or `None` if the table has errors.

    Args:
        name: The name of the server.
        table: Its settings.
        spot: The location of the table.
    """
    kinds = [kind for kind in ("command", "url") if kind in table]
    if len(kinds) != 1:
        _report_kinds(name, kinds, table, spot)
        return None
    problems: list[Problem] = []
    inside = spot._replace(origin=spot.origin._replace(problems=problems))
    keys, others = (STDIO_KEYS, HTTP_KEYS) if kinds == ["command"] else (HTTP_KEYS, STDIO_KEYS)
    values = read_table(table, keys, inside, advice=_hint_among(keys, others))
    spot.origin.problems.extend(problems)
    return None if errors_among(problems) else _server(name, values, spot)


def server_schema() -> Schema:
    """Return the JSON Schema of a server's table."""
    return {"anyOf": [schema_of(STDIO_KEYS), schema_of(HTTP_KEYS)]}


def _report_kinds(name: str, kinds: Sequence[str], table: Mapping[str, Any], spot: Spot) -> None:
    both = "both 'command' and 'url'" if kinds else "neither 'command' nor 'url'"
    known = names_of((*STDIO_KEYS, *HTTP_KEYS))
    near = (hint for key in table if key not in known and (hint := did_you_mean(key, ("command", "url"))))
    spot.report(f"server '{name}' has {both}", next(near, "write one: command = 'uvx', or url = 'https://…'"))


def _hint_among(keys: Sequence[Key], others: Sequence[Key]) -> Callable[[str], str]:
    """Return a function that returns a hint for an unknown key, which may belong to the other kind of server."""
    of_the_other = {*names_of(others)} - {*names_of(keys)}

    def advice(name: str) -> str:
        if name in of_the_other:
            return f"'{name}' is for the other kind of server; {keys_listed(keys)}"
        return near_key(name, keys)

    return advice


def _server(name: str, values: dict[str, Any], spot: Spot) -> McpServer:
    origin = spot.origin
    fields = {"converter" if key == "meta" else key: value for key, value in values.items()}
    fields |= {"name": name, "owner": origin.owner, "place": origin.place(spot.path)}
    if "url" in values:
        return HttpServer(**fields)
    # Not the current directory: the program may load files from there, which could belong to someone else.
    return StdioServer(**{"cwd": origin.folder.resolve()} | fields)


FILES = "files"
"""The key that lists editors' files, next to the tables of servers."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def read_servers(tables: Mapping[str, Any], spot: Spot) -> dict[str, McpServer]:
    """Return the servers in the tables, and those in the editors' files that they list.

    Args:
        tables: A table for each server, and `files`.
        spot: The location of the tables.
    """
    servers: dict[str, McpServer] = {}
    for name, table in tables.items():
        here = spot.below(name)
        if name == FILES and isinstance(table, list):
            continue
        if not isinstance(table, dict):
            here.wrong("a table", f"write [{here.name}], or files = […]")
        elif not _NAME.fullmatch(name):
            hint = "a name is made of letters, digits, '_' and '-', and begins with a letter"
            here.report(f"'{name}' is not a valid name for a server", hint)
        elif (server := read_server(name, table, here)) is not None:
            servers[name] = server
    for file in _files(tables.get(FILES), spot.below(FILES)):
        for name, server in read_editors_file(file, spot.origin).items():
            if name in servers:
                place = f" in {servers[name].place}" if servers[name].place else ""
                message = f"'{file}' defines a server '{name}', which is already defined{place}"
                spot.below(FILES).report(message, "define it once")
            servers.setdefault(name, server)
    return servers


def _files(listed: Any, spot: Spot) -> list[Path]:
    if not isinstance(listed, list) or not all(isinstance(one, str) and one.strip() for one in listed):
        if isinstance(listed, list):
            spot.wrong("a list of strings", "write files = ['.mcp.json']")
        return []
    found = []
    for text in listed:
        file = spot.origin.folder / Path(text).expanduser()
        if file.is_file():
            found.append(file)
        else:
            spot.report(f"there is no file '{text}'", f"looked for in '{spot.origin.folder.resolve()}'")
    return found


def servers_schema() -> Schema:
    """Return the JSON Schema of the tables of servers and the list of editors' files."""
    server = server_schema()
    return {
        "type": "object",
        "properties": {FILES: {"anyOf": [TEXTS_SCHEMA, server]}},
        "propertyNames": {"pattern": f"^{_NAME.pattern}$"},
        "additionalProperties": server,
    }


_LISTS = ("mcpServers", "servers")
_LARGEST = 1024 * 1024
_KEYS = (*EDITORS_KEYS, "type")
_EDITORS_OWN = {
    "alwaysAllow", "autoApprove", "description", "dev", "disabled", "disabledTools", "enabled", "envFile", "gallery",
    "icon", "oauth", "sandbox", "sandboxEnabled", "timeout", "tools", "version",
}  # fmt: skip
_INPUT = re.compile(r"\$\{input:([^}]*)\}")


def read_editors_file(file: Path, origin: Origin) -> dict[str, McpServer]:
    """Return the servers in an editor's file.

    Args:
        file: The file.
        origin: The file whose setting lists it.
    """
    try:
        root, problems = parse_commented_json(bounded_bytes(file, most=_LARGEST).decode("utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        place = Location(str(file))
        root, problems = None, [Problem(BAD_CONFIGURATION, f"'{file.name}' cannot be read: {error}", place)]
    origin.problems.extend(replace(problem, code=BAD_CONFIGURATION) for problem in problems)
    if root is None:
        return {}
    listed = next((key for key in _LISTS if isinstance(root, MappingNode) and root.get(key) is not None), "")
    inner = origin._replace(
        folder=_project_of(file), place=lambda path: place_of(root, path) or Location(str(file)), is_editors=True
    )
    tables = plain(root)[listed] if listed else None
    if not isinstance(tables, dict):
        Spot((), inner).report(f"'{file.name}' contains no servers", 'add them under "mcpServers" or "servers"')
        return {}
    servers: dict[str, McpServer] = {}
    for key, table in tables.items():
        spot, name = Spot((listed, key), inner), re.sub(r"[^A-Za-z0-9_-]+", "_", key).strip("_") or "server"
        if not isinstance(table, dict):
            spot.report(f"'{key}' must be an object")
        elif name in servers:
            spot.report(f"'{key}' and another server would both be '{name}'", "rename one")
        elif table.get("disabled") is True:
            continue
        elif (server := read_server(name, _as_ours(table, spot), spot)) is not None:
            servers[name] = server
    return servers


def _project_of(file: Path) -> Path:
    """Return the project folder of an editor's file, which can be in `.cursor` or `.vscode` below it."""
    folder = file.absolute().parent
    return folder.parent if folder.name in {".cursor", ".vscode"} else folder


def _as_ours(table: Mapping[str, Any], spot: Spot) -> dict[str, Any]:
    """Return an editor's table with our keys; keys that only concern the editor are ignored."""
    for key in table:
        if key not in _KEYS and key not in _EDITORS_OWN:
            hint = did_you_mean(key, _KEYS, otherwise="it is ignored")
            spot.below(key).report(f"unknown key '{key}'", hint, "warning")
    if "envFile" in table:
        message = f"server '{spot.path[-1]}' has an environment file, which is not read"
        hint = "set the variables yourself, and refer to them: env = { NAME = '${NAME}' }"
        spot.below("envFile").report(message, hint, "warning")
    if table.get("type") == "sse":
        message = f"server '{spot.path[-1]}' uses SSE, which MCP no longer supports"
        hint = "most of these servers also support streamable HTTP, at the path /mcp"
        spot.below("type").report(message, hint, "warning")
    return {key: _fill_in(value, spot.below(key)) for key, value in table.items() if key in EDITORS_KEYS}


def _fill_in(value: Any, spot: Spot) -> Any:
    """Return a value with the editor's variables replaced in its strings."""
    match value:
        case str():
            return _in_place(value, spot)
        case list():
            return [_in_place(one, spot) if isinstance(one, str) else one for one in value]
        case dict():
            return {key: _in_place(one, spot.below(key)) if isinstance(one, str) else one for key, one in value.items()}
    return value


def _in_place(text: str, spot: Spot) -> str:
    """Return a text with the editor's variables replaced."""
    if found := _INPUT.search(text):
        hint = f"write ${{env:{re.sub('[^A-Za-z0-9]+', '_', found[1]).upper() or 'NAME'}}}, which editors support too"
        spot.report(f"'{found[0]}' is an input that only the editor can ask for", hint)
    home, folder = str(Path.home()), str(spot.origin.folder)
    known = {"${workspaceFolder}": folder, "${workspaceRoot}": folder, "${userHome}": home, "${HOME}": home}
    for name, value in known.items():
        text = text.replace(name, value)
    return text
