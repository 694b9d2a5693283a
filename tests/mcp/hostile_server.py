"""A server that says something hostile before each answer, and every fifth time nothing else."""

import json
import sys

from tests.mcp.fuzzing import hostile_lines

TOOLS = [{"name": "count", "description": "Count the calls.", "inputSchema": {"type": "object"}}]


def answer_to(request, number):
    """Return the result of a request, or None if there is none."""
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": f"call {number}"}]}
    return None


def main(count, seed):
    """Serve; after as many calls with something hostile before each answer, behave."""
    lines = hostile_lines(count, seed)
    number = 0
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        is_call = request["method"] == "tools/call"
        hostile = next(lines, None) if is_call else None
        number += is_call
        if hostile is not None:
            sys.stdout.buffer.write(hostile + b"\n")
        if hostile is None or number % 5:
            result = answer_to(request, number)
            said = {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
            sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
