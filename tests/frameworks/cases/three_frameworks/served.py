"""Serves the module over MCP, and prints what a client is told of its tools and what a call returns."""

import json
import subprocess
import sys

COMMAND = [sys.executable, "-m", "toolkit_cli", "serve", "tools.py", "--quiet", "--yes"]


def ask(server, method, **params):
    """Send a request and return the result."""
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while "result" not in (said := json.loads(server.stdout.readline())):
        pass
    return said["result"]


with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
    client = {"name": "a client", "version": "1"}
    ask(server, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    for one in ask(server, "tools/list")["tools"]:
        sys.stdout.write(f"{one['name']}: {json.dumps(one['inputSchema'], sort_keys=True)}\n")
    for name, arguments in [("find_recipe", {"dish": "eggs"}), ("list_ingredients", {}), ("order_food", {"ingredients": "tea"})]:
        answer = ask(server, "tools/call", name=name, arguments=arguments)
        sys.stdout.write(f"{answer['content'][0]['text']} {answer['isError']}\n")
    server.stdin.close()
