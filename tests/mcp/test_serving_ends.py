"""A server over HTTP ends at once and says nothing of it, whatever its clients are doing."""

import asyncio
import json
import signal
import socket
from http.client import HTTPConnection

import pytest

from tests.mcp.fuzzing import ENVELOPE
from tests.mcp.raw import PATIENCE, RawStdio, message
from tests.mcp.serving import TOOLKIT, Listening
from toolkit.mcp.serving.http_requests import EndingRequests  # private

TOOLS = '''
import threading

from toolkit import tool

@tool(read_only=True)
def wait() -> str:
    """Wait."""
    open("waiting", "w").close()
    threading.Event().wait(60)
    return "waited"
'''


def sent(client, method, body=None, **headers):
    connection = HTTPConnection(client.host, client.port, timeout=PATIENCE)
    connection.request(method, "/mcp", None if body is None else json.dumps(body), {**client.headers, **headers})
    return connection


def begun(file):
    while not file.exists():
        pass


def changes(client):
    """Open the stream of a session, on which a server tells of changes."""
    client.shake_hands()
    connection = sent(client, "GET", Accept="text/event-stream")
    assert connection.getresponse().status == 200
    return connection


def stateless_changes(client):
    body = message("subscriptions/listen", 1, notifications={"toolsListChanged": True}, _meta=ENVELOPE)
    headers = {"Mcp-Method": "subscriptions/listen", "MCP-Protocol-Version": "2026-07-28"}
    connection = sent(client, "POST", body, **headers)
    assert connection.getresponse().readline() == b"event: message\r\n"
    return connection


def call(client):
    client.shake_hands()
    return sent(client, "POST", message("tools/call", 1, name="wait", arguments={}))


def half_a_request(client):
    connection = socket.create_connection((client.host, client.port))
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {client.headers['Host']}\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n"
    )
    connection.sendall(head.encode())
    assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
    return connection


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("begin", [changes, stateless_changes, call, half_a_request])
def test_end_of_a_server_is_quiet_whatever_is_open(tmp_path, begin, number):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    server = Listening(tmp_path)
    served = server.told
    connection = begin(server.client())
    if begin is call:
        begun(tmp_path / "waiting")
    server.process.send_signal(number)
    server.process.wait(PATIENCE)
    assert server.close() == b""
    connection.close()
    assert server.told.decode() == served.decode()
    assert server.process.returncode == 128 + number


CHANGING = """
import asyncio
import threading
from pathlib import Path

from toolkit import tool

@tool(destructive=True)
def wipe(mark: str) -> str:
    Path(f"{mark}.begun").touch()
    threading.Event().wait(60)
    Path(f"{mark}.done").touch()
    return "wiped"

@tool(destructive=True)
async def wipe_slowly(mark: str) -> str:
    Path(f"{mark}.begun").touch()
    await asyncio.sleep(60)
    Path(f"{mark}.done").touch()
    return "wiped"

@tool(read_only=True)
async def wait() -> str:
    Path("waiting").touch()
    await asyncio.sleep(60)
    return "waited"
"""
CUT_OFF = b"a call of '%s' was stopped before it finished, and may have taken effect\n"


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("tool", ["wipe", "wipe_slowly"])
@pytest.mark.parametrize("how", ["leaves", "SIGTERM"])
@pytest.mark.parametrize("is_asked", [True, False], ids=["asked", "approved in advance"])
def test_approved_call_of_a_client_that_leaves_is_stopped_and_reported(tmp_path, tool, how, is_asked):
    (tmp_path / "tools.py").write_text(CHANGING, "utf-8")
    command = [TOOLKIT, "serve", "tools.py", "--quiet", *([] if is_asked else ["--yes"])]
    with RawStdio(command, cwd=tmp_path, capabilities={"elicitation": {}} if is_asked else {}) as server:
        server.send(message("tools/call", 1, name=tool, arguments={"mark": "m"}))
        if is_asked:
            said = {"action": "accept", "content": {"decision": "approve"}}
            server.send({"jsonrpc": "2.0", "id": server.read()["id"], "result": said})
        begun(tmp_path / "m.begun")
        if how == "SIGTERM":
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(PATIENCE)
    assert server.status == (143 if how == "SIGTERM" else 0)
    assert server.told == [CUT_OFF % tool.encode()]
    assert not (tmp_path / "m.done").exists()


def test_call_that_cannot_have_changed_anything_is_not_reported_at_the_end(tmp_path):
    (tmp_path / "tools.py").write_text(CHANGING, "utf-8")
    command = [TOOLKIT, "serve", "tools.py", "--quiet"]
    with RawStdio(command, cwd=tmp_path, capabilities={"elicitation": {}}) as server:
        server.send(message("tools/call", 1, name="wait", arguments={}))
        server.send(message("tools/call", 2, name="wipe", arguments={"mark": "m"}))
        assert server.read()["method"] == "elicitation/create"
        begun(tmp_path / "waiting")
    assert (server.status, server.told) == (0, [])
    assert not (tmp_path / "m.begun").exists()


BODY = {"type": "http.request", "body": b"{}", "more_body": False}


def received(receive, *, when):
    """Return what an application receives from a client, and the responses, if its server shuts down at some time."""
    seen, responses = [], []

    async def application(scope, receive, send):
        if when == "before":
            requests.close()
        seen.append(await receive())

    async def send(response):
        responses.append(response["status" if response["type"] == "http.response.start" else "body"])

    async def serve():
        if when == "while waiting":
            asyncio.get_running_loop().call_later(0, requests.close)
        await requests({"type": "http", "method": "POST", "headers": []}, receive, send)

    requests = EndingRequests(application)
    asyncio.run(serve())
    return seen, responses


async def complete():
    return BODY


async def silent():
    await asyncio.Event().wait()


async def late():
    raise TimeoutError("of the client")


GOODBYE = [503, b"the server is shutting down\n"]


@pytest.mark.parametrize(
    ("receive", "when", "expected"),
    [
        (complete, "never", ([BODY], [])),
        (complete, "before", ([BODY], GOODBYE)),
        (silent, "before", ([{"type": "http.disconnect"}], GOODBYE)),
        (silent, "while waiting", ([{"type": "http.disconnect"}], GOODBYE)),
    ],
)
def test_only_requests_that_wait_for_the_client_end_when_the_server_shuts_down(receive, when, expected):
    assert received(receive, when=when) == expected


def test_timeout_of_the_connection_is_not_a_shutdown():
    with pytest.raises(TimeoutError, match="of the client"):
        received(late, when="never")
