"""An MCP server in plain Python that is broken in the way that it is told, over stdio.

python broken_server.py FAULT
"""

import json
import sys
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
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


def answer(message):
    """Return the result for a request, or an error."""
    match message["method"]:
        case "initialize":
            if FAULT == "not JSON":
                sys.stdout.write("{the answer\n")
                sys.stdout.flush()
                return None
            version = "1999-01-01" if FAULT == "wrong version" else "2025-11-25"
            offered = {} if FAULT == "no tools" else {"tools": {}}
            who = {"name": "weather", "version": "1.0"}
            return {"result": {"protocolVersion": version, "capabilities": offered, "serverInfo": who}}
        case "tools/list" if FAULT == "hanging list":
            time.sleep(600)
        case "tools/list" if FAULT == "endless pages":
            return {"result": {"tools": [], "nextCursor": "more"}}
        case "tools/list" if FAULT != "no tools":
            return {"result": {"tools": TOOLS.get(FAULT, [FORECAST, STATUS])}}
        case "tools/call" if FAULT == "failing call":
            content = [{"type": "text", "text": "the weather station is closed"}]
            return {"result": {"content": content, "isError": True}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": "all is well"}]}}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main():
    if FAULT == "exit":
        sys.exit("cannot read 'weather.db': no such file")
    if FAULT == "hang":
        time.sleep(600)
    if FAULT == "noise":
        sys.stdout.write("Weather server 1.0\nlistening ...\n")
        sys.stdout.flush()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and (result := answer(message)) is not None:
            send({"id": message["id"], **result})
        if FAULT == "crash" and message.get("method") == "tools/list":
            sys.exit("out of memory")


if __name__ == "__main__":
    main()
