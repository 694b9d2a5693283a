"""Settings of MCP servers: how each is reached, what of it is used, and how far it is trusted.

A value of this module starts nothing and contacts nobody. A text in it may name a variable of the environment
(`Bearer ${TOKEN}`); what the variable holds is looked up when the server is reached, and kept nowhere.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from shlex import join
from shutil import which
from typing import Any, Literal

from toolkit.documents.tables import Owner
from toolkit.errors import ConfigurationError
from toolkit.mcp.shared_context import MetaConverter, nothing
from toolkit.problems import Location
from toolkit.tools.names import legal_name

Protocol = Literal["auto", "handshake", "stateless"]
"""Which era of the protocol is spoken: the newer one where the server knows it, or one of the two alone."""

START_TIMEOUT = 30.0
"""Seconds that a server may take to answer for the first time, unless its settings say otherwise."""

CALL_TIMEOUT = 120.0
"""Seconds that a call may take, questions not counted, unless the settings say otherwise."""

_REFERENCE = re.compile(r"\$\{(?:(?P<room>env|context):)?(?P<name>[A-Za-z_][\w.-]*)(?::-(?P<default>[^}]*))?\}")
_SECRET_WORD = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|key|token|secret|password|passwd|credentials?|auth|authorization|cookie)(?:$|[_-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """The settings of a server of either kind.

    Attributes:
        trusted: The user vouches for the server's claims about its tools: their own marks decide what is asked about.
        converter: What of a call's context is sent to the server; nothing by default.
        prefix: What stands before the names that models are offered; the server's name and `_` by default.
        tools: Which tools are used: names, patterns, or regular expressions between slashes; all by default.
        exclude: Which are left out, written alike.
        required: The names of tools without which the server is of no use.
        protocol: Which era of the protocol is spoken: `handshake` (until 2025-11-25), `stateless` (since 2026-07-28),
            or `auto`, the newer one where the server knows it.
        start_timeout: Seconds until it must have answered for the first time.
        timeout: Seconds that a call may take, questions not counted.
        owner: Who chose the server; one that a project's file names is reached only with the user's consent.
        place: Where it is written.
    """

    trusted: bool = False
    converter: MetaConverter = field(default_factory=nothing)
    prefix: str | None = None
    tools: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    protocol: Protocol = "auto"
    start_timeout: float = START_TIMEOUT
    timeout: float = CALL_TIMEOUT
    owner: Owner = "user"
    place: Location | None = None


@dataclass(frozen=True)
class StdioServer(ServerOptions):
    """A server that is started as a command, without a shell, and connected over its standard input and output.

    Attributes:
        name: What it is called: its tools are `name.tool`.
        command: The program.
        args: Its arguments.
        env: Variables of its environment, beside the few that are safe to hand on (`PATH`, `HOME`, …).
        cwd: The folder that it works in; that of this process by default. In a file, the file's own folder.
    """

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None

    @property
    def line(self) -> str:
        """The full command line, as a shell would be given it; variables stand by their names."""
        return join([self.command, *self.args])

    @property
    def program(self) -> str | None:
        """The file that is started, as far as it is known before."""
        try:
            command = expand(self.command, self.name)
            path = expand(self.env["PATH"], self.name) if "PATH" in self.env else os.environ.get("PATH", os.defpath)
        except ConfigurationError:
            return None
        folder = Path.cwd() if self.cwd is None else self.cwd
        places = os.pathsep.join(str(folder / place) for place in path.split(os.pathsep))
        return which(str(folder / command) if os.sep in command else command, path=places)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of everything that decides what runs: another one is another command."""
        return _digest("stdio", self.command, list(self.args), dict(self.env), str(self.cwd) if self.cwd else None)


@dataclass(frozen=True)
class HttpServer(ServerOptions):
    """A server that is reached over streamable HTTP.

    Attributes:
        name: What it is called: its tools are `name.tool`.
        url: Its address.
        headers: What is sent with every request; `${context:NAME}` in one is a value of the call's context, so that
            each caller has a session of their own.
    """

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The address."""
        return self.url

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of everything that decides who receives what: with another one it is another server."""
        return _digest("http", self.url, dict(self.headers))


McpServer = StdioServer | HttpServer
"""A server of either kind."""


def offered_prefix(server: McpServer) -> str:
    """Return what stands before the names of its tools where models are offered them."""
    return f"{legal_name(server.name)}_" if server.prefix is None else server.prefix


def _digest(*parts: Any) -> str:
    return sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def expand(text: str, user: str, values: Mapping[str, Any] | None = None) -> str:
    """Return a text with what its variables hold.

    Args:
        text: The text: `${NAME}` and `${env:NAME}` are variables of the environment, with `${NAME:-text}` for one that
            may be missing; `${context:NAME}` is a value of the call's context.
        user: What needs it, for the error.
        values: The values of the context, where there is one.

    Raises:
        ConfigurationError: If one is not set.
    """

    def value_of(found: re.Match[str]) -> str:
        name, is_context = found["name"], found["room"] == "context"
        known: Mapping[str, Any] = (values or {}) if is_context else os.environ
        if name in known and known[name] is not None:
            return str(known[name])
        if found["default"] is not None:
            return found["default"]
        what = f"value '{name}' of the context" if is_context else f"environment variable '{name}'"
        advice = f"; set it with --context {name}=…" if is_context else ""
        raise ConfigurationError(f"{user} needs the {what}, which is not set{advice}")

    return _REFERENCE.sub(value_of, text)


def variables_in(texts: Mapping[Any, str]) -> list[str]:
    """Return what texts refer to, as it is written: `TOKEN`, `context:tenant`."""
    found = (match for text in texts.values() for match in _REFERENCE.finditer(text))
    names = (f"context:{match['name']}" if match["room"] == "context" else match["name"] for match in found)
    return list(dict.fromkeys(names))


def texts_of(server: McpServer) -> list[str]:
    """Return all texts of a server's settings in which a variable may be named."""
    if isinstance(server, HttpServer):
        return [server.url, *server.headers.values()]
    return [server.command, *server.args, *server.env.values()]


def holds_secret(name: str, text: str) -> bool:
    """Return whether a header or variable of this name usually holds a secret, and the text is one, not a reference."""
    return bool(text.strip()) and _SECRET_WORD.search(name) is not None and "${" not in text
