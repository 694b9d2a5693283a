"""Editors: how a client starts our server, or connects to it, in the words of its own configuration."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

Editor = Literal["claude", "cursor", "vscode"]

_SERVERS: Final[Mapping[Editor, str]] = {"claude": "mcpServers", "cursor": "mcpServers", "vscode": "servers"}
_VARIABLE: Final[Mapping[Editor, str]] = {"claude": "${{{}}}", "cursor": "${{env:{}}}", "vscode": "${{input:{}}}"}


class Launch(NamedTuple):
    """How a server is started.

    Attributes:
        command: The program, as an absolute path.
        arguments: Its arguments.
    """

    command: str
    arguments: Sequence[str]


class Address(NamedTuple):
    """Where a server is reached.

    Attributes:
        url: Its URL.
        token_variable: The environment variable that holds its bearer token, where it wants one.
    """

    url: str
    token_variable: str | None = None


def editor_configuration(editor: Editor, name: str, server: Launch | Address) -> dict[str, Any]:
    """Return what is pasted into a client's configuration; secrets are referred to, never written.

    Args:
        editor: Whose configuration it is: Claude's (Desktop and Code), Cursor's or Visual Studio Code's.
        name: What the server is called there.
        server: How it is started, or where it is.
    """
    entry: dict[str, Any]
    if isinstance(server, Launch):
        entry = {"type": "stdio", "command": server.command, "args": list(server.arguments)}
        if editor == "claude":
            del entry["type"]
        return {_SERVERS[editor]: {name: entry}}
    entry = {"type": "http", "url": server.url}
    whole: dict[str, Any] = {_SERVERS[editor]: {name: entry}}
    if server.token_variable is not None:
        variable = _VARIABLE[editor].format(server.token_variable)
        entry["headers"] = {"Authorization": f"Bearer {variable}"}
        if editor == "vscode":
            asked = {"type": "promptString", "id": server.token_variable, "description": "Token", "password": True}
            whole["inputs"] = [asked]
    return whole
