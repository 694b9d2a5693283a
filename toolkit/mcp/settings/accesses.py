"""Describe the access to an MCP server from a project's file, for the user who has to consent to it."""

from hashlib import sha256
from typing import Any

from toolkit.approvals.consents import Access
from toolkit.codes import CONSENT_MISSING
from toolkit.mcp.settings.servers import HttpServer, McpServer, StdioServer, texts_of, variables_in
from toolkit.mcp.shared_context import names_that_cross
from toolkit.problems import Problem

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
        return {"url": server.url, **({"headers": dict(server.headers)} if server.headers else {})}
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
