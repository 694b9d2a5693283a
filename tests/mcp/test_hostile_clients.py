"""Clients that mean no good: whatever they send, the server lives, answers where an answer is due, and does no harm."""

import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.mcp.fuzzing import ENVELOPE, due, hostile_lines, hostile_stateless_requests, send_all
from tests.mcp.raw import HELLO, PATIENCE, RawStdio, message
from tests.mcp.serving import TOOLKIT, Listening

TOOLS = '''
"""Tools for hostile clients."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def echo(text: str) -> str:
    """Say a text again."""
    print("a print of a tool")
    return text


@tool(read_only=True)
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(read_only=True)
def mark() -> str:
    """Leave a mark that shows that this was called."""
    with Path("marks.txt").open("a") as file:
        file.write("mark\\n")
    return "marked"


@tool(requires_approval=True)
def erase() -> str:
    """Do what must not be done unasked."""
    Path("erased.txt").touch()
    return "erased"


@tool(read_only=True)
def misbehave(how: str) -> str:
    """Do what tools do when they are broken."""
    match how:
        case "sys.exit":
            sys.exit(3)
        case "raise":
            raise BaseException("not even an exception")
        case "write":
            os.write(1, b"bytes on descriptor 1\\n")
            sys.__stdout__.write("text on the real stdout\\n")
            subprocess.run(["echo", "a child's words"], check=True)
        case "half":
            return "half a character: \\ud800"
        case "read":
            return f"stdin says {sys.stdin.read()!r}"
    return "done"


@tool(read_only=True)
async def hang() -> str:
    """Wait for ever."""
    await asyncio.sleep(100_000)
    return "done"
'''
TOKEN = "0123456789abcdef-a-token-of-tests"  # noqa: S105 - it opens nothing else
SCALE = int(os.environ.get("TOOLKIT_MCP_SCALE", "1"))
"""How many times as much is sent, in longer runs by hand."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A folder with a file of tools."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "tools.py").write_text(TOOLS)
    (folder / "toolkit.toml").write_text("")
    return folder


@pytest.fixture(scope="module")
def stdio(served):
    """A server over stdio, with its hands shaken; what it says at its very end must be messages too."""
    with RawStdio([TOOLKIT, "serve", "tools.py"], cwd=served) as server:
        yield server
    assert server.status == 0
    while not server.lines.empty():
        server.read()


@pytest.fixture(scope="module")
def http(served):
    """A server over HTTP without a token, on the loopback."""
    server = Listening(served)
    yield server
    assert server.process.poll() is None
    assert server.close() == b""
    assert b"Traceback" not in server.told


@pytest.fixture(scope="module")
def locked(served):
    """A server over HTTP that wants a token."""
    server = Listening(served, token=TOKEN)
    yield server
    assert server.process.poll() is None
    assert server.close() == b""


def marks(folder):
    """Return how often the tool that leaves marks was called."""
    file = folder / "marks.txt"
    return file.read_text().count("mark") if file.exists() else 0


# --------------------------------------------------------------------------------------------------------------- stdio


def test_every_hostile_message_over_stdio_leaves_the_server_alive_and_is_answered_where_that_is_due(stdio, figure):
    tally = send_all(stdio, hostile_lines(600 * SCALE, seed=20261122))
    figure(f"stdio: {tally}")
    assert stdio.call("add", a=1, b=2)["content"][0]["text"] == "3"


def test_a_message_that_is_too_long_is_refused_and_the_next_one_is_heard(stdio):
    long = message("tools/call", 1, name="echo", arguments={"text": "x" * 5_000_000})
    [answer] = stdio.after(long)
    assert answer["error"]["message"] == "Invalid request: the message is longer than 4194304 bytes"
    fits = stdio.call("echo", text="x" * 1_000_000)
    assert fits["content"][0]["text"] == "x" * 1_000_000


def test_identities_that_are_taken_and_cancels_of_what_is_not_there_harm_nobody(stdio):
    for identity in ("twice", "twice"):
        stdio.send(message("tools/call", identity, name="hang", arguments={}))
    for unknown in ("never", "", -1, 10**30):
        assert stdio.after(message("notifications/cancelled", requestId=unknown)) == []
    assert stdio.after(message("notifications/progress", progressToken="never", progress=1)) == []
    assert stdio.after(message("notifications/cancelled", requestId="twice")) == []
    assert stdio.call("add", "twice", a=1, b=2)["content"][0]["text"] == "3"


def test_half_a_message_at_the_end_is_answered_and_ends_nothing_early(served):
    with RawStdio([TOOLKIT, "serve", "tools.py"], cwd=served) as server:
        server.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"pi')
        server.process.stdin.close()
        assert server.read()["error"]["code"] == -32700
    assert server.status == 0


def test_a_client_that_leaves_in_the_middle_of_a_call_leaves_no_server_behind(served):
    with RawStdio([TOOLKIT, "serve", "tools.py"], cwd=served) as server:
        server.send(message("tools/call", 1, name="hang", arguments={}))
        server.after(message("notifications/unknown"))
    assert server.status == 0


@pytest.mark.parametrize("how", ["sys.exit", "raise", "write", "half", "read"])
def test_a_broken_tool_ends_nothing_but_its_call(stdio, how):
    result = stdio.call("misbehave", how=how)
    assert result["isError"] == (how in {"sys.exit", "raise"}), result
    assert stdio.call("echo", text="still here")["content"][0]["text"] == "still here"


def test_what_must_be_asked_about_is_refused_where_the_client_cannot_ask(stdio, served):
    result = stdio.call("erase")
    assert result["isError"]
    assert not (served / "erased.txt").exists()


def test_garbage_in_the_place_of_an_answer_is_no_yes(served):
    garbage = [None, "approve", {}, {"action": "APPROVE", "content": {"decision": "approve"}}]
    with RawStdio([TOOLKIT, "serve", "tools.py"], cwd=served, capabilities={"elicitation": {}}) as asked:
        for number, answer in enumerate(garbage):
            asked.send(message("tools/call", number, name="erase"))
            question = asked.read()
            asked.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
            result = asked.wait_for(number)["result"]
            assert result["isError"]
            assert "malformed" in result["content"][0]["text"]
    assert not (served / "erased.txt").exists()


# ---------------------------------------------------------------------------------------------------------------- http


@pytest.mark.proof
def test_every_hostile_message_over_http_leaves_the_server_alive_and_is_answered(http, figure):
    client = http.client().shake_hands()
    statuses: dict[int, int] = {}
    for line in hostile_lines(200 * SCALE, seed=20261123):
        status, _, answer = client.ask(line)
        statuses[status] = statuses.get(status, 0) + 1
        wanted = due(line)
        assert status < 500, (line, answer)
        if status == 200:
            assert answer["id"] in wanted, (line, answer)
        elif status == 202:
            assert not wanted, line
        else:
            assert answer, line
        assert client.is_alive(), line
    told = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))
    figure(f"HTTP: {sum(statuses.values())} hostile messages, alive after each ({told})")


def test_every_hostile_request_of_the_stateless_era_leaves_the_server_alive_and_is_answered(http, figure):
    client = http.client()
    statuses: dict[int, int] = {}
    for body, headers in hostile_stateless_requests(150 * SCALE, seed=20261124):
        status, _, answer = client.ask(body, headers=headers)
        assert status < 500, (body, headers, answer)
        assert answer.keys() & {"result", "error"}, (body, headers, answer)
        statuses[status] = statuses.get(status, 0) + 1
    whole = message("tools/call", 1, name="add", arguments={"a": 1, "b": 2}, _meta=ENVELOPE)
    named = {"Mcp-Method": "tools/call", "Mcp-Name": "add", "MCP-Protocol-Version": "2026-07-28"}
    assert client.ask(whole, headers=named)[2]["result"]["structuredContent"] == 3
    told = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))
    figure(f"HTTP, stateless: {sum(statuses.values())} hostile requests ({told}), alive after all")


LYING_HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "localhost.evil.example:{port}",
    "127.0.0.1@evil.example:{port}",
    "127.0.0.1:{port}.evil.example",
    "127.0.0.1:1",
    "127.1:{port}",
    "0.0.0.0:{port}",
    "2130706433:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "[::1]:{port}",
    "127.0.0.2:{port}",
    "",
    None,
]
LYING_ORIGINS = [
    "http://evil.example",
    "https://evil.example:{port}",
    "http://127.0.0.1.evil.example:{port}",
    "http://localhost.evil.example:{port}",
    "http://127.0.0.1:{port}@evil.example",
    "http://127.0.0.1:1",
    "http://[::1]:{port}",
    "http://localhost",
    "null",
    "file://",
    "chrome-extension://abcdef",
    "",
]


def test_a_forged_host_or_origin_is_refused_before_anything_is_done(http, served, figure):
    call = message("tools/call", 1, name="mark", arguments={})
    honest = http.client().shake_hands()
    before = marks(served)
    forged = [{"Host": host and host.format(port=http.port)} for host in LYING_HOSTS]
    forged += [{"Origin": origin.format(port=http.port)} for origin in LYING_ORIGINS]
    forged += [{"Host": "evil.example", "X-Forwarded-Host": f"127.0.0.1:{http.port}"}]

    def status_of(body, method, headers):
        try:
            return honest.ask(body, method=method, headers=headers)[0]
        except ConnectionError:
            assert headers["Host"] is None  # that is no HTTP, and whoever speaks none is left
            return 400

    refused = [
        status_of(body, method, headers)
        for headers in forged
        for method, body in (("POST", call), ("POST", message("initialize", 1, **HELLO)), ("GET", b""), ("DELETE", b""))
    ]
    assert set(refused) <= {400, 403, 421}
    assert marks(served) == before
    for true in (
        {"Host": f"localhost:{http.port}"},
        {"Origin": f"http://127.0.0.1:{http.port}"},
    ):
        assert honest.ask(call, headers=true)[0] == 200
    assert marks(served) == before + 2
    figure(f"{len(refused)} of {len(refused)} requests with a forged Host or Origin refused, 0 calls made by them")


def test_who_is_refused_hears_so_though_the_body_comes_later(locked):
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 2\r\n\r\n" % locked.port
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", locked.port), timeout=PATIENCE) as line:
            line.sendall(head)
            assert locked.client().ask(b"{}")[0] == 400  # as long as it takes to answer somebody else
            line.sendall(b"{}")
            assert line.recv(100).startswith(b"HTTP/1.1 401")


def test_a_page_of_a_browser_is_allowed_nothing(http):
    asked = http.client(Origin="http://evil.example", **{"Access-Control-Request-Method": "POST"})
    status, headers, _ = asked.ask(b"", method="OPTIONS")
    assert status in {403, 405}
    assert not [name for name in headers if name.lower().startswith("access-control-")]


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None]
)
def test_what_a_form_can_send_without_asking_is_refused(http, served, kind):
    client = http.client().shake_hands()
    before = marks(served)
    status, *_ = client.ask(message("tools/call", 1, name="mark", arguments={}), headers={"Content-Type": kind})
    assert status in {400, 415}
    assert marks(served) == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/", b"{}"),
        ("POST", "/mcp/../etc/passwd", b"{}"),
        ("POST", "/mcp%00", b"{}"),
        ("POST", "/%2e%2e/mcp", b"{}"),
        ("GET", "/sse", b""),
        ("PUT", "/mcp", b"{}"),
        ("TRACE", "/mcp", b""),
        ("PATCH", "/mcp", b"{}"),
        ("CONNECT", "/mcp", b""),
    ],
)
def test_other_paths_and_methods_lead_nowhere(http, method, path, body):
    status, *_ = http.client().shake_hands().ask(body, method=method, path=path)
    assert 400 <= status < 500
    assert http.client().shake_hands().is_alive()


def test_who_asks_at_the_wrong_address_is_told_the_right_one(http):
    status, _, text = http.client().ask(message("initialize", 1, **HELLO), path="/")
    assert (status, text) == (404, "nothing is served here; the server is at /mcp\n")


@pytest.mark.parametrize("accept", ["text/html", "image/*", "application/json;q=0"])
def test_a_client_that_takes_no_json_gets_none(http, accept):
    status, *_ = http.client().ask(message("initialize", 1, **HELLO), headers={"Accept": accept})
    assert status == 406


def test_a_body_that_is_too_long_is_refused_however_its_length_is_told(http):
    client = http.client().shake_hands()
    body = json.dumps(message("tools/call", 1, name="echo", arguments={"text": "x" * 5_000_000})).encode()
    assert client.ask(body)[0] == 413
    chunk = b"%x\r\n%s\r\n" % (len(body), body)
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n" % http.port
    with socket.create_connection(("127.0.0.1", http.port), timeout=PATIENCE) as line:
        line.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            line.sendall(chunk + b"0\r\n\r\n")
            answer = line.recv(100)
        except OSError:
            answer = b""
    assert not answer or answer.startswith(b"HTTP/1.1 413")
    assert client.is_alive()


BROKEN_REQUESTS = [
    b"\x00\x01\x02\x03\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nContent-Length: 10\r\nContent-Length: 20\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
    b"POST /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
]


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["first", "second"])
def test_headers_that_do_not_end_end_the_connection(http, before):
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Long: " % http.port
    with socket.create_connection(("127.0.0.1", http.port), timeout=10) as line, suppress(ConnectionError):
        line.sendall(before + head + b"x" * 256 * 1024)
        while line.recv(4096):
            pass  # a short answer may come first; an open connection would be silent now, until `recv` times out
    assert http.client().shake_hands().is_alive()


@pytest.mark.parametrize("request_line", range(len(BROKEN_REQUESTS)))
def test_what_is_no_http_is_refused_or_left(http, request_line):
    with socket.create_connection(("127.0.0.1", http.port), timeout=PATIENCE) as line:
        try:
            line.sendall(BROKEN_REQUESTS[request_line])
            line.shutdown(socket.SHUT_WR)
            answer = line.recv(100)
        except OSError:
            answer = b""
    assert not answer or answer.startswith(b"HTTP/1.1 4"), answer
    assert http.client().shake_hands().is_alive()


def test_clients_that_never_finish_their_requests_keep_nobody_waiting(http, figure):
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n" % http.port
    beginnings = [
        b"",
        b"POST /mc",
        head,
        head + b"Content-Length: 500\r\n\r\n{",
        head + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{",
        head + b"Accept: */*\r\nContent-Length: 500\r\n\r\n{",
        head + b"Accept: */*\r\nMCP-Protocol-Version: 2026-07-28\r\nContent-Length: 500\r\n\r\n{",
    ]
    slow = [socket.create_connection(("127.0.0.1", http.port), timeout=PATIENCE) for _ in range(200)]
    try:
        for number, line in enumerate(slow):
            line.sendall(beginnings[number % len(beginnings)])
        client = http.client().shake_hands()
        served = sum(client.is_alive() for _ in range(50))
    finally:
        for line in slow:
            line.close()
    assert served == 50
    figure(f"{served} of 50 pings answered while {len(slow)} connections never finish their requests")


@pytest.mark.parametrize(("name", "arguments"), [("hang", {}), ("echo", {"text": "x" * 1_000_000})])
def test_clients_that_hang_up_before_or_in_the_middle_of_an_answer_harm_nobody(http, name, arguments):
    client = http.client().shake_hands()
    body = json.dumps(message("tools/call", 1, name=name, arguments=arguments)).encode()
    lines = [f"{key}: {value}" for key, value in {**client.headers, "Content-Length": len(body)}.items()]
    request = "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", http.port), timeout=PATIENCE) as line:
            line.sendall(request)
            if name == "echo":
                assert line.recv(15)
        assert client.is_alive()


def test_a_session_is_known_by_its_own_identity_alone(http):
    owner = http.client().shake_hands()
    stranger = http.client(**{"MCP-Protocol-Version": HELLO["protocolVersion"]})
    own = owner.headers["Mcp-Session-Id"]
    for guess in ("0", "", own[:-1], own.upper(), own + "0", "../" + own, "' OR 1=1 --", own[::-1], "x" * 5000):
        for method, body in (("POST", message("tools/list", 1)), ("DELETE", b"")):
            status, *_ = stranger.ask(body, method=method, headers={"Mcp-Session-Id": guess})
            assert status in {400, 404, 405, 431}, (guess, method, status)
    assert owner.is_alive()


def test_no_two_sessions_have_one_identity_and_none_can_be_guessed(http):
    sessions = {http.client().shake_hands().headers["Mcp-Session-Id"] for _ in range(20)}
    assert len(sessions) == 20
    assert all(len(session) >= 32 for session in sessions)


@pytest.mark.proof
def test_without_the_bearer_token_nothing_is_answered(locked, served, figure):
    honest = locked.client().shake_hands()
    before = marks(served)
    wrong = [
        None, "", "Bearer", "Bearer ", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", f"Bearer {TOKEN.upper()}", f"Basic {TOKEN}", TOKEN,
        f"Bearer {TOKEN[:8]} {TOKEN[8:]}", "Bearer null", f"Token {TOKEN}", f"Bearer \xe4{TOKEN}",
    ]  # fmt: skip
    call = message("tools/call", 1, name="mark", arguments={})
    statuses = [
        honest.ask(body, method=method, headers={"Authorization": value})[0]
        for value in wrong
        for method, body in (("POST", call), ("GET", b""), ("DELETE", b""), ("POST", message("initialize", 1, **HELLO)))
    ]
    assert set(statuses) == {401}
    assert honest.ask(b"{}", path=f"/mcp?token={TOKEN}", headers={"Authorization": None})[0] == 401
    assert marks(served) == before
    assert honest.ask(call)[0] == 200
    assert marks(served) == before + 1
    figure(f"{len(statuses) + 1} of {len(statuses) + 1} requests without the right bearer token refused")


@pytest.mark.proof
def test_the_token_is_told_to_nobody(served):
    server = Listening(served, "-vv", token=TOKEN)
    client = server.client().shake_hands()
    answers = [
        client.ask(message("tools/list", 1)),
        client.ask(b"{}"),
        client.ask(b"", headers={"Authorization": "Bearer no"}),
    ]
    told = server.close() + server.told + json.dumps(answers).encode()
    assert TOKEN.encode() not in told


@pytest.mark.proof
def test_many_clients_at_once_each_get_their_own_answers(http, figure, tries):
    turns = tries(30) * SCALE

    def work(number):
        client = http.client().shake_hands()
        right = 0
        for turn in range(turns):
            text = f"client {number} turn {turn}"
            answer = client.ask(message("tools/call", turn, name="echo", arguments={"text": text}))[2]
            right += answer["id"] == turn and answer["result"]["content"][0]["text"] == text
        return right

    with ThreadPoolExecutor(16) as pool:
        right = sum(pool.map(work, range(16)))
    assert right == 16 * turns
    figure(f"16 clients at once: {right} calls, each with its own answer")
