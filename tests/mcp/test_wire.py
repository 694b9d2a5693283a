"""The lines of stdio: every line gets the answer that is due, and nothing but JSON is written."""

import json

import pytest
from mcp import types

from toolkit.mcp.serving.messages import MessageError, bytes_of, message_of  # private

LIMIT = 20_000
NO_ID = "Invalid request: 'id' must be a string or an integer"
NOT_JSON = "Parse error: this is not one JSON message"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


MALFORMED: list[tuple[bytes, int | str | None, int, str]] = [
    (b"not json", None, -32700, f"{NOT_JSON} (Expecting value: line 1 column 1 (char 0))"),
    (b'{"half"', None, -32700, f"{NOT_JSON} (Expecting ':' delimiter: line 1 column 8 (char 7))"),
    (b'\xff{"id":1}', None, -32700, f"{NOT_JSON} ('utf-8' codec can't decode byte 0xff in position 0: invalid start byte)"),
    (PING.decode().encode("utf-16"), None, -32700, f"{NOT_JSON} (encode it as UTF-8: it contains null bytes)"),
    (PING.decode().encode("utf-16-le"), None, -32700, f"{NOT_JSON} (encode it as UTF-8: it contains null bytes)"),
    (PING.decode().encode("utf-32-be"), None, -32700, f"{NOT_JSON} (encode it as UTF-8: it contains null bytes)"),
    (PING.decode().encode("utf-8-sig"), None, -32700, f"{NOT_JSON} (Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0))"),
    (b"[" * 19_000, None, -32700, f"{NOT_JSON} (it is nested too deeply)"),
    (b"[%s]" % PING, None, -32600, "Invalid request: batches are not supported; send one message at a time"),
    (b"[]", None, -32600, "Invalid request: batches are not supported; send one message at a time"),
    (b"7", None, -32600, "Invalid request: a message is a JSON object"),
    (b"null", None, -32600, "Invalid request: a message is a JSON object"),
    (b"{}", None, -32600, f"Invalid request: 'jsonrpc' must be '2.0'; {NO_ID[17:]}; 'method' must be a string"),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600, "Invalid request: 'method' must be a string"),
    (b'{"jsonrpc":"2.0","id":"a"}', "a", -32600, "Invalid request: 'method' must be a string"),
    (b'{"jsonrpc":"1.0","id":2,"method":"ping","params":[]}', 2, -32600, "Invalid request: 'jsonrpc' must be '2.0'; 'params' must be an object"),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600, NO_ID),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600, NO_ID),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600, NO_ID),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600, NO_ID),
    (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":"","result":{}}', 5, -32600, "Invalid request: 'params' must be an object; a request has neither 'result' nor 'error'"),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32600, NO_ID),
    (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\\ud800"}}', 3, -32600, "Invalid request: it is nested too deeply, or contains a lone surrogate"),
    (b'{"jsonrpc":"2.0","id":4,"params":"%s"}' % (b"x" * LIMIT), None, -32600, f"Invalid request: the message is longer than {LIMIT} bytes"),
]  # fmt: skip


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("line", "identity", "code", "text"), MALFORMED, ids=map(str, range(len(MALFORMED))))
def test_a_malformed_line_is_answered_by_what_is_wrong_with_it(line, identity, code, text):
    answer = message_of(line, LIMIT)
    assert isinstance(answer, MessageError)
    assert json.loads(bytes_of(answer)) == {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": text}}


@pytest.mark.parametrize(
    "line", [b"", b" \t\r", b'{"jsonrpc":"2.0","method":7}', b'{"id":null,"result":7}', b'{"id":[],"error":"no"}']
)
def test_where_nobody_waits_for_an_answer_there_is_none(line):
    assert message_of(line) is None


@pytest.mark.parametrize(
    "line", [b'{"id":1,"result":7}', b'{"jsonrpc":"2.0","id":1,"result":null}', b'{"id":1,"error":"no"}']
)
def test_a_malformed_answer_is_an_error_to_whoever_waits_for_it(line):
    answer = message_of(line)
    assert answer is not None
    assert not isinstance(answer, MessageError)
    assert json.loads(bytes_of(answer)) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32600, "message": "the answer is malformed"},
    }


@pytest.mark.parametrize(
    "line",
    [
        PING,
        b'{"jsonrpc":"2.0","id":"\xc3\xa4","method":"ping"}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":{"id":3}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"method":"ping"}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}',
    ],
)
def test_a_message_is_read_and_written_as_it_was(line):
    message = message_of(line)
    assert message is not None
    assert not isinstance(message, MessageError)
    assert json.loads(bytes_of(message)) == json.loads(line)


def test_an_answer_that_cannot_be_written_becomes_an_error():
    half = types.JSONRPCResponse(jsonrpc="2.0", id=7, result={"text": "\ud800"})
    assert json.loads(bytes_of(half)) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32603, "message": "Internal error: the answer cannot be written as JSON"},
    }


def test_a_notification_that_cannot_be_written_is_left_out():
    assert bytes_of(types.JSONRPCNotification(jsonrpc="2.0", method="x", params={"text": "\ud800"})) == b""
