"""Measures H1, H2 and H3: calls of a server in a separate process, over stdio and HTTP, and of a server behind ours.

All servers are called by the same minimal client, so that the times are those of the servers.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Protocol

from bench.rows import Row
from bench.timing import Work, in_turns

ROUNDS = 60
ROUNDS_BEHIND = 20
CALLS = 16
PARALLEL = 16

TOOL = '''"""A tool."""

from toolkit import tool


@tool(read_only=True)
def add(left: int, right: int) -> str:
    """Add two numbers."""
    return str(left + right)
'''
HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
HELLO = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": HELLO["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}


FLOOR, READY, OURS = "SDK's server", "SDK's MCPServer", "ours"
DIRECT = "called directly"
RELAY = "SDK's client and server"
KINDS = {FLOOR: "low", READY: "ready"}


class Caller(Protocol):
    """A client that can make several calls in parallel."""

    def call(self, count: int) -> None:
        """Send several calls, and receive all responses."""


def over_stdio() -> Iterator[Row]:
    """Measure calls over stdio."""
    with served_at_stdio() as processes:
        callers = {name: OverStdio(process) for name, process in processes.items()}
        yield from rows("H1", "over stdio", callers, target=1.25, goal=1.1)


def over_http() -> Iterator[Row]:
    """Measure calls over HTTP, by a client with a session and by a stateless client."""
    with served_at_http() as ports:
        for version, carried, target, goal in (
            (HANDSHAKE, "over HTTP", 1.25, 1.1),
            (STATELESS, "over HTTP, stateless", 1.1, 1.0),
        ):
            callers = {name: OverHttp(port, version) for name, port in ports.items()}
            yield from rows("H2", carried, callers, target=target, goal=goal)


def through_ours() -> Iterator[Row]:
    """Measure calls over stdio to a server behind ours, in terms of a direct call of that server."""
    for kind, tool in (("low", "a tool that does nothing else"), ("slow", "a tool that takes 20 ms")):
        with served_behind(kind) as processes:
            callers = {name: OverStdio(process) for name, process in processes.items()}
            contestants = {name: calling(caller, 1) for name, caller in callers.items()}
            times = in_turns(contestants, rounds=ROUNDS_BEHIND, units=CALLS)
            unit, ours = times.pop(DIRECT), times.pop(OURS)
            yield Row("H3", f"call through ours, {tool}", unit, DIRECT, ours, 1.3, 1.1, times)


def rows(code: str, carried: str, callers: Mapping[str, Caller], *, target: float, goal: float) -> Iterator[Row]:
    """Measure calls one after another, and in parallel."""
    for width, how in ((1, "one after another"), (PARALLEL, f"{PARALLEL} in parallel")):
        contestants = {name: calling(caller, width) for name, caller in callers.items()}
        times = in_turns(contestants, rounds=ROUNDS, units=CALLS)
        unit, ours = times.pop(FLOOR), times.pop(OURS)
        yield Row(code, f"call {carried}, {how}", unit, FLOOR, ours, target, goal, times)


def calling(caller: Caller, width: int) -> Work:
    """Return work that makes all calls, `width` of them in parallel."""

    def run() -> None:
        for _ in range(CALLS // width):
            caller.call(width)

    return run


def call_message(identity: int, meta: Mapping[str, object] | None = None) -> bytes:
    """Return the JSON-RPC message of a call."""
    params = {"name": "add", "arguments": {"left": identity, "right": 1}} | ({"_meta": meta} if meta else {})
    return json.dumps({"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}).encode()


def check(answer: Mapping[str, object]) -> None:
    """Check that the response to a call is the sum."""
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["content"][0]["text"] == str(int(str(answer["id"])) + 1)


class OverStdio:
    """A client of a server process over stdio."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Initialize the session."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._sink, self._source = process.stdin, process.stdout
        self._send(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode())
        self._source.readline()
        self._send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def call(self, count: int) -> None:
        """Send several calls, and receive all responses."""
        self._send(*map(call_message, range(count)))
        for _ in range(count):
            check(json.loads(self._source.readline()))

    def _send(self, *lines: bytes) -> None:
        self._sink.write(b"".join(line + b"\n" for line in lines))
        self._sink.flush()


class OverHttp:
    """A client of a local HTTP server, with one connection per parallel call."""

    def __init__(self, port: int, version: str = HANDSHAKE) -> None:
        """Initialize the session, if the version of the protocol has sessions."""
        self._connections = [HTTPConnection("127.0.0.1", port) for _ in range(PARALLEL)]
        self._meta = ENVELOPE if version == STATELESS else None
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": version,
        }
        if version == STATELESS:
            self._headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "add"}
        else:
            self._initialize(self._connections[0])

    def call(self, count: int) -> None:
        """Send several calls, and receive all responses."""
        for identity in range(count):
            self._send(self._connections[identity], call_message(identity, self._meta))
        for identity in range(count):
            text = self._connections[identity].getresponse().read()
            check(json.loads(text[text.index(b"{") :]))

    def _initialize(self, connection: HTTPConnection) -> None:
        self._send(
            connection, json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode()
        )
        answer = connection.getresponse()
        answer.read()
        self._headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
        self._send(connection, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        connection.getresponse().read()

    def _send(self, connection: HTTPConnection, body: bytes) -> None:
        connection.request("POST", "/mcp", body, self._headers)


@contextmanager
def served_at_stdio() -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Start all servers over stdio."""
    with project() as folder, ExitStack() as stack:
        found = {name: stack.enter_context(running(["-m", "bench.sdk_server", kind])) for name, kind in KINDS.items()}
        ours = running(["-m", "toolkit_cli", "serve", "tools.py", "--quiet"], folder=folder)
        yield found | {OURS: stack.enter_context(ours)}


@contextmanager
def served_behind(kind: str) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Start a server over stdio, and two with others of its kind behind them: a bare relay, and ours."""
    words = ["-m", "bench.sdk_server", kind]
    with tempfile.TemporaryDirectory(prefix="toolkit-bench-") as folder, ExitStack() as stack:
        root = Path(__file__).parents[1]
        table = {"command": sys.executable, "args": words, "cwd": str(root), "prefix": ""}
        lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
        Path(folder, "toolkit.toml").write_text("\n".join(["[mcp.behind]", *lines]), "utf-8")
        options = ["serve", "behind", "--start", "behind", "--approve", "*", "--quiet"]
        direct = stack.enter_context(running(words))
        relay = stack.enter_context(running(["-m", "bench.sdk_server", "relay", kind]))
        ours = stack.enter_context(running(["-m", "toolkit_cli", *options], folder=folder))
        yield {DIRECT: direct, RELAY: relay, OURS: ours}


@contextmanager
def served_at_http() -> Iterator[dict[str, int]]:
    """Start all servers over HTTP, and return the port of each."""
    with project() as folder, ExitStack() as stack:
        ports = {}
        for name, kind in KINDS.items():
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=128))
            descriptor = listener.fileno()
            stack.enter_context(running(["-m", "bench.sdk_server", kind, str(descriptor)], inherited=[descriptor]))
            ports[name] = listener.getsockname()[1]
        yield ports | {OURS: stack.enter_context(our_server_over_http(folder))}


@contextmanager
def our_server_over_http(folder: str) -> Iterator[int]:
    """Serve `tools.py` of a folder over HTTP until the end of the block, and return the port."""
    with running(
        ["-m", "toolkit_cli", "serve", "tools.py", "--http", "0"], folder=folder, stderr=subprocess.PIPE
    ) as process:
        yield port_of(process)


@contextmanager
def project() -> Iterator[str]:
    """Provide a folder with the tool to serve."""
    with tempfile.TemporaryDirectory(prefix="toolkit-bench-") as folder:
        Path(folder, "tools.py").write_text(TOOL, "utf-8")
        yield folder


def port_of(process: subprocess.Popen[bytes]) -> int:
    """Return the port that a server prints when it starts."""
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(rb"http://127\.0\.0\.1:(\d+)/mcp", line)
    if found is None:
        sys.exit(f"bench: the server did not start: {line.decode()}")
    return int(found[1])


@contextmanager
def running(
    arguments: Sequence[str], *, folder: str | None = None, inherited: Sequence[int] = (), stderr: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python with these arguments until the end of the block."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        pass_fds=inherited,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


MEASURES = {"H1": [over_stdio], "H2": [over_http], "H3": [through_ours]}
