"""The MCP clients in whose files servers can be installed: where the files are, and how an entry is written.

To add a client, add a row to the table, with the page that publishes its format and the day it was read. A client whose
makers publish no format is not listed.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from toolkit.dialects.provider_limits import Source
from toolkit.documents.entry_edits import Format
from toolkit.errors import ConfigurationError
from toolkit.mcp.settings.server_settings import (
    HttpServer,
    McpServer,
    StdioServer,
    expand,
    holds_secret,
    variables_in,
    with_references,
)
from toolkit.problems import Problem

Scope = Literal["user", "project"]
"""Whose file it is: the user's, for all their projects, or that of one project."""


class Shape(NamedTuple):
    """How an entry describes a server that the client starts, or one that it connects to.

    Attributes:
        target: The key of the command, or of the URL.
        values: The key of environment variables, or of headers.
        args: The key of the arguments; `None` if they follow the command in one list.
        constant: Members of every entry; `{name}` stands for the name of the server.
        passed_on: The key with the names of variables that the client reads from its environment or its own store of
            secrets, if it has one.
        from_variables: The key of headers whose values are those of environment variables, if there is one.
        bearer: The key with the name of the variable that contains the bearer token, if there is one.
    """

    target: str
    values: str
    args: str | None = None
    constant: Mapping[str, Any] = {}
    passed_on: str | None = None
    from_variables: str | None = None
    bearer: str | None = None


class Client(NamedTuple):
    """A client, and the format of its file.

    Attributes:
        title: Its name in texts.
        format: The format of its file.
        path: The keys under which the file lists servers.
        sources: The pages or files that publish this, and the day they were read.
        started: The form of a server that the client starts.
        reached: The form of a server that it connects to; `None` if its file cannot contain any.
        user: The possible files of the user, by platform; the first one that exists counts, otherwise the first.
        project: The same for a project, relative to its folder; empty if there is none.
        reference: How a text refers to an environment variable, with `{}` for its name; `None` if it cannot.
        earlier_path: The keys under which older versions list servers, in files that have some there.
    """

    title: str
    format: Format
    path: tuple[str, ...]
    sources: tuple[Source, ...]
    started: Shape
    reached: Shape | None
    user: Mapping[str, tuple[str, ...]]
    project: tuple[str, ...] = ()
    reference: str | None = None
    earlier_path: tuple[str, ...] | None = None


_DAY: Final = "2026-11-27"
_CONFIG: Final = "${XDG_CONFIG_HOME:-~/.config}"
_SUPPORT: Final = "~/Library/Application Support"


def _read(*places: str) -> tuple[Source, ...]:
    return tuple(Source(place, _DAY) for place in places)


def _everywhere(*files: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(("linux", "darwin", "win32"), files)


def _files(linux: str, darwin: str, win32: str) -> dict[str, tuple[str, ...]]:
    return {"linux": (linux,), "darwin": (darwin,), "win32": (win32,)}


_COMMAND: Final = Shape("command", "env", args="args")
_URL: Final = Shape("url", "headers")

CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client(
        title="Claude Code",
        format="json",
        path=("mcpServers",),
        sources=_read("https://code.claude.com/docs/en/mcp"),
        started=_COMMAND,
        reached=_URL._replace(constant={"type": "http"}),
        user=_everywhere("~/.claude.json"),
        project=(".mcp.json",),
        reference="${{{}}}",
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        format="json",
        path=("mcpServers",),
        sources=_read(
            "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
            "https://github.com/aaddrick/claude-desktop-debian/blob/main/docs/configuration.md",
        ),
        started=_COMMAND,
        reached=None,
        user=_files(
            f"{_CONFIG}/Claude/claude_desktop_config.json",
            f"{_SUPPORT}/Claude/claude_desktop_config.json",
            "${APPDATA}/Claude/claude_desktop_config.json",
        ),
    ),
    "codex": Client(
        title="Codex",
        format="toml",
        path=("mcp_servers",),
        sources=_read("https://developers.openai.com/codex/mcp"),
        started=_COMMAND._replace(passed_on="env_vars"),
        reached=Shape("url", "http_headers", from_variables="env_http_headers", bearer="bearer_token_env_var"),
        user=_everywhere("${CODEX_HOME:-~/.codex}/config.toml"),
        project=(".codex/config.toml",),
    ),
    "cursor": Client(
        title="Cursor",
        format="json",
        path=("mcpServers",),
        sources=_read("https://cursor.com/docs/mcp"),
        started=_COMMAND._replace(constant={"type": "stdio"}),
        reached=_URL,
        user=_everywhere("~/.cursor/mcp.json"),
        project=(".cursor/mcp.json",),
        reference="${{env:{}}}",
    ),
    "vscode": Client(
        title="Visual Studio Code",
        format="json",
        path=("servers",),
        sources=_read("https://code.visualstudio.com/docs/copilot/reference/mcp-configuration"),
        started=_COMMAND._replace(constant={"type": "stdio"}),
        reached=_URL._replace(constant={"type": "http"}),
        user=_files(f"{_CONFIG}/Code/User/mcp.json", f"{_SUPPORT}/Code/User/mcp.json", "${APPDATA}/Code/User/mcp.json"),
        project=(".vscode/mcp.json",),
        reference="${{env:{}}}",
    ),
    "windsurf": Client(
        title="Windsurf",
        format="json",
        path=("mcpServers",),
        sources=_read("https://docs.windsurf.com/windsurf/cascade/mcp"),
        started=_COMMAND,
        reached=Shape("serverUrl", "headers"),
        user=_everywhere("~/.codeium/windsurf/mcp_config.json"),
        reference="${{env:{}}}",
    ),
    "zed": Client(
        title="Zed",
        format="json",
        path=("context_servers",),
        sources=_read("https://zed.dev/docs/ai/mcp"),
        started=_COMMAND,
        reached=_URL,
        user=_files(f"{_CONFIG}/zed/settings.json", "~/.config/zed/settings.json", "${APPDATA}/Zed/settings.json"),
    ),
    "gemini-cli": Client(
        title="Gemini CLI",
        format="json",
        path=("mcpServers",),
        sources=_read("gemini-cli, docs/tools/mcp-server.md", "gemini-cli, docs/reference/configuration.md"),
        started=_COMMAND,
        reached=Shape("httpUrl", "headers"),
        user=_everywhere("~/.gemini/settings.json"),
        project=(".gemini/settings.json",),
        reference="${{{}}}",
    ),
    "goose": Client(
        title="goose",
        format="yaml",
        path=("extensions",),
        sources=_read(
            "https://block.github.io/goose/docs/guides/config-files", "goose, crates/goose/src/agents/extension.rs"
        ),
        started=Shape(
            "cmd",
            "envs",
            args="args",
            constant={"enabled": True, "type": "stdio", "name": "{name}", "description": "", "timeout": 300},
            passed_on="env_keys",
        ),
        reached=Shape(
            "uri",
            "headers",
            constant={"enabled": True, "type": "streamable_http", "name": "{name}", "description": "", "timeout": 300},
            passed_on="env_keys",
        ),
        user=_files(
            f"{_CONFIG}/goose/config.yaml", f"{_CONFIG}/goose/config.yaml", "${APPDATA}/Block/goose/config/config.yaml"
        ),
        reference="${}",
    ),
    "opencode": Client(
        title="opencode",
        format="json",
        path=("mcp", "servers"),
        sources=_read("https://opencode.ai/v2/docs/mcp-servers"),
        started=Shape("command", "environment", constant={"type": "local"}),
        reached=_URL._replace(constant={"type": "remote"}),
        user=_everywhere(f"{_CONFIG}/opencode/opencode.json", f"{_CONFIG}/opencode/opencode.jsonc"),
        project=("opencode.json", "opencode.jsonc"),
        reference="{{env:{}}}",
        earlier_path=("mcp",),
    ),
}
"""The clients, by the names that commands use."""


def file_of(client: Client, scope: Scope, folder: Path) -> Path | None:
    """Return the client's file, whether it exists or not; `None` if the client has none in this scope or system.

    Args:
        client: The client.
        scope: Whose file it is.
        folder: The folder of the project.
    """
    if scope == "project":
        found = [folder / name for name in client.project]
    else:
        found = [_expanded(name) for name in client.user.get(sys.platform, ())]
    return next((file for file in found if file.exists()), found[0] if found else None)


def _expanded(file: str) -> Path:
    try:
        return Path(expand(file, "the client's file")).expanduser()
    except ConfigurationError:  # APPDATA is set on every Windows, where Explorer itself needs it
        return Path(file)


def is_found(client: Client) -> bool:
    """Return whether the client seems to be installed: its file, or a folder of its own, is there."""
    file = file_of(client, "user", Path())
    return file is not None and (file.exists() or (file.parent != Path.home() and file.parent.is_dir()))


def path_in(client: Client, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys under which a file with this data lists servers."""
    earlier: Any = data
    for name in client.earlier_path or ():
        earlier = earlier.get(name) if isinstance(earlier, Mapping) else None
    if client.earlier_path is None or not isinstance(earlier, Mapping) or client.path[-1] in earlier:
        return client.path
    are_servers = any(isinstance(one, Mapping) and "type" in one for one in earlier.values())
    return client.earlier_path if are_servers else client.path


# ----------------------------------------------------------------------------------------------- entries

_VARIABLE: Final = re.compile(r"\$\{(?:env:)?(\w+)\}")
_BEARER: Final = re.compile(r"Bearer \$\{(?:env:)?(\w+)\}")


def entry_of(client: Client, server: McpServer) -> dict[str, Any]:
    """Return how a client's file describes a server.

    Raises:
        ConfigurationError: If the file cannot describe it: it would contain a secret, or refer to a variable.
    """
    if (found := next(_secrets_in(server), None)) is not None:
        message = (
            f"'{found}' of server '{server.name}' seems to hold a secret, which is not written into a client's file"
        )
        raise _refused(message, "put it into an environment variable, and write ${NAME} instead")
    if isinstance(server, StdioServer):
        return _started(client, server)
    return _reached(client, server)


def _started(client: Client, server: StdioServer) -> dict[str, Any]:
    shape = client.started
    passed = [name for name, text in server.env.items() if shape.passed_on and _is_variable(name, text)]
    values = {name: _written(client, text) for name, text in server.env.items() if name not in passed}
    command, args = _written(client, server.command), [_written(client, text) for text in server.args]
    entry = _constant(shape, server.name)
    entry |= {shape.target: [command, *args]} if shape.args is None else {shape.target: command, shape.args: args}
    entry |= {shape.values: values} if values else {}
    return entry | ({shape.passed_on: passed} if shape.passed_on and passed else {})


def _reached(client: Client, server: HttpServer) -> dict[str, Any]:
    shape = client.reached
    if shape is None:
        hint = (
            f"write it as [mcp.{server.name}] into toolkit.toml, and install that with --serve; or add it in the "
            "client's own settings"
        )
        raise _refused(f"{client.title} starts the servers in its file, and cannot connect to an address there", hint)
    entry = _constant(shape, server.name) | {shape.target: _written(client, server.url)}
    for name, text in server.headers.items():
        if shape.bearer is not None and name.lower() == "authorization" and (found := _BEARER.fullmatch(text)):
            entry[shape.bearer] = found[1]
        elif shape.from_variables is not None and (found := _VARIABLE.fullmatch(text)):
            entry.setdefault(shape.from_variables, {})[name] = found[1]
        else:
            entry.setdefault(shape.values, {})[name] = _written(client, text)
    if shape.passed_on is not None and (names := variables_in(server.headers)):
        entry[shape.passed_on] = names
    return entry


def _constant(shape: Shape, name: str) -> dict[str, Any]:
    return {key: name if value == "{name}" else value for key, value in shape.constant.items()}


def _is_variable(name: str, text: str) -> bool:
    found = _VARIABLE.fullmatch(text)
    return found is not None and found[1] == name


def _written(client: Client, text: str) -> str:
    """Return a text with the client's own references to environment variables."""

    def reference(name: str, default: str | None) -> str:
        if client.reference is None:
            hint = (
                "install with --serve, so that toolkit fills it in; or leave it out, if the client can sign in itself"
            )
            raise _refused(f"{client.title} cannot refer to the environment variable '{name}' there", hint)
        if default is not None or ":" in name:
            room, _, own = name.rpartition(":")
            what = {"context": f"the context value '{own}'", "keyring": f"the keyring entry '{own}'"}.get(room)
            what = what or f"a default for the environment variable '{name}'"
            raise _refused(f"{client.title} does not know {what}", "install with --serve, so that toolkit fills it in")
        return client.reference.format(name)

    return with_references(text, reference)


def _secrets_in(server: McpServer) -> Iterator[str]:
    """Yield the names of values that seem to be secrets."""
    named: list[tuple[str, str]]
    if isinstance(server, HttpServer):
        parts = urlsplit(server.url)
        named = [*server.headers.items(), *parse_qsl(parts.query), ("url-password", parts.password or "")]
    else:
        options = [text for text in server.args if text.startswith("--") and "=" in text]
        named = [*server.env.items(), *((name, text) for name, _, text in (one.partition("=") for one in options))]
        named += [(name, text) for name, text in pairwise(server.args) if name.startswith("--") and "=" not in name]
    yield from (name for name, text in named if holds_secret(name.lstrip("-"), text))


def _refused(message: str, hint: str) -> ConfigurationError:
    return ConfigurationError(message, problems=[Problem("", message, hint=hint)])


# ----------------------------------------------------------------------------------------------- read back


def server_of(client: Client, name: str, entry: Mapping[str, Any]) -> McpServer | None:
    """Return the server that an entry of a client's file describes, or `None` if it describes none."""
    for shape, is_started in ((client.started, True), (client.reached, False)):
        target = entry.get(shape.target) if shape is not None else None
        command = [target] if isinstance(target, str) else target
        if shape is None or not isinstance(command, list) or not command or not all(map(_is_text, command)):
            continue
        values = {key: _as_ours(client, text) for key, text in _texts(entry.get(shape.values)).items()}
        passed = entry.get(shape.passed_on) if shape.passed_on else None
        if is_started:
            given = entry.get(shape.args) if shape.args else None
            args = [*command[1:], *(filter(_is_text, given) if isinstance(given, list) else ())]
            values |= {one: f"${{{one}}}" for one in (passed if isinstance(passed, list) else ()) if _is_text(one)}
            return StdioServer(name, _as_ours(client, command[0]), tuple(_as_ours(client, one) for one in args), values)
        values |= {key: f"${{{one}}}" for key, one in _texts(entry.get(shape.from_variables or "")).items()}
        if shape.bearer and _is_text(entry.get(shape.bearer)):
            values["Authorization"] = f"Bearer ${{{entry[shape.bearer]}}}"
        return HttpServer(name, _as_ours(client, command[0]), values)
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(table: Any) -> dict[str, str]:
    return {key: text for key, text in table.items() if _is_text(text)} if isinstance(table, Mapping) else {}


def _as_ours(client: Client, text: str) -> str:
    """Return a text of a client with our own references to environment variables."""
    if client.reference is None:
        return text
    pattern = re.escape(client.reference.format("NAME")).replace("NAME", r"(\w+)")
    return re.sub(pattern, r"${\1}", text)
