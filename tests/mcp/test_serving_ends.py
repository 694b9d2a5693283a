"""A server over HTTP ends at once and says nothing of it, whatever its clients are doing."""

import json
import signal
import socket
from http.client import HTTPConnection

import pytest

from tests.mcp.fuzzing import ENVELOPE
from tests.mcp.raw import PATIENCE, message
from tests.mcp.serving import Listening

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
    connection = sent(client, "POST", message("tools/call", 1, name="wait", arguments={}))
    assert connection.getresponse().status == 200
    return connection


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
    server.process.send_signal(number)
    server.process.wait(PATIENCE)
    assert server.close() == b""
    connection.close()
    assert server.told.decode() == served.decode()
    assert server.process.returncode == 128 + number
