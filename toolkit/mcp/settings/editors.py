"""The configuration with which MCP clients start our server or connect to it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

Editor = Literal["claude", "cursor", "vscode"]

_SERVERS: Final[Mapping[Editor, str]] = {"claude": "mcpServers", "cursor": "mcpServers", "vscode": "servers"}
_VARIABLE: Final[Mapping[Editor, str]] = {"claude": "${{{}}}", "cursor": "${{env:{}}}", "vscode": "${{input:{}}}"}


class Launch(NamedTuple):
    """The command line of a server.

    Attributes:
        command: The absolute path of the program.
        arguments: Its arguments.
    """

    command: str
    arguments: Sequence[str]


class Address(NamedTuple):
    """The address of a server.

    Attributes:
        url: Its URL.
        token_variable: Name of the environment variable with its bearer token, or `None` if it needs no token.
    """

    url: str
    token_variable: str | None = None


def editor_configuration(editor: Editor, name: str, server: Launch | Address) -> dict[str, Any]:
    """Return the entry to paste into a client's configuration; secrets are referred to by variables.

    Args:
        editor: The client: Claude (Desktop and Code), Cursor or Visual Studio Code.
        name: The name of the server in that configuration.
        server: How to start the server, or its address.
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
