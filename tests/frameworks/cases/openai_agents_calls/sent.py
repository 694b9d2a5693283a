"""Prints the tools of which an agent's model is sent something else than their specifications say."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import tools
from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from toolkit import resolve_tools

SENT = {}


class Api(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        SENT.update({tool["function"]["name"]: tool["function"] for tool in asked["tools"]})
        message = {"role": "assistant", "content": "Hello."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice]}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
set_tracing_disabled(True)
things = [thing for thing in vars(tools).values() if isinstance(thing, FunctionTool)]
client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
agent = Agent(name="Desk", tools=things, model=OpenAIChatCompletionsModel("any", client))
Runner.run_sync(agent, "Hi!", context={"staff": True})
for name, tool in resolve_tools(things).items():
    said = {**tool.spec.definition, "strict": tool.spec.strict}
    if said != SENT[name]:
        sys.stdout.write(f"{said} is sent as {SENT[name]}\n")
sys.stdout.write(f"{len(things)} of {len(SENT)} tools compared\n")
server.shutdown()
