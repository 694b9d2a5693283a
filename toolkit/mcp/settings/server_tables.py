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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.documents.kinds import TEXTS_SCHEMA
from toolkit.documents.tables import Schema, Spot
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.settings.tables import read_server, server_schema

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
        from toolkit.mcp.settings.editor_files import read_editors_file  # noqa: PLC0415 - few projects list such files

        for name, server in read_editors_file(file, spot.setting).items():
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
        file = spot.setting.folder / Path(text).expanduser()
        if file.is_file():
            found.append(file)
        else:
            spot.report(f"there is no file '{text}'", f"looked for in '{spot.setting.folder.resolve()}'")
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
