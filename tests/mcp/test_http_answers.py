"""Over HTTP, the answer to a request is JSON, or the end of a stream of events if something else comes before it."""

import asyncio
import json
from contextlib import asynccontextmanager, closing, contextmanager
from http.client import HTTPConnection
from typing import Any

import pytest
from mcp import types

from tests.mcp.fuzzing import ENVELOPE
from tests.mcp.raw import HELLO, PATIENCE, message
from tests.mcp.serving import Listening
from toolkit.mcp.serving import http_exchanges, http_sessions  # private
from toolkit.mcp.serving.http_exchanges import Exchange  # private
from toolkit.mcp.serving.over_http import _Application  # private
from toolkit.mcp.serving.server import ToolServer  # private

TOOLS = '''
import asyncio
from pathlib import Path

from toolkit import ToolContext, tool

@tool(read_only=True)
def add(left: int, right: int) -> str:
    """Add two numbers."""
    return str(left + right)

@tool(read_only=True)
def tell(context: ToolContext) -> str:
    """Tell how far it is."""
    context.progress("half way")
    return "done"

@tool(read_only=True)
async def wait(name: str) -> str:
    """Wait without an end."""
    Path(f"{name}.begun").touch()
    try:
        await asyncio.sleep(600)
    finally:
        Path(f"{name}.ended").touch()

@tool
def wipe() -> str:
    """Ask first."""
    return "wiped"
'''
STATELESS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}
ADD = message("tools/call", 1, name="add", arguments={"left": 1, "right": 2})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    server = Listening(folder)
    yield server
    server.close()


def begun(file):
    while not file.exists():
        pass


@contextmanager
def sent(client, method, body=None, **headers):
    """Send a request, and provide the connection without waiting for the response."""
    connection = HTTPConnection(client.host, client.port, timeout=PATIENCE)
    connection.request(method, "/mcp", None if body is None else json.dumps(body), {**client.headers, **headers})
    with closing(connection):
        yield connection


def text_of(answer):
    return answer["result"]["content"][0]["text"]


def events(response):
    return [json.loads(line[5:]) for line in response.read().splitlines() if line.startswith(b"data:")]


def test_answer_of_a_call_is_json_and_names_the_session(server):
    client = server.client().shake_hands()
    status, headers, answer = client.ask(ADD)
    assert (status, headers["content-type"], text_of(answer)) == (200, "application/json", "3")
    assert headers["mcp-session-id"] == client.headers["Mcp-Session-Id"]


def test_answer_of_a_stateless_call_is_json_without_a_session(server):
    call = message("tools/call", 1, name="add", arguments={"left": 1, "right": 2}, _meta=ENVELOPE)
    status, headers, answer = server.client().ask(call, headers=STATELESS | {"Mcp-Name": "add"})
    assert (status, headers["content-type"], text_of(answer)) == (200, "application/json", "3")
    assert "mcp-session-id" not in headers


@pytest.mark.parametrize("era", ["session", "stateless"])
def test_progress_comes_before_the_answer_in_a_stream(server, era):
    meta: dict[str, Any] = {"progressToken": "p"}
    if era == "session":
        client, headers = server.client().shake_hands(), {}
    else:
        client, headers, meta = server.client(), STATELESS | {"Mcp-Name": "tell"}, meta | ENVELOPE
    call = message("tools/call", 1, name="tell", arguments={}, _meta=meta)
    with sent(client, "POST", call, **headers) as connection, connection.getresponse() as response:
        assert response.headers["content-type"] == "text/event-stream"
        first, *_, last = events(response)
    assert (first["method"], first["params"]["message"]) == ("notifications/progress", "half way")
    assert text_of(last) == "done"


def test_question_comes_before_the_answer_in_a_stream(server):
    client = server.client()
    _, headers, _ = client.ask(message("initialize", 0, **HELLO | {"capabilities": {"elicitation": {}}}))
    client.headers |= {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": headers["mcp-session-id"]}
    client.ask(message("notifications/initialized"))
    call = message("tools/call", 1, name="wipe", arguments={})
    with sent(client, "POST", call) as connection, connection.getresponse() as response:
        assert response.headers["content-type"] == "text/event-stream"
        response.readline()
        question = json.loads(response.readline()[5:])
        assert question["method"] == "elicitation/create"
        said = {"action": "accept", "content": {"decision": "approve"}}
        assert client.ask({"jsonrpc": "2.0", "id": question["id"], "result": said})[0] == 202
        assert text_of(events(response)[-1]) == "wiped"


@pytest.mark.parametrize("ending", ["cancelled", "deleted", "its id is used again"])
def test_request_in_progress_is_answered_when_it_ends_otherwise(server, folder, ending):
    client = server.client().shake_hands()
    with sent(client, "POST", message("tools/call", 7, name="wait", arguments={"name": ending})) as waiting:
        begun(folder / f"{ending}.begun")
        if ending == "cancelled":
            assert client.ask(message("notifications/cancelled", requestId=7))[0] == 202
        elif ending == "deleted":
            assert client.ask(b"", method="DELETE")[0] == 200
            assert client.ask(ADD)[0] == 404
        else:
            assert text_of(client.ask(ADD | {"id": 7})[2]) == "3"
        with waiting.getresponse() as response:
            assert response.headers["content-type"] == "text/event-stream"
            (answer,) = events(response)
    codes = {"cancelled": -32_800, "deleted": types.CONNECTION_CLOSED, "its id is used again": types.INVALID_REQUEST}
    assert (answer["id"], answer["error"]["code"]) == (7, codes[ending])


def test_client_that_disconnects_cancels_its_stateless_request_only(server, folder):
    call = message("tools/call", 1, name="wait", arguments={"name": "gone"}, _meta=ENVELOPE)
    with sent(server.client(), "POST", call, **STATELESS, **{"Mcp-Name": "wait"}):
        begun(folder / "gone.begun")
    begun(folder / "gone.ended")
    client = server.client().shake_hands()
    with sent(client, "POST", message("tools/call", 1, name="wait", arguments={"name": "stays"})):
        begun(folder / "stays.begun")
    assert client.is_alive()
    assert not (folder / "stays.ended").exists()


def test_session_has_one_stream_which_ends_with_it(server):
    client = server.client().shake_hands()
    with sent(client, "GET") as connection, connection.getresponse() as stream:
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
        assert client.ask(b"", method="GET")[0] == 409
        assert client.ask(b"", method="DELETE")[0] == 200
        assert stream.read() == b""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", "Invalid request: the body must be one JSON message"),
        (b"{", "Parse error: this is not one JSON message (Expecting property name enclosed in double quotes: line 1 column 2 (char 1))"),
        (b"[]", "Invalid request: batches are not supported; send one message at a time"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', "Invalid request: 'id' must be a string or an integer"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("headers", [{}, STATELESS], ids=["session", "stateless"])
def test_body_that_is_not_a_message_is_refused_with_the_reason(server, headers, body, text):
    status, _, answer = server.client().ask(body, headers=headers)
    assert (status, answer["error"]["message"]) == (400, text)


@pytest.mark.parametrize("headers", [{}, STATELESS], ids=["session", "stateless"])
def test_answer_of_a_client_is_nothing_to_answer(server, headers):
    client = server.client().shake_hands() if not headers else server.client()
    status, *_ = client.ask({"jsonrpc": "2.0", "id": 99, "result": {}}, headers=headers)
    assert status == (400 if headers else 202)


def test_session_whose_handshake_failed_does_not_begin(server):
    status, headers, answer = server.client().ask(message("initialize", 1, protocolVersion=7))
    assert (status, answer["error"]["code"]) == (200, types.INVALID_PARAMS)
    again = server.client(**{"Mcp-Session-Id": headers["mcp-session-id"]})
    assert again.ask(ADD)[0] == 404


@asynccontextmanager
async def exchange():
    """Provide the response to a request, the parts of it that were sent, and whether these are more than two."""
    parts, commented = [], asyncio.Event()

    async def send(part):
        parts.append(part)
        if len(parts) > 2:
            commented.set()

    response = Exchange(send)
    yield response, parts, commented
    response.end()


def bodies(parts):
    return [part["body"] for part in parts if part["type"] == "http.response.body"]


RESULT = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={})


def test_stream_begins_if_the_answer_takes_long(monkeypatch):
    monkeypatch.setattr(http_exchanges, "QUIET", 0)

    async def answer():
        async with exchange() as (response, parts, commented):
            await commented.wait()
            await response.answer(RESULT)
            await response.wait()
            return parts

    head, *parts = asyncio.run(answer())
    assert (b"content-type", b"text/event-stream") in head["headers"]
    *comments, last = bodies(parts)
    assert set(comments) == {b": ping\r\n\r\n"}
    assert last == b'event: message\r\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\r\n\r\n'
    assert [part["more_body"] for part in parts] == [True] * len(comments) + [False]


def test_nothing_is_sent_after_the_end_of_a_response():
    async def talk():
        async with exchange() as (response, parts, _):
            await response.answer(RESULT)
            count = len(parts)
            await response.send_event(types.JSONRPCNotification(jsonrpc="2.0", method="late"))
            await response.answer(RESULT)
            await response.open_stream()
            await response.close()
            return count, bodies(parts)

    assert asyncio.run(talk()) == (2, [b'{"jsonrpc":"2.0","id":1,"result":{}}'])


class InThisProcess:
    """An ASGI application, and a client of it."""

    def __init__(self, application):
        self.application = application
        self.headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self._lifespan = asyncio.Queue()
        self._is_up = asyncio.Event()

    async def __aenter__(self):
        async def up(_):
            self._is_up.set()

        await self._lifespan.put({"type": "lifespan.startup"})
        self._serving = asyncio.create_task(self.application({"type": "lifespan"}, self._lifespan.get, up))
        await self._is_up.wait()
        return self

    async def __aexit__(self, *_):
        await self._lifespan.put({"type": "lifespan.shutdown"})
        await self._serving

    async def ask(self, said, **headers):
        """Send a request, and return the status and the headers of the response."""
        parts = []

        async def receive():
            return {"type": "http.request", "body": json.dumps(said).encode()}

        async def send(part):
            parts.append(part)

        pairs = [(name.encode(), value.encode()) for name, value in (self.headers | headers).items()]
        await self.application({"type": "http", "method": "POST", "headers": pairs}, receive, send)
        return parts[0]["status"], dict(parts[0]["headers"])


BEGIN = message("initialize", 1, **HELLO)


def test_session_ends_if_its_client_does_not_use_it(monkeypatch):
    monkeypatch.setattr(http_sessions, "_IDLE", 0)

    async def talk():
        async with InThisProcess(_Application(ToolServer({}).protocol)) as client:
            status, headers = await client.ask(BEGIN)
            await asyncio.sleep(0)
            session = {"mcp-session-id": headers[b"mcp-session-id"].decode()}
            return status, (await client.ask(message("ping", 2), **session))[0]

    assert asyncio.run(talk()) == (200, 404)


def test_session_beyond_the_most_is_refused(monkeypatch):
    monkeypatch.setattr(http_sessions, "MOST", 1)

    async def talk():
        async with InThisProcess(_Application(ToolServer({}).protocol)) as client:
            return [(await client.ask(BEGIN))[0] for _ in range(2)]

    assert asyncio.run(talk()) == [200, 503]
