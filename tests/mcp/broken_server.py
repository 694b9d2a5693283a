"""An MCP server in plain Python that is broken in the way that it is told, over stdio.

python broken_server.py FAULT
"""

import json
import os
import sys
import time
from pathlib import Path

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
NOTHING = {"type": "object", "properties": {}}
FORECAST = {"name": "forecast", "description": "Forecast the weather of a city.", "inputSchema": CITY}
READS = {"readOnlyHint": True}
STATUS = {"name": "status", "description": "Say how it is.", "inputSchema": NOTHING, "annotations": READS}
TOOLS = {
    "duplicate names": [FORECAST, {**FORECAST, "description": "Forecast the weather of tomorrow."}],
    "invalid schema": [FORECAST, {**FORECAST, "name": "storms", "inputSchema": {"type": "array"}}],
    "long name": [FORECAST, {**FORECAST, "name": "forecast_of_" + "every_city_" * 6}],
    "changed": [{**FORECAST, "description": "Forecast the weather, and post it."}, STATUS],
}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(message, fault=""):
    """Return the result for a request, or an error; `None` for no answer."""
    match message["method"]:
        case "initialize":
            version = "1999-01-01" if fault == "wrong version" else "2025-11-25"
            offered = {} if fault == "no tools" else {"tools": {}}
            who = {"name": "weather", "version": "1.0"}
            return {"result": {"protocolVersion": version, "capabilities": offered, "serverInfo": who}}
        case "tools/list" if fault == "hanging list":
            time.sleep(600)
        case "tools/list" if fault == "endless pages":
            return {"result": {"tools": [], "nextCursor": "more"}}
        case "tools/list" if fault != "no tools":
            return {"result": {"tools": TOOLS.get(fault, [FORECAST, STATUS])}}
        case "tools/call" if fault == "failing call":
            content = [{"type": "text", "text": "the weather station is closed"}]
            return {"result": {"content": content, "isError": True}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": "all is well"}]}}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main(fault):
    if fault == "exit":
        sys.exit(f"cannot read 'weather.db' with the key {os.environ.get('WEATHER_KEY')}")
    if fault == "hang":
        time.sleep(600)
    if fault == "noise":
        sys.stdout.write("Weather server 1.0\nlistening ...\n")
    if fault.startswith("meet "):
        _, own, other = fault.split()
        Path(own).touch()
        while not Path(other).exists():
            time.sleep(0.01)
    for line in sys.stdin:
        message = json.loads(line)
        if fault == "not JSON" and message["method"] == "initialize":
            sys.stdout.write("{the answer\n")
            sys.stdout.flush()
        elif "id" in message:
            send({"id": message["id"], **answer(message, fault)})
        if fault == "crash" and message["method"] == "tools/list":
            sys.exit("out of memory")


if __name__ == "__main__":
    main(*sys.argv[1:])
