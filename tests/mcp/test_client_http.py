"""Servers over HTTP: who is told what, what an answer may be, and both eras of the protocol."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from mcp_types import ElicitResult

from toolkit import ToolContext
from toolkit.errors import ConfigurationError
from toolkit.mcp import HttpServer, McpTools, ServerUnreachable, StdioServer, close_sessions, connection_to, wait_for
from toolkit.mcp.client.server_sessions import MOST_CONNECTIONS  # private

ECHO = {"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object", "properties": {"x": {}}}}


class Door(ThreadingHTTPServer):
    """A server of the handshake era, with sessions, which can be told to misbehave."""

    daemon_threads = True
    request_queue_size = 128  # all sessions can end at once; a connection with no place tries again after seconds

    def handle_error(self, request, client_address):
        """Say nothing of a client that has had enough."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/mcp"
        self.seen = []
        self.sessions = []
        self.behaviour = ""
        threading.Thread(target=self.serve_forever, daemon=True).start()


JSON = {"Content-Type": "application/json"}
EXPLAINED = {"jsonrpc": "2.0", "error": {"code": -32001, "message": "your plan has no tools"}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a response is one packet
    server: Door

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self._send(405)

    def do_DELETE(self):
        self.server.seen.append(("DELETE", dict(self.headers), None))
        self._send(200)

    def do_POST(self):  # noqa: C901, PLR0911 - one return for each misbehaviour
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method = message.get("method")
        self.server.seen.append((method, dict(self.headers), message))
        session = self.headers.get("Mcp-Session-Id")
        match self.server.behaviour:
            case int(status):
                return self._send(status, b'{"error": "no"}', {"Content-Type": "application/json"})
            case "explained":
                return self._send(403, json.dumps(EXPLAINED | {"id": message.get("id")}).encode(), JSON)
            case "elsewhere":
                return self._send(307, headers={"Location": "http://169.254.169.254/latest"})
            case "page":
                return self._send(200, b"<html>hello</html>", {"Content-Type": "text/html"})
            case bytes() as answer if method == "tools/call":
                return self._send(200, answer % message["id"], JSON)
            case "huge" if method == "tools/call":
                return self._send(200, b" " * (33 * 1024 * 1024), {"Content-Type": "application/json"})
        if "id" not in message:
            return self._send(202)
        if method == "initialize":
            self.server.sessions.append(f"s{len(self.server.sessions)}")
            return self._answer(message, self._greeting(message), {"Mcp-Session-Id": self.server.sessions[-1]})
        if method == "server/discover":
            return self._answer(message, None)
        if session not in self.server.sessions:
            return self._send(404)
        if method == "tools/list":
            return self._answer(message, {"tools": [ECHO]})
        said = json.dumps(message["params"].get("arguments"))
        return self._answer(message, {"content": [{"type": "text", "text": said}]})

    def _greeting(self, message):
        version = message["params"]["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "d", "version": "1"}}

    def _answer(self, message, result, headers=None):
        body = {"jsonrpc": "2.0", "id": message["id"]}
        body |= {"result": result} if result else {"error": {"code": -32601, "message": "Method not found"}}
        self._send(200, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _send(self, status, body=b"", headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def door(zoo):
    """A server on loopback; sessions with it end before it does."""
    server = Door()
    yield server
    close_sessions()
    server.shutdown()
    server.server_close()


def test_tool_is_called_over_http_with_headers_from_the_environment(zoo, door, monkeypatch):
    monkeypatch.setenv("DOOR_KEY", "k-123")
    zoo.write(
        "toolkit.toml", f"[mcp.door]\nurl = '{door.url}'\nheaders = {{ Authorization = 'Bearer ${{DOOR_KEY}}' }}\n"
    )
    done = zoo.run("run", "--start", "door", "--yes", "-q", "door.echo", "x=1")
    assert (done.stdout, done.exit_code) == ('{"x": "1"}\n', 0)
    assert {headers.get("Authorization") for _, headers, _ in door.seen} == {"Bearer k-123"}
    close_sessions()
    assert door.seen[-1][0] == "DELETE"


def test_a_status_that_refuses_a_call_is_its_code_and_ends_no_session(door):
    [echo] = McpTools(HttpServer("door", door.url, trusted=True)).tools()
    for status, name in ((429, "Too Many Requests"), (503, "Service Unavailable")):
        door.behaviour = status
        refused = echo.run({"x": 1})
        assert (refused.error.partition(": ")[0], refused.error_code) == (
            f"MCP server 'door' answered with HTTP {status} {name}",
            status,
        )
    door.behaviour = ""
    assert echo.run({"x": 1}).output == '{"x": 1}'
    assert [method for method, _, _ in door.seen].count("initialize") == 1


def test_each_caller_has_a_session_of_their_own_begun_at_their_first_call(door):
    server = HttpServer("door", door.url, {"X-User": "${context:user}"}, trusted=True)
    [echo] = McpTools(server, values={"user": "lister"}).tools()
    for user in ("ann", "bob", "ann"):
        assert echo.run({"x": user}, ToolContext({"user": user})).output == json.dumps({"x": user})
    told = [headers["X-User"] for method, headers, _ in door.seen if method == "tools/call"]
    began = [headers["X-User"] for method, headers, _ in door.seen if method == "initialize"]
    assert (told, began) == (["ann", "bob", "ann"], ["lister", "ann", "bob"])
    with pytest.raises(ConfigurationError, match="needs the context value 'user'"):
        echo.run({"x": 1})


def test_session_that_the_server_has_forgotten_is_begun_anew(door):
    [echo] = McpTools(HttpServer("door", door.url)).tools()
    assert echo.spec.requires_approval
    door.sessions.clear()
    reply = wait_for(connection_to(echo.server).call("echo", {"x": 1}, _Nobody(), meta=None, seconds=5))
    assert reply.content[0].text == '{"x": 1}'
    assert [method for method, _, _ in door.seen].count("initialize") == 2


class _Nobody:
    async def progress(self, progress, total, message):
        """Hear nothing."""

    async def elicit(self, params):
        """Answer nothing."""
        return ElicitResult(action="decline")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (401, "answered with HTTP 401 Unauthorized: sign in with `toolkit mcp login door`"),
        (
            403,
            "answered with HTTP 403 Forbidden: these credentials do not allow this request; ask the server's operator for access",
        ),
        (400, "answered with HTTP 400 Bad Request"),
        (404, "answered with HTTP 404 Not Found: nothing answers at its 'url'; check the path"),
        (
            405,
            "answered with HTTP 405 Method Not Allowed: its 'url' does not accept requests of the protocol",
        ),
        (500, "answered with HTTP 500 Internal Server Error: it failed internally; see its own log"),
        (503, "answered with HTTP 503 Service Unavailable: it is overloaded or being restarted; try again later"),
        (418, "answered with HTTP 418 I'm a Teapot"),
        (599, "answered with HTTP 599"),
        ("explained", "answered with an error: your plan has no tools"),
        ("elsewhere", "redirects to http://169.254.169.254/latest, which is not followed"),
        ("page", "answered with text/html instead of a message of the protocol"),
    ],
)
def test_answers_that_are_none_are_told(door, behaviour, reason):
    door.behaviour = behaviour
    with pytest.raises(ServerUnreachable) as raised:
        wait_for(connection_to(HttpServer("door", door.url)).listing())
    assert f"MCP server 'door' {reason}" in str(raised.value)


def test_headers_whose_names_differ_only_in_case_are_one(door):
    server = HttpServer("door", door.url, {"X-Team": "one", "x-team": "two"}, trusted=True)
    wait_for(connection_to(server).listing())
    sent = {tuple(value for name, value in headers.items() if name.lower() == "x-team") for _, headers, _ in door.seen}
    assert sent == {("two",)}


def test_answer_that_is_too_large_is_given_up(door):
    [echo] = McpTools(HttpServer("door", door.url, trusted=True, timeout=20)).tools()
    door.behaviour = "huge"
    result = echo.run({"x": 1})
    assert not result.succeeded
    assert len(result.error or "") < 400


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (b'{"jsonrpc": "2.0", "id": %d, "error": "boom"}', "not a message of the protocol"),
        (b'{"jsonrpc": "2.0", "id": %d, "result": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}", "nested too deeply"),
        (b'{"jsonrpc": "2.0", "id": %d', "not JSON"),
    ],
)
def test_answer_that_cannot_be_read_fails_its_call_at_once(door, answer, fault):
    [echo] = McpTools(HttpServer("door", door.url, trusted=True, timeout=3600)).tools()
    door.behaviour = answer
    result = echo.run({"x": 1})
    assert (result.error, result.error_code) == (
        f"MCP server 'door' violated the protocol: its answer is {fault}",
        "invalid_result",
    )


def test_server_that_is_not_there_is_told_and_hides_no_other(door):
    dead = HttpServer("dead", "http://127.0.0.1:9/mcp", start_timeout=5)
    tools = McpTools(dead, HttpServer("door", door.url))
    assert [tool.address for tool in tools.tools()] == ["door.echo"]
    with pytest.raises(ServerUnreachable, match="MCP server 'dead' "):
        wait_for(connection_to(dead).listing())


SDK_SERVER = '''
import sys
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("sdk")


@server.tool()
async def work(steps: int, ctx: Context) -> dict[str, int]:
    """Work, and tell how far it is."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1}")
    return {"steps": steps}


server.run("stdio")
'''


@pytest.mark.proof
def test_tools_of_a_server_of_the_sdk_in_the_newest_protocol(zoo):
    script = zoo.write("sdk.py", SDK_SERVER)
    tools = McpTools(StdioServer("sdk", sys.executable, (str(script),), trusted=True))
    work = tools.required_tool("sdk.work")
    assert wait_for(connection_to(work.server).health()).protocol == "2026-07-28"
    events = []
    result = work.run({"steps": 3}, ToolContext(listener=events.append))
    assert (result.structured, work.spec.output_schema is not None) == ({"steps": 3}, True)
    assert [event.message for event in events if event.kind == "progress"] == ["step 1", "step 2", "step 3"]


def test_naming_servers_imports_no_sdk(zoo):
    done = subprocess.run(
        [sys.executable, "-c", "import toolkit.mcp, sys; print([n for n in sys.modules if n.split('.')[0] == 'mcp'])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.proof
def test_sessions_of_many_callers_make_way_for_new_ones(door, figure):
    server = HttpServer("door", door.url, {"X-User": "${context:user}"}, trusted=True)
    [echo] = McpTools(server, values={"user": "lister"}).tools()
    users = MOST_CONNECTIONS + 2
    for user in range(users):
        assert echo.run({"x": user}, ToolContext({"user": f"u{user}"})).succeeded
    close_sessions()
    ended = [headers["X-User"] for method, headers, _ in door.seen if method == "DELETE"]
    assert len(set(ended)) == users + 1
    figure(f"{users + 1} callers, at most {MOST_CONNECTIONS} sessions at a time, every one of them ended")
