"""Accesses: what it takes to reach an MCP server of a project's file, described for the person who must agree."""

from hashlib import sha256
from typing import Any

from toolkit.approvals.consents import Access
from toolkit.codes import CONSENT_MISSING
from toolkit.mcp.settings.servers import HttpServer, McpServer, StdioServer, texts_of, variables_in
from toolkit.mcp.shared_context import names_that_cross
from toolkit.problems import Problem

KIND = "mcp"


def access_to(server: McpServer) -> Access | None:
    """Return what reaching a server needs the user's consent for, or None where the user named the server."""
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
    where = f" that {server.place} names" if server.place else ""
    if isinstance(server, StdioServer):
        return f"Start the MCP server '{server.name}'{where}? It is a program, and does what programs can."
    return f"Contact the MCP server '{server.name}'{where}?"


def _identity(server: McpServer) -> str:
    """Return the hash of what runs or is contacted, and of what it receives with each call."""
    names = names_that_cross(server.converter)
    return sha256(" ".join([server.fingerprint, *names]).encode()).hexdigest() if names else server.fingerprint


def _show(server: McpServer) -> dict[str, Any]:
    """Return everything that decides what runs, or who receives what."""
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
    line = server.line.replace("\n", "\\n")  # no further line of it could pass for one of ours
    message = f"MCP server '{server.name}' of this project may not be {kind} yet: {line}{with_what}"
    hint = f"if you want that, allow it: --start {server.name}, or TOOLKIT_MCP_START={server.name}"
    return Problem(CONSENT_MISSING, message, server.place, hint=hint)
