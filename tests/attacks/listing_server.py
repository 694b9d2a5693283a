"""An MCP server whose answers to `initialize` and `tools/list` are in `answers.json`, in the folder that it works in."""

import json
import sys
from pathlib import Path

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    known = json.loads(Path("answers.json").read_text("utf-8"))
    known["tools/call"] = {"content": [{"type": "text", "text": "called"}]}
    found = known.get(request["method"])
    said = {"error": {"code": -32601, "message": "no"}} if found is None else {"result": found}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)  # noqa: T201 - that is how it answers
