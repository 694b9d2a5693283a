"""Read the MCP servers in editors' files, such as `.mcp.json`, `.cursor/mcp.json` and `.vscode/mcp.json`."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.json_reading import parse_json
from toolkit.documents.nodes import Mapping as MappingNode, place_of, plain
from toolkit.documents.tables import Setting, Spot
from toolkit.mcp.settings.server_keys import EDITORS_KEYS
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.settings.tables import read_server
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.regular_files import bounded_bytes

_LISTS = ("mcpServers", "servers")
_LARGEST = 1024 * 1024
_KEYS = (*EDITORS_KEYS, "type")
_EDITORS_OWN = {
    "alwaysAllow", "autoApprove", "description", "dev", "disabled", "disabledTools", "enabled", "envFile", "gallery",
    "icon", "oauth", "sandbox", "sandboxEnabled", "timeout", "tools", "version",
}  # fmt: skip
_INPUT = re.compile(r"\$\{input:([^}]*)\}")


def read_editors_file(file: Path, setting: Setting) -> dict[str, McpServer]:
    """Return the servers in an editor's file.

    Args:
        file: The file.
        setting: The setting that lists the file.
    """
    try:
        root, problems = parse_json(_without_comments(bounded_bytes(file, most=_LARGEST).decode("utf-8")), str(file))
    except (OSError, UnicodeDecodeError) as error:
        place = Location(str(file))
        root, problems = None, [Problem(BAD_CONFIGURATION, f"'{file.name}' cannot be read: {error}", place)]
    for problem in problems:
        setting.take(replace(problem, code=BAD_CONFIGURATION))
    if root is None:
        return {}
    listed = next((key for key in _LISTS if isinstance(root, MappingNode) and root.get(key) is not None), "")
    inner = setting._replace(
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
    home, folder = str(Path.home()), str(spot.setting.folder)
    known = {"${workspaceFolder}": folder, "${workspaceRoot}": folder, "${userHome}": home, "${HOME}": home}
    for name, value in known.items():
        text = text.replace(name, value)
    return text


def _without_comments(text: str) -> str:
    """Return the text of an editor's file with comments and trailing commas, which VS Code allows, blanked out."""
    kept = re.sub(
        r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/',
        lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]),
        text,
        flags=re.DOTALL,
    )
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or " ", kept)
