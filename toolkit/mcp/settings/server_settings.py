"""The settings of an MCP server: how to reach it, which of its tools to use, and whether to trust it.

Creating these settings neither starts nor contacts a server. Their strings can refer to environment variables
(`Bearer ${TOKEN}`), which are looked up when the server is contacted and not stored.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from shlex import join
from shutil import which
from typing import Any, Literal

from toolkit.approvals.consents import Access
from toolkit.codes import CONSENT_MISSING
from toolkit.documents.keys import Owner
from toolkit.errors import ConfigurationError
from toolkit.mcp.shared_context import MetaConverter, names_that_cross, nothing
from toolkit.problems import Location, Problem
from toolkit.redactors.redactor import RECEIVED
from toolkit.tools.definition.names import legal_name
from toolkit.variables import variable

Protocol = Literal["auto", "handshake", "stateless"]
"""The era of the protocol to use; `auto` uses the stateless one if the server supports it."""

START_TIMEOUT = 30.0
"""Default timeout for a server to start and answer, in seconds."""

CALL_TIMEOUT = 120.0
"""Default timeout of a call in seconds, excluding the time spent waiting for answers."""

GrantType = Literal["authorization_code", "client_credentials"]
"""Who signs in to a server: a person in a browser, or this machine."""

SigningAlgorithm = Literal["RS256", "PS256", "ES256", "ES384", "EdDSA"]

_REFERENCE = re.compile(r"\$\{(?:(?P<room>env|context|keyring):)?(?P<name>[A-Za-z_][\w.-]*)(?::-(?P<default>[^}]*))?\}")
_SECRET_WORD = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|key|token|secret|password|passwd|credentials?|auth|authorization|cookie)(?:$|[_-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """The settings that both kinds of servers have.

    Attributes:
        trusted: Whether to trust the server's annotations of its tools, which then decide what needs approval.
        converter: Chooses the context values that the server receives; none by default.
        prefix: Prefix for the tool names that models see; the server's name and `_` by default.
        tools: The tools to use: names, patterns, or regular expressions between slashes; all by default.
        exclude: The tools to leave out, in the same form.
        required: Names of tools that must exist.
        resources: Patterns of the URIs of resources that our own server passes on; none by default.
        prompts: Patterns of the names of prompts that our own server passes on; none by default.
        protocol: The era of the protocol to use: `handshake` (until 2025-11-25), `stateless` (since 2026-07-28), or
            `auto`, which uses the stateless one if the server supports it.
        start_timeout: Timeout for the server to start and answer, in seconds.
        timeout: Timeout of a call in seconds, excluding the time spent waiting for answers.
        owner: Who configured the server. A server from a project's file is only contacted with the user's consent.
        place: Where the server is configured.
    """

    trusted: bool = False
    converter: MetaConverter = field(default_factory=nothing)
    prefix: str | None = None
    tools: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    protocol: Protocol = "auto"
    start_timeout: float = START_TIMEOUT
    timeout: float = CALL_TIMEOUT
    owner: Owner = "user"
    place: Location | None = None


@dataclass(frozen=True)
class StdioServer(ServerOptions):
    """A server that is started as a command, without a shell, and connected over stdio.

    Attributes:
        name: Its name; its tools are named `name.tool`.
        command: The program.
        args: Its arguments.
        env: Environment variables, in addition to the few that are safe to pass on (`PATH`, `HOME`, …).
        cwd: Its working directory; that of this process by default. In a file, the default is the file's folder.
    """

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None

    @property
    def line(self) -> str:
        """The full command line, quoted for a shell; variables are not expanded."""
        return join([self.command, *self.args])

    @property
    def program(self) -> str | None:
        """The path of the program, or `None` if it is not known before the start."""
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
        """The SHA-256 of everything that determines what is run."""
        return _digest("stdio", self.command, list(self.args), dict(self.env), str(self.cwd) if self.cwd else None)


@dataclass(frozen=True, kw_only=True)
class Auth:
    """How to sign in to a server, where its own metadata is not enough.

    Attributes:
        grant: Who signs in.
        client_id: The id of the client; an `https` address with a path is that of its metadata document. Without one,
            the client registers itself.
        client_secret: Its secret, as a reference to an environment variable.
        private_key: The private key in PEM that signs its assertions, as such a reference.
        algorithm: The algorithm of these signatures.
        issuer: The only authorization server that receives the credentials.
        scopes: The permissions to ask for; by default, those that the server names.
        port: The loopback port to which the browser returns; a free one by default.
    """

    grant: GrantType = "authorization_code"
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)
    algorithm: SigningAlgorithm = "RS256"
    issuer: str = ""
    scopes: tuple[str, ...] = ()
    port: int = 0

    @property
    def shown(self) -> dict[str, Any]:
        """The settings that are not the default ones."""
        defaults = Auth()
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value != getattr(defaults, name)
        }


@dataclass(frozen=True)
class HttpServer(ServerOptions):
    """A server that is reached over streamable HTTP.

    Attributes:
        name: Its name; its tools are named `name.tool`.
        url: Its URL.
        headers: Headers to send with every request. `${context:NAME}` is replaced by a context value of the call, so
            that each caller gets a separate session.
        auth: How to sign in.
    """

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    auth: Auth = field(default_factory=Auth)

    @property
    def line(self) -> str:
        """The URL."""
        return self.url

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of everything that determines who receives which data."""
        return _digest("http", self.url, dict(self.headers), *filter(None, [self.auth.shown]))

    @property
    def signs_in(self) -> bool:
        """Whether its user, or this machine, signs in to it; not if its headers already say who sends a request."""
        return all(name.lower() != "authorization" for name in self.headers)


McpServer = StdioServer | HttpServer
"""A server of either kind."""


def offered_prefix(server: McpServer) -> str:
    """Return the prefix for the tool names that models see."""
    return f"{legal_name(server.name)}_" if server.prefix is None else server.prefix


def _digest(*parts: Any) -> str:
    return sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def expand(text: str, user: str, values: Mapping[str, Any] | None = None) -> str:
    """Return a text with its references replaced by their values.

    Args:
        text: The text. `${NAME}` and `${env:NAME}` refer to environment variables, with a default in `${NAME:-text}`;
            `${context:NAME}` refers to a context value, and `${keyring:NAME}` to an entry of the keyring.
        user: What needs the text, for the error message.
        values: The context values, if there is a context.

    Raises:
        ConfigurationError: If what a reference means is not set.
    """

    def value_of(found: re.Match[str]) -> str:
        if found["room"] == "keyring":
            return variable(_name_of(found), user, RECEIVED)
        name, is_context = found["name"], found["room"] == "context"
        known: Mapping[str, Any] = (values or {}) if is_context else os.environ
        if name in known and known[name] is not None:
            return str(known[name])
        if found["default"] is not None:
            return found["default"]
        what = f"context value '{name}'" if is_context else f"environment variable '{name}'"
        advice = f"; set it with --context {name}=…" if is_context else ""
        raise ConfigurationError(f"{user} needs the {what}, which is not set{advice}")

    return _REFERENCE.sub(value_of, text)


def with_references(text: str, replacement: Callable[[str, str | None], str]) -> str:
    """Return a text with its references replaced.

    Args:
        text: The text.
        replacement: Returns what replaces a reference, given its name, such as `TOKEN` or `context:tenant`, and its
            default, if it has one.
    """
    return _REFERENCE.sub(lambda found: replacement(_name_of(found), found["default"]), text)


def variables_in(texts: Mapping[Any, str]) -> list[str]:
    """Return the references in texts, such as `TOKEN`, `context:tenant` and `keyring:shop`."""
    found = (match for text in texts.values() for match in _REFERENCE.finditer(text))
    return list(dict.fromkeys(map(_name_of, found)))


def _name_of(found: re.Match[str]) -> str:
    return f"{found['room']}:{found['name']}" if found["room"] in {"context", "keyring"} else found["name"]


def texts_of(server: McpServer) -> list[str]:
    """Return all strings in a server's settings that can contain references."""
    if isinstance(server, HttpServer):
        return [server.url, *server.headers.values(), server.auth.client_secret, server.auth.private_key]
    return [server.command, *server.args, *server.env.values()]


def holds_secret(name: str, text: str) -> bool:
    """Return whether the name suggests a secret and the text is not a reference."""
    return bool(text.strip()) and _SECRET_WORD.search(name) is not None and "${" not in text


KIND = "mcp"


def access_to(server: McpServer) -> Access | None:
    """Return the access that needs the user's consent, or `None` if the user configured the server."""
    if server.owner == "user":
        return None
    return Access(
        name=f"{KIND}.{server.name}",
        action=f"start {server.name}",
        source="MCP server of this project",
        question=_question(server),
        shown=_show(server),
        identity=_identity(server),
        summary=server.line,
        refusal=_refusal(server),
    )


def _question(server: McpServer) -> str:
    where = f" from {server.place}" if server.place else ""
    if isinstance(server, StdioServer):
        return f"Start the MCP server '{server.name}'{where}? It runs as a program, with your permissions."
    return f"Contact the MCP server '{server.name}'{where}?"


def _identity(server: McpServer) -> str:
    """Return a hash of what is run or contacted, and of the context values that it receives with each call."""
    names = names_that_cross(server.converter)
    return sha256(" ".join([server.fingerprint, *names]).encode()).hexdigest() if names else server.fingerprint


def _show(server: McpServer) -> dict[str, Any]:
    """Return everything that determines what is run, or who receives which data."""
    names = names_that_cross(server.converter)
    return {**_what_it_is(server), **({"sent with calls": names} if names else {})}


def _what_it_is(server: McpServer) -> dict[str, Any]:
    if isinstance(server, HttpServer):
        more = {"headers": dict(server.headers), "auth": server.auth.shown}
        return {"url": server.url, **{name: value for name, value in more.items() if value}}
    shown: dict[str, Any] = {"command line": server.line}
    if (program := server.program) not in {None, server.command}:
        shown["program"] = program
    if server.cwd is not None:
        shown["folder"] = str(server.cwd)
    if server.env:
        shown["environment"] = dict(server.env)
    return shown


def _refusal(server: McpServer) -> Problem:
    kind = "started" if isinstance(server, StdioServer) else "contacted"
    secrets = variables_in(dict(enumerate(texts_of(server))))
    with_what = f", with {', '.join(secrets)} of your environment" if secrets else ""
    line = server.line.replace("\n", "\\n")  # a further line could pass for one of our messages
    message = f"MCP server '{server.name}' of this project needs your consent before it is {kind}: {line}{with_what}"
    hint = f"to allow it: --start {server.name}, or TOOLKIT_MCP_START={server.name}"
    return Problem(CONSENT_MISSING, message, server.place, hint=hint)
