"""The wire of stdio: every line gets the answer that is due, nothing but JSON is written, and no line ends the server."""

import json
import subprocess
import sys

SERVER = """
import os, sys
import anyio
from mcp import types
from mcp.server.lowlevel import Server
from toolkit.mcp.serving.wire import stdio_streams


async def call(context, params):
    print("a print")
    os.system("echo of a child")
    if params.name == "half":
        return types.CallToolResult(content=[types.TextContent(type="text", text="\\ud800")])
    return types.CallToolResult(content=[types.TextContent(type="text", text=sys.stdin.read() or "no input")])


async def main():
    server = Server("wire", version="1", on_call_tool=call)
    async with stdio_streams(limit=int(sys.argv[1])) as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
"""
LIMIT = 20_000
HELLO = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"test","version":"1"}}}'
)
PING = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}'


def answers_to(*lines, due):
    """Send lines with a ping after each, wait for as many answers as are due, and return all that come but the pings'."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(LIMIT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(HELLO + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 0
        server.stdin.write(b"".join(line + b"\n" + PING + b"\n" for line in lines))
        server.stdin.flush()
        answered = [server.stdout.readline() for _ in range(due + len(lines))]
        rest, told = server.communicate()
    answers = [json.loads(line) for line in answered + rest.splitlines()]
    assert sum(answer["id"] == "ping" for answer in answers) == len(lines)
    return [
        answer.get("result") or (answer["id"], answer["error"]["code"], answer["error"]["message"])
        for answer in answers
        if answer["id"] != "ping"
    ], told.decode()


NO_ID = "Invalid request: 'id' must be a text or an integer"
NOT_JSON = "Parse error: a line must be one JSON message"


def test_every_malformed_line_is_answered_by_what_is_wrong_with_it_and_a_ping_after_it_as_well():
    cases: list[tuple[bytes, int | str | None, int, str]] = [
        (b"not json", None, -32700, f"{NOT_JSON} (Expecting value: line 1 column 1 (char 0))"),
        (b'{"half"', None, -32700, f"{NOT_JSON} (Expecting ':' delimiter: line 1 column 8 (char 7))"),
        (b'{"jsonrpc":"2.0",', None, -32700, f"{NOT_JSON} (Expecting property name enclosed in double quotes: line 1 column 18 (char 17))"),
        (b'\xff{"id":1}', None, -32700, f"{NOT_JSON} ('utf-8' codec can't decode byte 0xff in position 0: invalid start byte)"),
        (b"[" * 9000 + b"]" * 9000, None, -32700, f"{NOT_JSON} (it is nested too deeply)"),
        (b"[%s]" % PING, None, -32600, "Invalid request: a batch; send one message a line"),
        (b"[]", None, -32600, "Invalid request: a batch; send one message a line"),
        (b"7", None, -32600, "Invalid request: a message is a JSON object"),
        (b"null", None, -32600, "Invalid request: a message is a JSON object"),
        (b"{}", None, -32600, f"Invalid request: 'jsonrpc' must be '2.0'; {NO_ID[17:]}; 'method' must be a text"),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600, "Invalid request: 'method' must be a text"),
        (b'{"jsonrpc":"2.0","id":"a"}', "a", -32600, "Invalid request: 'method' must be a text"),
        (b'{"jsonrpc":"1.0","id":2,"method":"ping","params":[]}', 2, -32600, "Invalid request: 'jsonrpc' must be '2.0'; 'params' must be an object"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600, NO_ID),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600, NO_ID),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600, NO_ID),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32600, NO_ID),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\\ud800"}}', 3, -32600, "Invalid request: it holds half a character, or a number that is none"),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":"%s"}}' % (b"x" * LIMIT), None, -32600, f"Invalid request: the message is longer than {LIMIT} bytes"),
    ]  # fmt: skip
    answers, _ = answers_to(*(case[0] for case in cases), due=len(cases))
    assert answers == [case[1:] for case in cases]


def test_where_nobody_waits_for_an_answer_there_is_none():
    lines = [
        b"",
        b" \t\r",
        b'{"jsonrpc":"2.0","method":7}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown","params":{"id":3}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}',
        b'{"jsonrpc":"2.0","id":1,"result":7}',
        b'{"jsonrpc":"2.0","id":1,"error":"no"}',
    ]
    assert answers_to(*lines, due=0)[0] == []


def test_the_last_line_counts_though_nothing_ends_it():
    finished = subprocess.run(
        [sys.executable, "-c", SERVER, str(LIMIT)], input=b'\n{"half"', capture_output=True, timeout=60, check=True
    )
    assert json.loads(finished.stdout)["error"]["code"] == -32700


def test_what_tools_and_their_children_print_goes_to_stderr_and_they_read_nothing():
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whole"}}'
    answers, told = answers_to(call, due=1)
    assert answers == [{"content": [{"text": "no input", "type": "text"}], "isError": False}]
    assert sorted(told.splitlines()) == ["a print", "of a child"]


def test_an_answer_that_cannot_be_written_is_an_error_and_ends_no_other():
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"half"}}'
    assert answers_to(call, due=1)[0] == [(1, -32603, "Internal error: the answer has no form in JSON")]
