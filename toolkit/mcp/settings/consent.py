"""Consent: what a project's file names is started, or told anything, only with the user's leave.

A repository must not choose what runs on a machine, nor where its user's secrets go. Leave is given by the user's own
configuration, by a flag for a name (`--start NAME`), or as the answer to a question, which can be remembered: by the
hash of all that decides what runs, so that another command is asked about anew.
"""

import json
from collections.abc import Collection, Coroutine
from hashlib import sha256
from pathlib import Path
from typing import Any

from toolkit.approvals.decisions import Continue
from toolkit.approvals.gates import Gate
from toolkit.approvals.permissions import REVIEWER, Granted, Refused
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.risks import Risk
from toolkit.mcp.crossing import names_that_cross
from toolkit.mcp.settings.servers import HttpServer, McpServer, StdioServer, texts_of, variables_in
from toolkit.problems import Problem
from toolkit.replacing import put
from toolkit.running import loop_is_running, run_apart, run_in_loop

NOT_ALLOWED = "TK011"


class Consents:
    """The user's leave to reach servers, as far as it was given."""

    def __init__(self, file: Path, named: Collection[str] = (), gate: Gate | None = None) -> None:
        """Keep who may be reached, and who can be asked.

        Args:
            file: What remembers leave that was given for good; it need not be there.
            named: The names of servers that a flag gives leave for.
            gate: Who is asked about others.
        """
        self._file = file
        self._named = frozenset(named)
        self._gate = gate
        self._given: set[str] = set()
        self._denied: set[str] = set()

    def is_given(self, server: McpServer) -> bool:
        """Return whether a server may be reached; nobody is asked."""
        if server.owner == "user" or server.name in self._named or _identity(server) in self._given:
            return True
        return _identity(server) in self._remembered()

    def refusal(self, server: McpServer) -> Problem | None:
        """Return why a server may not be reached, or None if it may; where somebody can be asked, they are.

        Raises:
            ExitEarlyError: If whoever is asked ends the run.
        """
        if self.is_given(server):
            return None
        if _identity(server) in self._denied:
            return _refused(server)
        gate = self._gate
        if gate is None:
            return _refused(server)
        request = _request(server, gate)
        call = DescribedCall(request.risk, "person", None, request.arguments)
        verdict = gate.verdict_on(call)
        if verdict.action == "ask" and not gate.can_ask:
            return _refused(server)
        decision = _apart(gate.decide(call, lambda _: request, verdict=verdict))
        if isinstance(decision, Refused):
            self._denied.add(_identity(server))
            return _refused(server)
        if decision.by == REVIEWER:
            self._given.add(_identity(server))
        if isinstance(decision.decision, Continue) and decision.decision.always:
            self._remember(server)
        return None

    def _remembered(self) -> dict[str, Any]:
        try:
            content = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        servers = content.get("servers") if isinstance(content, dict) else None
        return servers if isinstance(servers, dict) else {}

    def _remember(self, server: McpServer) -> None:
        kept = {**self._remembered(), _identity(server): {"name": server.name, "line": server.line}}
        text = f"{json.dumps({'servers': kept}, indent=2, sort_keys=True, ensure_ascii=True)}\n"
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        put(self._file, text.encode(), is_private=True)


def _apart(decision: Coroutine[Any, Any, Granted | Refused]) -> Granted | Refused:
    if loop_is_running():
        return run_apart(lambda: run_in_loop(decision))
    return run_in_loop(decision)


def _request(server: McpServer, gate: Gate) -> ReviewRequest:
    where = f" that {server.place} names" if server.place else ""
    if isinstance(server, StdioServer):
        text = f"Start the MCP server '{server.name}'{where}? It is a program, and does what programs can."
    else:
        text = f"Contact the MCP server '{server.name}'{where}?"
    return ReviewRequest(
        text,
        Risk(f"start {server.name}", source="MCP server of this project", requires_approval=True, open_world=True),
        _told(server),
        asked_by="a project's file names it",
        timeout=gate.timeout,
        editable=False,
        may_be_remembered=True,
    )


def _identity(server: McpServer) -> str:
    """Return the hash of all that leave is given for: what runs or is contacted, and what it is told of each call."""
    names = names_that_cross(server.converter)
    return sha256(" ".join([server.fingerprint, *names]).encode()).hexdigest() if names else server.fingerprint


def _told(server: McpServer) -> dict[str, Any]:
    """Return what decides what runs, or who is told what."""
    names = names_that_cross(server.converter)
    return {**_what_it_is(server), **({"told with calls": names} if names else {})}


def _what_it_is(server: McpServer) -> dict[str, Any]:
    if isinstance(server, HttpServer):
        return {"url": server.url, **({"headers": dict(server.headers)} if server.headers else {})}
    told: dict[str, Any] = {"command line": server.line}
    if (program := server.program) not in {None, server.command}:
        told["program"] = program
    if server.cwd is not None:
        told["folder"] = str(server.cwd)
    if server.env:
        told["environment"] = dict(server.env)
    return told


def _refused(server: McpServer) -> Problem:
    kind = "started" if isinstance(server, StdioServer) else "contacted"
    secrets = variables_in(dict(enumerate(texts_of(server))))
    with_what = f", with {', '.join(secrets)} of your environment" if secrets else ""
    line = server.line.replace("\n", "\\n")  # no further line of it could pass for one of ours
    message = f"MCP server '{server.name}' of this project may not be {kind} yet: {line}{with_what}"
    hint = f"if you want that, allow it: --start {server.name}, or TOOLKIT_MCP_START={server.name}"
    return Problem(NOT_ALLOWED, message, server.place, hint=hint)
