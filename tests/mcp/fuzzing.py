"""Messages as a broken or hostile client sends them, and what answer is due to each.

By hand, with more of them and another seed:

    python -m tests.mcp.fuzzing 20000 7 -- toolkit serve tools.py
"""

import json
import random
import sys
from typing import Any

from tests.mcp.raw import RawStdio, message

METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/subscribe",
    "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "server/discover", "sampling/createMessage",
    "elicitation/create", "roots/list", "tasks/get", "notifications/initialized", "notifications/cancelled",
    "notifications/progress", "notifications/roots/list_changed", "rpc.discover", "tools/call\n", "", "../etc", "__init__",
]  # fmt: skip
ODD_TEXTS = [
    "",
    "\0",
    "\ud800",
    "\u202e",
    "\x1b[2J",
    "a" * 5000,
    "\u2028",
    "{}",
    "null",
    "../../etc/passwd",
    "-1",
    "💥",
]
ODD_NUMBERS = [0, -1, 1.5, 2**53 + 1, 2**64, -(2**63), 10**400, 1e308, float("inf"), float("nan")]
KEYS = [
    "jsonrpc", "id", "method", "params", "result", "error", "name", "arguments", "_meta", "progressToken", "requestId",
    "cursor", "text", "protocolVersion", "capabilities", "clientInfo", "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities", "requestState", "inputResponses",
    "__proto__", "traceparent",
]  # fmt: skip


def hostile_lines(count: int, seed: int):
    """Yield as many lines, always the same for a seed."""
    chance = random.Random(seed)  # noqa: S311 - no secret: the same lines every time
    kinds = [_noise, _any_json, _near_request, _near_call, _mangled, _nested, _batch]
    for number in range(count):
        line = chance.choice(kinds)(chance, number)
        yield line.replace(b"\n", b" ").replace(b"\r", b" ")


ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


def hostile_stateless_requests(count: int, seed: int):
    """Yield as many bodies of the stateless era, each with its headers: most are broken in one place or two."""
    chance = random.Random(seed)  # noqa: S311 - no secret: the same requests every time
    for number in range(count):
        method = chance.choice(
            ["tools/call"] * 8 + ["tools/list", "server/discover", "prompts/get", "ping", "initialize"]
        )
        params: dict[str, Any] = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": dict(ENVELOPE)}
        headers: dict[str, str | None] = {"Mcp-Method": method, "Mcp-Name": "add", "MCP-Protocol-Version": "2026-07-28"}
        for _ in range(chance.randrange(3)):
            match chance.randrange(5):
                case 0:
                    params[chance.choice(list(params))] = _value(chance, 2)
                case 1:
                    params["_meta"] = {**ENVELOPE, chance.choice(list(ENVELOPE)): _value(chance, 2)}
                case 2:
                    params["requestState"] = chance.choice([*ODD_TEXTS, "a.b.c", "eyJhbGciOiJub25lIn0.e30."])
                    params["inputResponses"] = _value(chance, 2)
                case 3:
                    params.pop(chance.choice(list(params)))
                case _:
                    headers[chance.choice(list(headers))] = chance.choice(
                        ["tools/list", "echo", "", "=?base64?eA==?=", None]
                    )
        yield _dumped({"jsonrpc": "2.0", "id": number, "method": method, "params": params}), headers


def due(line: bytes, limit: int = 4 * 1024 * 1024):
    """Return the identities of which one must be answered: none where no answer is due, None for an unknown one."""
    if len(line) > limit:
        return [None]
    if not line.strip():
        return []
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError):
        return _of_unreadable(line)
    if not isinstance(value, dict):
        return [None]
    identity = value.get("id")
    if "id" not in value:
        return [] if "method" in value or "result" in value or "error" in value else [None]
    if "method" not in value and ("result" in value or "error" in value):
        return []
    if isinstance(identity, bool) or not isinstance(identity, int | str):
        return [None]
    return [identity, None]


def _of_unreadable(line: bytes):
    """Python reads no number of more than 4300 digits, and nothing nested deeper than itself; others may."""
    return [None, *range(10)] if len(line) > 900 else [None]


def _noise(chance, number):
    return chance.randbytes(chance.randrange(200))


def _any_json(chance, number):
    return _dumped(_value(chance, 3))


def _near_request(chance, number):
    said: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": chance.choice(METHODS)}
    for _ in range(chance.randrange(4)):
        said[chance.choice(KEYS)] = _value(chance, 2)
    if chance.random() < 0.3:
        said.pop(chance.choice(list(said)))
    return _dumped(said)


def _near_call(chance, number):
    params = {"name": chance.choice(["echo", "add", "mark", "", "no_such", 7, None]), "arguments": _value(chance, 3)}
    if chance.random() < 0.5:
        params["arguments"] = {chance.choice(["text", "a", "b", "context"]): _value(chance, 1) for _ in range(3)}
    if chance.random() < 0.5:
        params["_meta"] = {chance.choice(KEYS): _value(chance, 1) for _ in range(3)}
    return _dumped(message("tools/call", number, **params))


def _mangled(chance, number):
    line = bytearray(_near_call(chance, number) if number % 2 else _near_request(chance, number))
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(line))
        match chance.randrange(3):
            case 0:
                del line[place : place + chance.randrange(1, 9)]
            case 1:
                line[place:place] = chance.randbytes(chance.randrange(1, 5))
            case _:
                line[place] = chance.randrange(256)
        if not line:
            return b""
    return bytes(line)


def _nested(chance, number):
    depth = chance.choice([50, 150, 300, 1200, 5000])
    opening, closing = chance.choice([(b"[", b"]"), (b'{"a":', b"}")])
    inner = opening * depth + b"1" + closing * chance.choice([depth, depth, depth - 1])
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}' % (
        number,
        inner,
    )


def _batch(chance, number):
    return b"[%s]" % b",".join(_near_request(chance, number) for _ in range(chance.randrange(4)))


def _value(chance, depth):
    kind = chance.randrange(8 if depth else 6)
    match kind:
        case 0:
            return None
        case 1:
            return chance.random() < 0.5
        case 2 | 3:
            return chance.choice(ODD_NUMBERS)
        case 4 | 5:
            return chance.choice(ODD_TEXTS + METHODS)
        case 6:
            return [_value(chance, depth - 1) for _ in range(chance.randrange(4))]
        case _:
            return {chance.choice(KEYS): _value(chance, depth - 1) for _ in range(chance.randrange(5))}


def _dumped(value):
    return json.dumps(value).encode()


class Tally:
    """What came of many lines."""

    def __init__(self):
        self.lines = self.answers = self.errors = self.due = 0

    def __str__(self):
        """Return it in words."""
        return (
            f"{self.lines} hostile messages, alive after each; {self.due} answers were due and came, "
            f"{self.errors} of them errors"
        )


def send_all(server: RawStdio, lines) -> Tally:
    """Send each line with a ping after it, and wait for every answer that is due.

    What is cancelled before its answer is not waited for: the lines cancel nothing that they do not name by chance.
    """
    tally = Tally()
    for line in lines:
        answers = server.after(line)
        wanted = due(line)
        while wanted and not any(answer.get("id") in wanted and "method" not in answer for answer in answers):
            server.sent = line
            answers.append(server.read())
        tally.lines += 1
        tally.due += bool(wanted)
        tally.answers += len(answers)
        tally.errors += sum("error" in answer or answer.get("result", {}).get("isError", False) for answer in answers)
    return tally


if __name__ == "__main__":
    with RawStdio(sys.argv[4:]) as server:
        print(send_all(server, hostile_lines(int(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201 - it is a program
