"""Secrets never leave: planted wherever they may lie, none of them is in what a client is told, nor in any log."""

import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.mcp.raw import HELLO, PATIENCE, RawStdio, message
from tests.mcp.serving import TOOLKIT, Listening

TOKEN = "planted-bearer-0123456789abcdef"  # noqa: S105 - planted
PLANTED = {
    "PLANTED_API_KEY": "planted-key-of-the-environment",
    "DATABASE_PASSWORD": "planted/pass word+of&the=database",
    "GITHUB_TOKEN": "planted-token-of-the-environment",
}
TOOLS = '''
"""Tools that are careless with secrets."""

import logging
import os
from typing import Annotated, Any

from toolkit import ToolContext, tool

KEY = os.environ["PLANTED_API_KEY"]


class Connection:
    """A connection that shows too much of itself."""

    def __repr__(self) -> str:
        """Show the password."""
        return f"Connection(postgres://admin:{os.environ['DATABASE_PASSWORD']}@db/prod)"


@tool(read_only=True, description=f"Tell a secret in a description: {KEY}.")
def in_description(text: Annotated[str, f"A text, not {KEY}"] = KEY) -> str:
    return text


@tool(read_only=True)
def returned() -> str:
    """Return a secret."""
    return f"the key is {KEY}, really"


@tool(read_only=True)
def in_data() -> dict[str, Any]:
    """Return secrets in data."""
    return {"key": KEY, "inner": [{"token": os.environ["GITHUB_TOKEN"]}], KEY: 1}


@tool(read_only=True)
def in_repr() -> str:
    """Return an object that shows its password."""
    return repr(Connection())


@tool(read_only=True)
def raised() -> str:
    """Raise an exception that tells a secret, for a reason that tells another."""
    try:
        raise KeyError(os.environ["GITHUB_TOKEN"])
    except KeyError as error:
        raise RuntimeError(f"cannot reach https://user:{KEY}@example.com/?key={KEY}") from error


@tool(read_only=True)
def left() -> str:
    """End the program with a secret as its last words."""
    raise SystemExit(f"good bye, {KEY}")


@tool(read_only=True)
def in_progress(context: ToolContext) -> str:
    """Tell a secret on the way, and to the log."""
    context.progress(f"working with {KEY}", 1, 2)
    context.logger.debug("working with %s", KEY)
    logging.getLogger("toolkit.mcp").warning("working with %s", KEY)
    return "done"


@tool(read_only=True)
def environment() -> dict[str, str]:
    """Return the whole environment."""
    return dict(os.environ)


@tool(requires_approval=True)
def asked(key: str) -> str:
    """Ask about a secret."""
    return key
'''


def careless(folder):
    """Write the tools into a folder."""
    (folder / "tools.py").write_text(TOOLS)
    (folder / "toolkit.toml").write_text("")
    return folder


def hits(told):
    """Return which secrets stand in what was told, also the way JSON or a URL writes them."""
    secrets = (*PLANTED.values(), TOKEN)
    ways = {secret: {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]} for secret in secrets}
    return [secret for secret, written in ways.items() if any(way in told for way in written)]


def calls():
    """Return a call of each of the tools, and messages that are answered by errors."""
    key = PLANTED["PLANTED_API_KEY"]
    names = ["in_description", "returned", "in_data", "in_repr", "raised", "left", "in_progress", "environment"]
    return [
        message("tools/list", "list"),
        *(message("tools/call", name, name=name, arguments={}, _meta={"progressToken": name}) for name in names),
        message("tools/call", "asked", name="asked", arguments={"key": key}),
        message("tools/call", "wrong", name="asked", arguments={"key": [key]}),
        message("tools/call", "unknown", name=key, arguments={}),
        message(key, "method"),
    ]


def test_no_planted_secret_is_in_any_answer_over_stdio_nor_in_the_log(tmp_path, figure):
    environment = os.environ | PLANTED
    with RawStdio([TOOLKIT, "serve", "tools.py", "--debug"], cwd=careless(tmp_path), env=environment) as server:
        said = []
        for call in calls():
            server.send(call)
            said.append(server.wait_for(call["id"], said))
    assert server.status == 0
    # What a client itself has sent may come back to it; the name of a method that there is not does.
    others = [one for one in said if one.get("id") not in {"method", "unknown"}]
    told = json.dumps(others, ensure_ascii=False) + b"".join(server.told).decode()
    assert "working with ***" in told
    assert hits(told) == []
    figure(
        f"{len(calls())} requests over stdio, {len(told)} characters of answers and DEBUG logs, {len(PLANTED)} secrets: 0 hits"
    )


def test_no_planted_secret_is_in_any_answer_over_http_nor_in_the_log(tmp_path, monkeypatch, figure):
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    server = Listening(careless(tmp_path), "--debug", token=TOKEN)
    client = server.client().shake_hands()
    told = [client.ask(call)[2] for call in calls()[:-2]]
    told += [
        client.ask(b"{not json")[2],
        client.ask(message("initialize", 1, **HELLO), headers={"Authorization": f"Basic {TOKEN}"})[2],
        client.ask(b"", method="PUT")[2],
    ]
    written = server.close()
    everything = json.dumps(told, ensure_ascii=False) + (written + server.told).decode()
    assert hits(everything) == []
    figure(f"{len(told)} requests over HTTP, {len(everything)} characters of answers and DEBUG logs: 0 hits")


# -------------------------------------------------------------------------------------------------------------- client


class TelltaleServer(ThreadingHTTPServer):
    """Keeps what it was sent; fails where it is told to."""

    def __init__(self, fails_at, status):
        super().__init__(("127.0.0.1", 0), Telltale)
        self.seen: list[str] = []
        self.fails_at, self.status = fails_at, status


class Telltale(BaseHTTPRequestHandler):
    """Tells back whatever headers it was sent, in every way it can."""

    server: TelltaleServer

    def do_POST(self):
        """Answer well or ill, with the headers in it."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = f"{self.headers['Authorization']} and {self.headers['X-Api-Key']}"
        self.server.seen.append(seen)
        if request["method"] == self.server.fails_at:
            self.answer(self.server.status, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": seen}})
        elif "id" not in request:
            self.answer(202, {})
        elif result := self.result_of(request["method"], seen):
            self.answer(200, {"jsonrpc": "2.0", "id": request["id"], "result": result})
        else:
            self.answer(400, {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": seen}})

    def result_of(self, method, seen):
        """Return the result of a request, if it has one."""
        return {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "telltale", "version": seen},
            },
            "tools/list": {"tools": [{"name": "tell", "description": seen, "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": seen}], "structuredContent": {"seen": [seen]}},
        }.get(method)

    def answer(self, status, body):
        """Send an answer."""
        data = json.dumps(body).encode()
        self.send_response(status, self.headers["Authorization"])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        """Have no stream."""
        self.answer(405, {})

    do_DELETE = do_GET  # noqa: N815 - as the base class calls it

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def telltale(request):
    """A server that fails as it is told to."""
    server = TelltaleServer(*request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def told_by(folder, *commands):
    """Return all that commands print, with the secrets in their environment."""
    told = ""
    for words in commands:
        finished = subprocess.run(
            [TOOLKIT, *words],
            cwd=folder,
            env=os.environ | PLANTED,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        told += finished.stdout.decode()
    return told


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    "telltale",
    [("initialize", 401), ("tools/call", 403), ("nothing", 200)],
    indirect=True,
    ids=["initialize", "call", "nothing"],
)
def test_what_a_server_is_sent_in_headers_is_told_nowhere_even_if_it_tells_it_back(tmp_path, telltale, figure):
    (tmp_path / "toolkit.toml").write_text(
        f"[mcp.telltale]\nurl = 'http://127.0.0.1:{telltale.server_port}/mcp'\n"
        "headers = {Authorization = 'Bearer ${GITHUB_TOKEN}', X-Api-Key = '${PLANTED_API_KEY}'}\n"
    )
    run = ["run", "telltale.tell", "--yes", "--debug", "--start", "telltale", "--format", "json"]
    told = told_by(tmp_path, run, ["mcp", "list", "--start", "telltale"])
    assert set(telltale.seen) == {f"Bearer {PLANTED['GITHUB_TOKEN']} and {PLANTED['PLANTED_API_KEY']}"}
    assert "***" in told or telltale.fails_at != "nothing"
    assert hits(told) == []
    figure(
        f"{len(telltale.seen)} requests with secrets in headers, {len(told)} characters of output and DEBUG logs: 0 hits"
    )


def test_a_secret_in_a_servers_environment_is_told_nowhere_even_as_its_last_words(tmp_path):
    (tmp_path / "toolkit.toml").write_text(
        "[mcp.broken]\ncommand = 'python3'\nargs = ['-c', 'import os, sys; sys.exit(os.environ[\"KEY\"])']\n"
        "env = {KEY = '${PLANTED_API_KEY}'}\n"
    )
    told = told_by(tmp_path, ["run", "broken.tool", "--start", "broken", "--debug"])
    assert "its last output: ***" in told
    assert hits(told) == []
