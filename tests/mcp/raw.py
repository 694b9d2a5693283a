"""Clients that send whatever they are told, over stdio and HTTP, and note every answer."""

import json
import queue
import subprocess
import threading
from http.client import HTTPConnection, HTTPResponse
from typing import Any

PATIENCE = 60
"""How long an answer may take before a test fails: only a machine under heavy load needs more than a blink."""

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


def message(method, identity=None, **params):
    """Return a message of JSON-RPC: a request where it has an identity."""
    said: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if identity is not None:
        said["id"] = identity
    if params:
        said["params"] = params
    return said


class RawStdio:
    """A server in a child process, spoken to line by line; all it writes to stdout must be JSON messages."""

    def __init__(self, command, *, cwd=None, env=None, capabilities=None):
        self.capabilities = capabilities or {}
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines = queue.SimpleQueue()
        self.told: list[bytes] = []
        self.answers = 0
        self.sent = b""
        self._pings = 0
        self._pumps = [
            threading.Thread(target=self._pump, args=(self.process.stdout, self.lines.put)),
            threading.Thread(target=self._pump, args=(self.process.stderr, self.told.append)),
        ]
        for pump in self._pumps:
            pump.start()

    def __enter__(self):
        """Shake hands."""
        self.send(message("initialize", "hello", **HELLO | {"capabilities": self.capabilities}))
        self.hello = self.wait_for("hello")["result"]
        self.send(message("notifications/initialized"))
        return self

    def __exit__(self, *_):
        """Close stdin, as a client does at its end, and wait for the end of the server."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.status = self.process.wait(PATIENCE)
        for pump in self._pumps:
            pump.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def _pump(self, stream, put):
        for line in stream:
            put(line)

    def send(self, said):
        """Send a message, or bytes as they are, and the end of the line."""
        line = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.sent = line
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self):
        """Return the next message, which must be one of JSON-RPC 2.0."""
        try:
            line = self.lines.get(timeout=PATIENCE)
        except queue.Empty:
            message = f"no answer in {PATIENCE} seconds; last sent: {self.sent[:500]!r}; told: {self.told[-5:]}"
            raise AssertionError(message) from None
        answer = json.loads(line)
        assert isinstance(answer, dict), line
        assert answer["jsonrpc"] == "2.0", line
        self.answers += 1
        return answer

    def wait_for(self, identity, others=None):
        """Return the answer to a request; all that came before it are appended to `others`."""
        while (answer := self.read()).get("id") != identity or "method" in answer:
            if others is not None:
                others.append(answer)
        return answer

    def call(self, tool, identity="call", **arguments):
        """Call a tool and return the result."""
        self.send(message("tools/call", identity, name=tool, arguments=arguments))
        return self.wait_for(identity)["result"]

    def after(self, said):
        """Send whatever, and then a ping, which must be answered; return what else is answered until then."""
        self._pings += 1
        ping = f"ping {self._pings}"
        others: list[dict[str, Any]] = []
        self.send(said)
        self.send(message("ping", ping))
        assert self.wait_for(ping, others) == {"jsonrpc": "2.0", "id": ping, "result": {}}
        return others


class RawHttp:
    """A client of a server over HTTP that sends the headers and bodies it is told to."""

    def __init__(self, host, port, path="/mcp", headers=()):
        self.host, self.port, self.path = host, port, path
        self.headers = {
            "Host": f"{host}:{port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **dict(headers),
        }

    def ask(self, body, *, method="POST", path=None, headers=None):
        """Send one request on a connection of its own; return its status, headers and what is answered.

        A header that is None is not sent.
        """
        connection = HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path or self.path, skip_host=True, skip_accept_encoding=True)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent = {"Content-Length": str(len(data))} | self.headers | (headers or {})
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(data)
            response = connection.getresponse()
            return response.status, dict(response.headers.items()), self.answer_of(response)
        finally:
            connection.close()

    def answer_of(self, response: HTTPResponse):
        """Return the last message of a stream of events, the JSON of a body, or its text."""
        kind = response.headers.get_content_type()
        text = response.read().decode()
        if kind == "text/event-stream":
            said = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
            return json.loads([line for line in said if line][-1])
        return json.loads(text) if kind == "application/json" and text else text

    def shake_hands(self):
        """Begin a session, where the server keeps one."""
        status, headers, _ = self.ask(message("initialize", "hello", **HELLO))
        assert status == 200
        found = {name.lower(): value for name, value in headers.items()}
        self.headers["MCP-Protocol-Version"] = HELLO["protocolVersion"]
        if "mcp-session-id" in found:
            self.headers["Mcp-Session-Id"] = found["mcp-session-id"]
        self.ask(message("notifications/initialized"))
        return self

    def is_alive(self):
        """Return whether a ping is answered."""
        return self.ask(message("ping", "ping"))[0] == 200
