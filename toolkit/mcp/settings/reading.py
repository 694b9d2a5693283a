"""Reading: the tables of a configuration, and the files of editors, become servers; everything wrong is reported.

    [mcp]
    files = [".mcp.json"]              # what an editor's file names, too

    [mcp.time]
    command = "uvx"
    args = ["mcp-server-time"]
    env = { TZ = "Europe/Oslo" }

    [mcp.tickets]
    url = "https://tickets.example/mcp"
    headers = { Authorization = "Bearer ${TICKETS_TOKEN}" }
    meta = ["tenant"]

In `pyproject.toml` they stand beneath `tool.toolkit`.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.settings.tables import Setting, read_table

FILES = "files"
"""The key that lists files of editors, beside the tables of servers."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def read_servers(tables: Mapping[str, Any], path: Sequence[str], setting: Setting) -> dict[str, McpServer]:
    """Return the servers that tables name, and those of the files that they list.

    Args:
        tables: A table for each server, and `files`.
        path: The keys that lead to them.
        setting: Where they stand.
    """
    servers: dict[str, McpServer] = {}
    for name, table in tables.items():
        here = [*path, name]
        if name == FILES and isinstance(table, list):
            continue
        if not isinstance(table, dict):
            setting.report(here, f"'{'.'.join(here)}' must be a table", f"write [{'.'.join(here)}], or files = […]")
        elif not _NAME.fullmatch(name):
            hint = "a name is made of letters, digits, '_' and '-', and begins with a letter"
            setting.report(here, f"'{name}' is no name for a server", hint)
        elif (server := read_table(name, table, here, setting)) is not None:
            servers[name] = server
    for file in _files(tables.get(FILES), [*path, FILES], setting):
        from toolkit.mcp.settings.editor_files import read_editors_file  # noqa: PLC0415 - few projects name such files

        for name, server in read_editors_file(file, setting).items():
            if name in servers:
                place = f" in {servers[name].place}" if servers[name].place else ""
                setting.report([*path, FILES], f"'{file}' names a server '{name}', as is done{place}", "name it once")
            servers.setdefault(name, server)
    return servers


def _files(listed: Any, path: Sequence[str], setting: Setting) -> list[Path]:
    if not isinstance(listed, list) or not all(isinstance(one, str) and one.strip() for one in listed):
        if isinstance(listed, list):
            setting.report(path, f"'{'.'.join(path)}' must be a list of texts", "write files = ['.mcp.json']")
        return []
    found = []
    for text in listed:
        file = setting.folder / Path(text).expanduser()
        if file.is_file():
            found.append(file)
        else:
            setting.report(path, f"there is no file '{text}'", f"it is looked for in '{setting.folder.resolve()}'")
    return found
